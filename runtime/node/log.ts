/** Characters that may wait for a reader of the log; beyond it lines are left out, so that a log nobody reads costs nothing. */
const LIMIT = 256 * 1024

export interface Log {
  (line: string): void
  /** Resolves when all of it has left, or nobody takes it any more. */
  flushed(): Promise<void>
}

/** Lines written one batch after another, as fast as they are taken. Never blocks, never throws, and says how many it left out. */
export function lineLog(write: (bytes: Uint8Array) => Promise<void>): Log {
  let waiting: string[] = []
  let held = 0
  let leftOut = 0
  let draining: Promise<void> | undefined

  const drain = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await write(new TextEncoder().encode(`${batch.join("\n")}\n`)).catch(() => {}) // the log is best effort
      held = waiting.reduce((sum, line) => sum + line.length, 0)
      if (leftOut > 0) waiting.push(`(${leftOut} lines were left out here: nobody read the log)`)
      leftOut = 0
    }
    draining = undefined
  }
  const log = (line: string) => {
    if (held > LIMIT) {
      leftOut++
      return
    }
    held += line.length
    waiting.push(line)
    draining ??= drain()
  }
  return Object.assign(log, { flushed: async () => await draining })
}
