/** Who may write which file. */
export interface Locks {
  /** Resolves when nobody else holds any of these; the answer gives them back. A wait that is aborted holds nothing. */
  hold(keys: readonly string[], signal: AbortSignal): Promise<() => void>
}

/** One for the whole process: sessions that work in the same folder wait for each other. */
export const PROCESS_LOCKS: Locks = createLocks()

/** Locks by name. Several are taken in one order by everybody, so that no two wait for each other. */
export function createLocks(): Locks {
  const lines = new Map<string, Promise<void>>()

  async function holdOne(key: string, signal: AbortSignal): Promise<() => void> {
    const before = lines.get(key) ?? Promise.resolve()
    const mine = Promise.withResolvers<void>()
    const line = before.then(() => mine.promise)
    lines.set(key, line)
    const release = () => {
      mine.resolve()
      void line.then(() => lines.get(key) === line && lines.delete(key))
    }
    try {
      await turnOf(before, signal)
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  return {
    async hold(keys, signal) {
      const held: (() => void)[] = []
      const release = () => {
        for (const give of held.splice(0)) give()
      }
      try {
        for (const key of [...new Set(keys)].sort()) held.push(await holdOne(key, signal))
      } catch (error) {
        release()
        throw error
      }
      return release
    },
  }
}

async function turnOf(before: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(signal.reason)
  signal.addEventListener("abort", leave, { once: true })
  try {
    await Promise.race([before, left.promise])
  } finally {
    signal.removeEventListener("abort", leave)
  }
}
