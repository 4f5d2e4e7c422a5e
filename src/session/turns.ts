/** The turns of a session, one after another. Each can be cancelled from the moment it is asked for. */
export class Turns {
  readonly #stops = new Set<AbortController>()
  #last: Promise<unknown> = Promise.resolve()

  get isIdle(): boolean {
    return this.#stops.size === 0
  }

  add<End>(turn: (signal: AbortSignal) => Promise<End>, signal: AbortSignal): Promise<End> {
    const stop = new AbortController()
    this.#stops.add(stop)
    const done = this.#last
      .then(() => turn(AbortSignal.any([signal, stop.signal])))
      .finally(() => this.#stops.delete(stop))
    this.#last = done.catch(() => {}) // told to whoever asked for it
    return done
  }

  /** Stops the turn that runs, and every one that waits. */
  cancel(): void {
    for (const stop of this.#stops) stop.abort(new Error("cancelled by the user"))
  }

  /** Resolves when none runs or waits. */
  async settled(): Promise<void> {
    await this.#last
  }
}
