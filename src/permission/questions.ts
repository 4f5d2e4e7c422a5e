import { abortable } from "../agent/abortable.ts"

/** Things that are done one at a time, in the order in which they came. */
export interface Queue {
  /** Works when all that came before is done; `work` ends when the signal aborts. */
  add<Value>(work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value>
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add(work, signal) {
      const before = last
      const done = (async () => {
        await abortable(before, signal)
        return await work(signal)
      })()
      last = Promise.allSettled([before, done])
      return done
    },
  }
}
