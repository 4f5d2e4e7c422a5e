import type { Id, RpcError } from "./message.ts"
import type { Outbox } from "./outbox.ts"

/** The requests that we have made and that are not answered. */
export class Asking {
  readonly #outbox: Outbox
  readonly #open = new Map<Id, PromiseWithResolvers<unknown>>()
  #lastId = 0
  #gone: Error | undefined

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** When the signal aborts, the request is withdrawn and rejects with its reason at once. */
  async ask(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#gone) throw this.#gone
    const id = ++this.#lastId // clients exist that read nothing but integers
    this.#outbox.request(id, method, params)
    const open = Promise.withResolvers<unknown>()
    this.#open.set(String(id), open)
    const withdraw = () => {
      if (!this.#gone) this.#outbox.notify("$/cancel_request", { requestId: id })
      open.reject(signal.reason)
    }
    signal.addEventListener("abort", withdraw, { once: true })
    try {
      return await open.promise
    } finally {
      signal.removeEventListener("abort", withdraw)
      this.#open.delete(String(id))
    }
  }

  /** False if nothing with this id is asked. */
  answered(id: Id, outcome: { result: unknown } | { error: RpcError }): boolean {
    const open = this.#open.get(id)
    if ("error" in outcome) open?.reject(outcome.error)
    else open?.resolve(outcome.result)
    return open !== undefined
  }

  /** From now on nothing will be answered, or withdrawn. */
  leave(reason: Error): void {
    this.#gone = reason
  }

  rejectAll(): void {
    for (const open of this.#open.values()) open.reject(this.#gone)
  }
}
