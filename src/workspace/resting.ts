/** Lets everything else have its turn, and a cancel be heard, when the work has gone on for some milliseconds. */
export function restingNowAndThen(signal: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal.throwIfAborted()
    if (performance.now() - since < LONGEST_WORK) return undefined
    return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      signal.throwIfAborted()
      since = performance.now()
    })
  }
}

/** Milliseconds. Other sessions and the connection wait so long. */
const LONGEST_WORK = 10
