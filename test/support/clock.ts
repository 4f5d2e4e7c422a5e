import type { Clock } from "../../src/clock.ts"

export interface HandClock extends Clock {
  /** Lets so much time pass. */
  pass(ms: number): void
  /** Waits until something waits for the clock. */
  waiting(count: number): Promise<void>
}

/** A clock that goes when it is told to. */
export function handClock(): HandClock {
  let now = 0
  let waiting: { at: number; call: () => void }[] = []
  return {
    now: () => now,
    after(ms, call) {
      const one = { at: now + ms, call }
      waiting.push(one)
      return () => {
        waiting = waiting.filter((other) => other !== one)
      }
    },
    pass(ms) {
      now += ms
      const due = waiting.filter(({ at }) => at <= now)
      waiting = waiting.filter(({ at }) => at > now)
      for (const { call } of due) call()
    },
    async waiting(count) {
      while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
    },
  }
}

export interface QuickClock extends Clock {
  /** The waits asked for, in milliseconds, in order. */
  waits: number[]
}

/** Time that passes at once, but for the waits named in `never`, which never end. */
export function quickClock(never: readonly number[] = [5000, 200]): QuickClock {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1) + waits.reduce((sum, wait) => sum + wait, 0),
    after(ms, call) {
      if (never.includes(ms)) return () => {}
      waits.push(ms)
      let isWanted = true
      queueMicrotask(() => isWanted && call())
      return () => {
        isWanted = false
      }
    },
  }
}
