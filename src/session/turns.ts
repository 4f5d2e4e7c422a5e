/** The turns of a session, one after another. Each can be cancelled from the moment it is asked for. */
export class Turns {
  readonly #stops = new Set<AbortController>()
  readonly #between = new Set<AbortController>()
  #last: Promise<unknown> = Promise.resolve()

  get isIdle(): boolean {
    return this.#stops.size === 0
  }

  /** Any of these signals cancels it, too. */
  add<End>(turn: (signal: AbortSignal) => Promise<End>, signals: readonly AbortSignal[]): Promise<End> {
    const stop = new AbortController()
    this.#stops.add(stop)
    const done = this.#last
      .then(() => turn(AbortSignal.any([...signals, stop.signal])))
      .finally(() => this.#stops.delete(stop))
    this.#last = done.catch(() => {}) // told to whoever asked for it
    return done
  }

  /** Does something between turns: the next one waits for it, and a new prompt does not stop it. */
  between<End>(work: (signal: AbortSignal) => Promise<End>, signals: readonly AbortSignal[]): Promise<End> {
    const stop = new AbortController()
    this.#between.add(stop)
    const done = this.#last
      .then(() => work(AbortSignal.any([...signals, stop.signal])))
      .finally(() => this.#between.delete(stop))
    this.#last = done.catch(() => {}) // told to whoever asked for it
    return done
  }

  /** Stops the turn that runs, and every one that waits. */
  cancel(): void {
    for (const stop of this.#stops) stop.abort(new Error("cancelled by the user"))
  }

  /** Stops these, and what is done between them. */
  cancelAll(): void {
    this.cancel()
    for (const stop of this.#between) stop.abort(new Error("cancelled by the user"))
  }

  /** Resolves when none runs or waits. */
  async settled(): Promise<void> {
    await this.#last
  }
}
