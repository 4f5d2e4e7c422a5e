import type { AgentEvent } from "../agent/event.ts"
import type { UserMessage } from "../agent/message.ts"
import type { StopReason } from "../agent/turn.ts"
import type { ElicitReply } from "../mcp/requests.ts"
import type { Ask } from "../permission/gate.ts"
import type { ActivityEntry } from "../subagents/activity.ts"
import type { TaskSnapshot } from "../subagents/snapshot.ts"
import type { Inquire, Inquiry, Reply } from "../tools/inquiry.ts"
import type { Editor } from "../workspace/editor.ts"
import type { Terminals } from "../workspace/terminal-command.ts"
import type { Dials } from "./dials.ts"
import type { Plan } from "./plan.ts"

/** What a session tells those who are attached to it. */
export type SessionEvent =
  | AgentEvent
  | { type: "titled"; title: string }
  | { type: "planned"; plan: Plan }
  /** Dials were turned, there are other models or commands to choose from, or MCP servers stand differently. */
  | { type: "turned"; changed: Changed }
  /** What the user did at the address of an MCP server is done. */
  | { type: "elicited"; elicitationId: string }
  /** Another client said this. */
  | { type: "said"; message: UserMessage }
  /** A task stands differently. `delivery`: its report was handed to the model. */
  | {
      type: "task"
      task: TaskSnapshot
      activity?: ActivityEntry
      delivery?: string
      /** Its last steps, for the call that began it: as long as the turn of that call runs. */
      steps?: readonly string[]
    }
  /** A subagent does something. */
  | { type: "child"; task: string; event: AgentEvent }
  /** Marks a turn that no prompt began, and a pause in any. */
  | {
      type: "turn"
      state: "started" | "finished" | "waiting" | "resumed"
      promptId: string
      taskIds?: readonly string[]
      stop?: StopReason
    }
  /** Whether something is at work besides the turn. */
  | { type: "working"; working: boolean }

export type Changed = keyof Dials | "models" | "commands" | "servers"

/** A client that sees a session. */
export interface Attached {
  /** It understands turns that it did not ask for. */
  readonly takesDeliveries?: boolean
  tell(event: SessionEvent): void
  readonly ask: Ask
  /** Puts questions that are not a yes or no; without it, there is nobody to ask. */
  readonly inquire?: Inquire
  /** Puts the form of an MCP server; undefined if it can't. */
  elicit?(params: object, signal: AbortSignal): Promise<ElicitReply | undefined>
  /** Its unsaved buffers. */
  readonly editor: Editor
  /** Where commands run, if it has any. */
  readonly terminals: Terminals | undefined
}

/** Asks all of them. The first answer counts, and the others need not answer; nobody there is a no. */
export function askAnyOf(attached: ReadonlySet<Attached>): Ask {
  return async (question, signal) =>
    (await firstOf([...attached], (client, either) => client.ask(question, either), signal)) ?? "no"
}

/** The same for what is no yes or no. Undefined if none of them can put the question. */
export function inquireAnyOf(attached: ReadonlySet<Attached>): Inquire {
  return async (inquiry: Inquiry, signal) => {
    const put = async (client: Attached, either: AbortSignal): Promise<Reply> => {
      const reply = await client.inquire?.(inquiry, either)
      if (reply) return reply
      throw new Error("this client can't put the question")
    }
    return await firstOf([...attached], put, signal)
  }
}

/** The same for the form of an MCP server. */
export function elicitAnyOf(
  attached: ReadonlySet<Attached>,
): (params: object, signal: AbortSignal) => Promise<ElicitReply | undefined> {
  return async (params, signal) => {
    const put = async (client: Attached, either: AbortSignal): Promise<ElicitReply> => {
      const reply = await client.elicit?.(params, either)
      if (reply) return reply
      throw new Error("this client shows no forms")
    }
    return await firstOf([...attached], put, signal)
  }
}

/** What comes first, and the others are withdrawn. Undefined if all fail. */
async function firstOf<Answer>(
  clients: readonly Attached[],
  ask: (client: Attached, signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const answered = new AbortController()
  const either = AbortSignal.any([signal, answered.signal])
  const first = await Promise.any(clients.map((client) => ask(client, either))).catch(() => undefined)
  answered.abort()
  signal.throwIfAborted()
  return first
}
