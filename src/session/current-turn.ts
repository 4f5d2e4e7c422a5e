import type { SessionEvent } from "./attached.ts"

/** The turn that runs: its name on the wire, and whether subagents hold it up. */
export class CurrentTurn {
  #id: string | undefined
  #isHeld = false
  #isReleased = false

  /** Undefined while none runs. */
  get id(): string | undefined {
    return this.#id
  }

  /** Whether its next reply may be held. */
  get waits(): boolean {
    return !this.#isReleased
  }

  begin(): string {
    this.#id = crypto.randomUUID()
    this.#isHeld = false
    this.#isReleased = false
    return this.#id
  }

  end(): void {
    this.#id = undefined
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
