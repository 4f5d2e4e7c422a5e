import { NO_USAGE, type Usage } from "../agent/message.ts"
import type { SessionEvent } from "./attached.ts"
import { sum } from "./prompted.ts"

/** The turn that runs: its name on the wire, what it costs, and whether subagents hold it up. */
export class CurrentTurn {
  #id: string | undefined
  #signal: AbortSignal | undefined
  #spent: Usage = NO_USAGE
  #isHeld = false
  #isReleased = false

  /** Undefined while none runs. */
  get id(): string | undefined {
    return this.#id
  }

  /** Whether one runs that has not been cancelled. */
  get isOpen(): boolean {
    return this.#signal !== undefined && !this.#signal.aborted
  }

  spend(usage: Usage): void {
    this.#spent = sum(this.#spent, usage)
  }

  /** What was spent since this was last asked: what subagents spend between turns counts for the next answer. */
  takeSpent(): Usage {
    const spent = this.#spent
    this.#spent = NO_USAGE
    return spent
  }

  /** Whether its next reply may be held. */
  get waits(): boolean {
    return !this.#isReleased
  }

  begin(signal: AbortSignal): string {
    this.#signal = signal
    this.#id = crypto.randomUUID()
    this.#isHeld = false
    this.#isReleased = false
    return this.#id
  }

  end(): void {
    this.#id = undefined
    this.#signal = undefined
    this.#isHeld = false
  }

  /** Lets it go on without its subagents, to its end. False if nothing was waiting for them. */
  release(): boolean {
    if (!this.#isHeld || this.#isReleased) return false
    this.#isReleased = true
    return true
  }

  /** The event as clients are told of it: a pause bears the name of its turn. */
  named(event: SessionEvent): SessionEvent {
    const promptId = this.#id ?? ""
    switch (event.type) {
      case "waiting":
        this.#isHeld = true
        return { type: "turn", state: "waiting", promptId, taskIds: event.tasks }
      case "resumed":
        this.#isHeld = false
        return { type: "turn", state: "resumed", promptId }
      default:
        return event
    }
  }
}
