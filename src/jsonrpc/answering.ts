import { errorOnWire, type Id, RpcError, refusal } from "./message.ts"
import type { Outbox } from "./outbox.ts"

/** One message to handle, in the order of arrival; it does not hold up the next. */
export interface Received {
  readonly method: string
  readonly params: unknown
  /** Aborts when the other side cancels the request, or goes away. */
  readonly signal: AbortSignal
  /** Does this right after the answer, before anything else is said; not if the request fails. */
  after(work: () => void): void
}

interface Open {
  readonly id: Id
  readonly stop: AbortController
  readonly done: Promise<void>
}

const CANCELLED = refusal(-32800, "The request was cancelled")

/** The requests of the other side that we have not answered. Each is answered once, whatever happens. */
export class Answering {
  readonly #outbox: Outbox
  readonly #onError: (error: unknown, method: string) => void
  readonly #open = new Set<Open>()

  constructor(outbox: Outbox, onError: (error: unknown, method: string) => void) {
    this.#outbox = outbox
    this.#onError = onError
  }

  /** A handler that does not wait is answered, and its `after` done, before this returns. */
  answer(id: Id, method: string, params: unknown, handle: (received: Received) => unknown): void {
    const onError = (error: unknown) => this.#onError(error, method)
    const stop = new AbortController()
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const open: Open = { id, stop, done }
    let after: (() => void)[] | undefined = []

    const succeed = (result: unknown) => {
      try {
        this.#outbox.answer(id, "result", result)
      } catch (error) {
        return fail(error)
      }
      close()
      const works = after ?? []
      after = undefined
      for (const work of works) attempt(work, onError)
    }
    const fail = (error: unknown) => {
      const cancelled = stop.signal.aborted
      if (!cancelled && !(error instanceof RpcError)) onError(error)
      this.#sayError(id, cancelled ? CANCELLED : error)
      close()
    }
    const close = () => {
      this.#open.delete(open)
      resolve()
    }

    this.#open.add(open)
    const later = (work: () => void) => (after ? void after.push(work) : attempt(work, onError))
    settle(() => handle({ method, params, signal: stop.signal, after: later }), succeed, fail)
  }

  /** Tells the other side of an error. */
  #sayError(id: Id, error: unknown): void {
    try {
      this.#outbox.answer(id, "error", errorOnWire(error))
    } catch (unsayable) {
      this.#outbox.answer(id, "error", errorOnWire(unsayable))
    }
  }

  /** What the other side does not want to know any more. An id that is not open is no mistake: it may just have been answered. */
  cancel(id: Id | undefined): void {
    for (const open of this.#open) if (open.id === id) open.stop.abort(CANCELLED)
  }

  cancelAll(reason: Error): void {
    for (const { stop } of this.#open) stop.abort(reason)
  }

  /** Resolves when all that is open now has been answered. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open].map(({ done }) => done))
  }
}

/** Does what nobody waits for. */
export function attempt(work: () => unknown, onError: (error: unknown) => void): void {
  settle(work, () => {}, onError)
}

/** Calls back before it returns if the work does not wait. */
function settle(work: () => unknown, done: (value: unknown) => void, failed: (error: unknown) => void): void {
  let value: unknown
  try {
    value = work()
  } catch (error) {
    failed(error)
    return
  }
  if (isPromise(value)) void Promise.resolve(value).then(done, failed)
  else done(value)
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function"
}
