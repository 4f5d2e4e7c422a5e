import type { Message, ReplyStop, ToolCall, Usage } from "./message.ts"
import type { ToolSpec } from "./tool.ts"

/** A language model behind some provider's wire protocol. */
export interface Model {
  readonly id: string
  /** Tokens; undefined until the user, the server or an overflow has told it. */
  readonly contextWindow: number | undefined
  /** Which content besides text it takes. */
  readonly takes: { readonly image: boolean; readonly audio: boolean }
  /**
   * Streams one reply, its last event an "end". Throws a {@link ModelFailure}; retries are the model's own affair and
   * are told as notices.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

export interface ModelRequest {
  /** Of the session whose work it is, and the subagent's task if it is one's. */
  session: string
  task?: string
  instructions: string
  messages: readonly Message[]
  tools: readonly ToolSpec[]
  /** As the model's `reasoning.supportedEfforts` name it; undefined leaves it to the model. */
  effort?: string
  /** Told whenever something comes over the connection, if only to keep it open. */
  heard?(): void
}

export type ModelEvent =
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string; field?: string }
  | { type: "call"; call: ToolCall }
  /** Something the user should know and the model did not say: a retry, a wait. */
  | { type: "notice"; text: string }
  /** What has come so far of this reply is void: the next events begin it anew. */
  | { type: "restart" }
  | { type: "end"; stop: ReplyStop; usage: Usage }

/** What a provider's failure means to us. */
export type FailureKind =
  /** Sign in, or give another key. */
  | "auth"
  /** The request is longer than the model's window. */
  | "too_long"
  /** No money, no quota: waiting does not help. */
  | "quota"
  | "rate_limit"
  /** No such model. */
  | "model"
  /** Nobody answers, or the answer broke off. */
  | "network"
  /** The server failed. */
  | "server"
  /** It did not like the request. */
  | "request"
  /** It answered nothing. */
  | "empty"

/** The provider said no. The message is a sentence for a person, and holds no secret. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure"
  readonly kind: FailureKind
  /** Milliseconds after which the server says that it is worth trying again. */
  readonly retryAfter: number | undefined
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined

  constructor(
    kind: FailureKind,
    message: string,
    { retryAfter, status, cause }: { retryAfter?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.retryAfter = retryAfter
    this.status = status
  }
}

/** Whether the request was longer than the window. */
export function isOverflow(error: unknown): error is ModelFailure {
  return error instanceof ModelFailure && error.kind === "too_long"
}
