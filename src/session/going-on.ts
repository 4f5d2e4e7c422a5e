import type { Inbox } from "../agent/inbox.ts"
import { hiddenText } from "../agent/message.ts"
import type { Hooks } from "./hooks.ts"

/** What may keep a turn going when the model has had its say. */
export interface GoingOn {
  readonly inbox: Inbox
  readonly hooks: Pick<Hooks, "stop">
  /** Asks the user about the plan that the model has proposed; undefined if it has not. */
  readonly decide: ((signal: AbortSignal) => Promise<boolean | undefined>) | undefined
  /** The user accepts the plan. */
  accepted(): void
}

/** Whether it goes on: it was steered as it ended, its plan is accepted, or a hook of the user's keeps it from ending. */
export async function goesOn({ inbox, hooks, decide, accepted }: GoingOn, signal: AbortSignal): Promise<boolean> {
  if (!inbox.isEmpty) return true
  if (!decide) {
    const reasons = await hooks.stop(signal).catch(() => [])
    inbox.post(...reasons)
    return reasons.length > 0
  }
  const isAccepted = await decide(signal)
  if (signal.aborted) return true // and ends there
  if (!isAccepted) return false
  accepted()
  inbox.post(hiddenText("The user accepts the plan: carry it out now, and keep its steps true with todo_write."))
  return true
}
