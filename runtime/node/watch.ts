import type { FSWatcher } from "node:fs"

/** A save comes as a handful of events: we look when they are over. */
const BURST_MS = 30
/** Deno gives no events for a folder that took the place of another, unless it is watched anew a little later. */
const REPLACED_MS = 50
/** Network file systems and a system out of watches give no events at all. */
const RESCAN_MS = 3000
/** A rescan may take this share of the time. */
const RESCAN_SHARE = 0.02

/**
 * Watches each folder by itself, and looks through them when anything stirs: a recursive watch goes deaf for a file
 * that was replaced by a rename (Node 22 and 24).
 */
export function watchFolders(folders: readonly string[], signal: AbortSignal): AsyncIterable<readonly string[]> {
  const changed = new Set<string>()
  let wake = () => {}
  const close = startWatching(folders, (paths) => {
    for (const path of paths) changed.add(path)
    wake()
  })
  const stop = () => {
    close()
    wake()
  }
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })

  async function* changes() {
    try {
      while (!signal.aborted) {
        if (changed.size === 0) await new Promise<void>((resolve) => (wake = resolve))
        if (changed.size === 0 || signal.aborted) continue
        const batch = [...changed].sort()
        changed.clear()
        yield batch
      }
    } finally {
      signal.removeEventListener("abort", stop)
      close()
    }
  }
  return changes()
}

/** Calls back with the files that changed since the last look. The first look is taken before it returns. */
function startWatching(folders: readonly string[], report: (paths: string[]) => void): () => void {
  const { statSync, readdirSync, watch } = process.getBuiltinModule("node:fs")
  const { dirname, join } = process.getBuiltinModule("node:path")
  const watchers = new Map<string, { watcher: FSWatcher; identity: string }>()
  let seen = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSoon = false
  let isClosed = false

  const look = () => {
    const begin = performance.now()
    const isReplaced = dropVanished()
    const now = new Map<string, string>()
    for (const folder of folders) {
      watchFolder(nearest(dirname(folder)))
      lookInto(folder, now)
    }
    const paths = [...now].filter(([path, print]) => seen.get(path) !== print).map(([path]) => path)
    for (const path of seen.keys()) if (!now.has(path)) paths.push(path)
    seen = now
    if (paths.length > 0) report(paths)
    isSoon = false
    schedule(isReplaced ? REPLACED_MS : Math.max(RESCAN_MS, (performance.now() - begin) / RESCAN_SHARE))
  }
  const schedule = (ms: number) => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(look, ms)
  }
  const stirred = () => {
    if (isSoon) return
    isSoon = true
    schedule(BURST_MS)
  }

  const lookInto = (folder: string, now: Map<string, string>) => {
    watchFolder(folder) // before it is read, so that nothing falls between
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) lookInto(path, now)
      else {
        const print = printOf(path)
        if (print) now.set(path, print)
      }
    }
  }
  const entriesOf = (folder: string) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch {
      return [] // gone, or not ours to read: nothing is in it
    }
  }
  /** What changes when the file does; undefined for what is no file. */
  const printOf = (path: string) => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats && !stats.isDirectory() ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : undefined
  }
  const identityOf = (folder: string) => {
    try {
      const { ino, birthtimeNs } = statSync(folder, { bigint: true })
      return `${ino}:${birthtimeNs}`
    } catch {
      return undefined
    }
  }
  const nearest = (folder: string): string => {
    const parent = dirname(folder)
    return parent === folder || identityOf(folder) ? folder : nearest(parent)
  }
  const watchFolder = (folder: string) => {
    const identity = identityOf(folder)
    if (watchers.has(folder) || !identity) return
    try {
      const watcher = watch(folder, stirred)
      watcher.on("error", () => forget(folder))
      watchers.set(folder, { watcher, identity })
    } catch {
      // gone again, or out of watches: the rescan sees what changes
    }
  }
  const forget = (folder: string) => {
    watchers.get(folder)?.watcher.close()
    watchers.delete(folder)
    stirred()
  }
  const dropVanished = () => {
    const gone = [...watchers].filter(([folder, { identity }]) => identityOf(folder) !== identity)
    for (const [folder, { watcher }] of gone) {
      watcher.close()
      watchers.delete(folder)
    }
    return gone.length > 0
  }

  look()
  return () => {
    isClosed = true
    clearTimeout(timer)
    for (const { watcher } of watchers.values()) watcher.close()
    watchers.clear()
  }
}
