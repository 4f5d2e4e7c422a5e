import type { AgentEvent } from "../agent/event.ts"
import type { UserMessage } from "../agent/message.ts"
import type { Ask } from "../permission/gate.ts"
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
  /** Dials were turned, or there are other models or commands to choose from. */
  | { type: "turned"; changed: Changed }
  /** Another client said this. */
  | { type: "said"; message: UserMessage }

export type Changed = keyof Dials | "models" | "commands"

/** A client that sees a session. */
export interface Attached {
  tell(event: SessionEvent): void
  readonly ask: Ask
  /** Puts questions that are not a yes or no; without it, there is nobody to ask. */
  readonly inquire?: Inquire
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
