import { codeOf } from "./file-error.ts"

const fs = () => process.getBuiltinModule("node:fs/promises")
const paths = () => process.getBuiltinModule("node:path")

/** Who writes it, and since when that process runs: numbers of processes are used again. */
const DRAFT = /^\.koda-(\d+)-([0-9a-z]+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/
const start = () => Math.round(performance.timeOrigin).toString(36)

/** A draft that is being written changes all the time, also one of a process that can't be seen from here. */
const STALE_MS = 60_000

/** How many folders are remembered as looked through. */
const REMEMBERED = 1_000
const swept = new Map<string, number>()

/** Where what is to become this file is written first. */
export function draftOf(target: string): string {
  return paths().join(paths().dirname(target), `.koda-${process.pid}-${start()}-${crypto.randomUUID()}.tmp`)
}

export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** Removes what processes that were killed have left in a folder. Looks at most once a minute, and never fails. */
export async function removeStaleDrafts(folder: string): Promise<void> {
  const now = Date.now()
  if (now - (swept.get(folder) ?? 0) < STALE_MS) return
  if (swept.size >= REMEMBERED) swept.clear()
  swept.set(folder, now)
  try {
    const names = await fs().readdir(folder)
    await Promise.all(names.filter(isOrphan).map((name) => removeStale(paths().join(folder, name), now)))
  } catch {
    // the next one may have more luck
  }
}

async function removeStale(path: string, now: number): Promise<void> {
  const stats = await fs().lstat(path)
  if (stats.isFile() && now - stats.mtimeMs > STALE_MS) await fs().rm(path, { force: true })
}

function isOrphan(name: string): boolean {
  const [, pid, since] = DRAFT.exec(name) ?? []
  if (pid === undefined) return false
  if (Number(pid) === process.pid) return since !== start()
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === "ESRCH"
  }
}
