import type { Ending, Execution } from "./execution.ts"

/** A command that runs beside the conversation, and may be read and stopped. */
export class Background {
  readonly id: string
  readonly command: string
  /** When it began, in milliseconds since 1970. */
  readonly since: number
  readonly #execution: Execution
  readonly #stop: AbortController
  #ending: Ending | undefined
  #stirred = Promise.withResolvers<void>()

  constructor(id: string, command: string, execution: Execution, stop: AbortController, since: number) {
    this.id = id
    this.command = command
    this.since = since
    this.#execution = execution
    this.#stop = stop
    void execution.ended.then((ending) => {
      this.#ending = ending
      this.stir()
    })
  }

  /** Undefined while it runs. */
  get ending(): Ending | undefined {
    return this.#ending
  }

  /** Whether there is output that nobody has read. */
  get hasNews(): boolean {
    return this.#execution.output.hasFresh
  }

  /** The output that nobody has read. */
  news(): Promise<string> {
    return this.#execution.output.fresh()
  }

  /** Resolves when it prints something, or ends. */
  stirred(): Promise<void> {
    return this.#stirred.promise
  }

  ended(): Promise<Ending> {
    return this.#execution.ended
  }

  /** Something was printed. */
  stir(): void {
    this.#stirred.resolve()
    this.#stirred = Promise.withResolvers()
  }

  async stop(): Promise<void> {
    this.#stop.abort({ type: "stopped" } satisfies Ending)
    await this.#execution.ended
  }
}
