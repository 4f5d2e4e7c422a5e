import type { AgentEvent } from "../agent/event.ts"
import type { UserMessage } from "../agent/message.ts"
import type { Ask } from "../permission/gate.ts"
import type { Editor } from "../workspace/editor.ts"
import type { Terminals } from "../workspace/terminal-command.ts"
import type { Dials } from "./dials.ts"
import type { Plan } from "./plan.ts"

/** What a session tells those who are attached to it. */
export type SessionEvent =
  | AgentEvent
  | { type: "titled"; title: string }
  | { type: "planned"; plan: Plan }
  /** Dials were turned, or there are other models to choose from. */
  | { type: "turned"; changed: keyof Dials | "models" }
  /** Another client said this. */
  | { type: "said"; message: UserMessage }

/** A client that sees a session. */
export interface Attached {
  tell(event: SessionEvent): void
  readonly ask: Ask
  /** Its unsaved buffers. */
  readonly editor: Editor
  /** Where commands run, if it has any. */
  readonly terminals: Terminals | undefined
}

/** Asks all of them. The first answer counts, and the others need not answer; nobody there is a no. */
export function askAnyOf(attached: ReadonlySet<Attached>): Ask {
  return async (question, signal) => {
    const answered = new AbortController()
    const either = AbortSignal.any([signal, answered.signal])
    const questions = [...attached].map((client) => client.ask(question, either))
    const first = await Promise.any(questions).catch(() => "no" as const)
    answered.abort()
    signal.throwIfAborted()
    return first
  }
}
