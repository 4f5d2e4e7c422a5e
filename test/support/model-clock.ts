import type { Clock } from "../../src/model/retry.ts"

export interface FakeClock extends Clock {
  /** The waits asked for, in milliseconds, in order. */
  waits: number[]
}

/** Time that passes at once, but for the limits named in `never`, which are never reached. */
export function fakeClock(never: readonly number[] = [5000, 200]): FakeClock {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1) + waits.reduce((sum, wait) => sum + wait, 0),
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
        if (never.includes(ms)) return
        waits.push(ms)
        queueMicrotask(() => resolve())
      }),
  }
}
