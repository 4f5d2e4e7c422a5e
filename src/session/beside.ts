import type { StopReason } from "../agent/turn.ts"
import type { SessionEvent } from "./attached.ts"
import type { CurrentTurn } from "./current-turn.ts"
import type { Subagents } from "./subagents.ts"
import type { Turns } from "./turns.ts"

/** What goes on beside the prompts of a session needs this of it. */
export interface BesideNeeds {
  readonly turns: Turns
  readonly turn: CurrentTurn
  subagents(): Subagents
  /** Whether somebody takes turns that nobody asked for. */
  isTaken(): boolean
  run(signal: AbortSignal): Promise<StopReason>
  tell(event: SessionEvent): void
  readonly lifetime: AbortSignal
}

/** What goes on in a session when nobody speaks: reports of subagents, and that they are at work. */
export class Beside {
  readonly #needs: BesideNeeds
  /** Clients were told that something is at work. */
  #isShown = false

  constructor(needs: BesideNeeds) {
    this.#needs = needs
  }

  /** Lets reports that wait begin a turn, when the turn that has just ended is answered, and not before. */
  deliverSoon(): void {
    setTimeout(() => this.#deliver())
  }

  /** Tells clients when subagents begin to work, and when nothing is at work any more and no report begins a turn. */
  show(): void {
    const { subagents, turn, isTaken, tell } = this.#needs
    const { tasks, deliveries } = subagents()
    const isDue = deliveries.waiting.length > 0 && isTaken()
    const working = tasks.alive.length > 0 || (this.#isShown && (turn.id !== undefined || isDue))
    if (working === this.#isShown) return
    this.#isShown = working
    tell({ type: "working", working })
  }

  #deliver(): void {
    const { turns, isTaken, lifetime } = this.#needs
    const { deliveries } = this.#needs.subagents()
    if (lifetime.aborted || !turns.isIdle || deliveries.waiting.length === 0 || !isTaken()) return
    const taskIds = () => [...new Set(deliveries.due().map(({ task }) => task))]
    turns.add((signal) => this.#turn(taskIds(), signal), [lifetime]).catch(() => {}) // its end was told
  }

  async #turn(taskIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { turn, run, tell } = this.#needs
    const promptId = turn.begin(signal)
    tell({ type: "turn", state: "started", promptId, taskIds })
    let stop: StopReason | undefined
    try {
      stop = await run(signal)
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      tell({ type: "notice", text: `The report of a subagent could not be given to the model: ${words}` })
    } finally {
      tell({ type: "turn", state: "finished", promptId, ...(stop && { stop }) })
    }
  }
}
