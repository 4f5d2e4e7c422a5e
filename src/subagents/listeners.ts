/** Who wants to hear of changes. Somebody looks out for them for as long as there is anybody. */
export class Listeners {
  readonly #all = new Set<() => void>()
  readonly #lookOut: (signal: AbortSignal) => Promise<void>
  #watch: AbortController | undefined

  /** `lookOut` works until its signal aborts; what ends it earlier is not told. */
  constructor(lookOut: (signal: AbortSignal) => Promise<void>) {
    this.#lookOut = lookOut
  }

  /** Gives back what takes the listener out again. */
  add(listener: () => void): () => void {
    const own = () => listener() // the same function may listen twice
    this.#all.add(own)
    if (!this.#watch) {
      this.#watch = new AbortController()
      this.#lookOut(this.#watch.signal).catch(() => {}) // the next reading tells what is wrong
    }
    return () => {
      this.#all.delete(own)
      if (this.#all.size > 0) return
      this.#watch?.abort()
      this.#watch = undefined
    }
  }

  call(): void {
    for (const listener of this.#all) listener()
  }
}
