/** Time, so that tests can hold it in their hands. */
export interface Clock {
  /** In milliseconds since 1970. */
  now(): number
  /** Calls once after so many milliseconds. The answer takes it back. */
  after(ms: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

/** Rejects with the signal's reason if it aborts first. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const leave = () => {
      forget()
      reject(signal.reason)
    }
    const forget = clock.after(ms, () => {
      signal.removeEventListener("abort", leave)
      resolve()
    })
    signal.addEventListener("abort", leave, { once: true })
  })
}

/**
 * Aborts with the signal, or when so many milliseconds have passed. Node 22 sweeps up a timeout of which only `any` knows,
 * and then nobody hears of it: one that is listened to stays.
 */
export function limited(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  timeout.addEventListener("abort", () => {})
  return AbortSignal.any([signal, timeout])
}

/** The promise's value, or undefined when it takes longer or fails. */
export function within<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve) => {
    const forget = clock.after(ms, () => resolve(undefined))
    promise.then(resolve, () => resolve(undefined)).finally(forget)
  })
}

export interface Throttle {
  /** Something is new. */
  poke(): void
  /** Does no more. */
  stop(): void
}

/** Does the work at once when it has been quiet, and then no more often than every `ms`. */
export function throttle(work: () => void, ms: number, clock: Clock): Throttle {
  let state: "quiet" | "waiting" | "due" | "stopped" = "quiet"
  let forget = () => {}
  function due(): void {
    if (state === "due") begin()
    else if (state === "waiting") state = "quiet"
  }
  function begin(): void {
    state = "waiting"
    forget = clock.after(ms, due)
    work()
  }
  return {
    poke() {
      if (state === "quiet") begin()
      else if (state === "waiting") state = "due"
    },
    stop() {
      state = "stopped"
      forget()
    },
  }
}
