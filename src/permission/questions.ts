import { abortable } from "../agent/abortable.ts"

/** Things that are asked one at a time, in the order in which they came. */
export interface Queue {
  /** Asks when all that came before is answered. Whatever the asking does, it ends when the signal aborts. */
  ask<Answer>(put: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal): Promise<Answer>
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask(put, signal) {
      const before = last
      const answer = (async () => {
        await abortable(before, signal)
        return await abortable(put(signal), signal)
      })()
      last = Promise.allSettled([before, answer])
      return answer
    },
  }
}
