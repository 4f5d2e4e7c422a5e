import { FileError, type Files, type FolderEntry } from "../runtime.ts"
import { isIgnored, isVersionControl, type Rules, rulesIn } from "./ignore.ts"
import { joinPath } from "./paths.ts"
import { restingNowAndThen } from "./resting.ts"

/** As many entries as one walk looks at. */
const MOST_ENTRIES = 200_000

/** What the system shows there are no files of anybody's: they have no end, or are read for ever. */
const NO_FILES = new Set(["/proc", "/sys", "/dev"])

/** What a walk leaves out, counted while it goes on. */
export interface Tally {
  seen: number
  ignored: number
  unreadable: number
  /** It ended because there was too much. */
  full: boolean
}

export interface Walk {
  from: string
  /** In force where it starts; without them nothing is ignored. */
  rules: Rules | undefined
  /** How many folders deep it looks; 1 is the first folder alone. */
  depth?: number
  most?: number
}

export function newTally(): Tally {
  return { seen: 0, ignored: 0, unreadable: 0, full: false }
}

/**
 * The files under a folder, in the order of their paths: the same each time. Follows no link, enters no version control
 * folder, passes over what it can't read or may not show, and counts that.
 */
export function walk(files: Files, where: Walk, tally: Tally, signal: AbortSignal): AsyncGenerator<string> {
  return walkOn(files, where, tally, restingNowAndThen(signal))
}

async function* walkOn(
  files: Files,
  where: Walk,
  tally: Tally,
  rest: () => Promise<void> | undefined,
): AsyncGenerator<string> {
  const { from, depth = Number.POSITIVE_INFINITY, most = MOST_ENTRIES } = where
  const entries = await entriesOf(files, from, tally)
  const names = entries.map(({ name }) => name)
  const rules = where.rules && (await rulesIn(files, where.rules, from, names))
  for (const { name, kind } of entries) {
    await rest()
    if (tally.full || isVersionControl(name) || (kind !== "file" && kind !== "folder")) continue
    if (tally.seen === most) tally.full = true
    if (tally.full) return
    tally.seen++
    const path = joinPath(from, name)
    if (NO_FILES.has(path)) continue
    if (rules && isIgnored(rules, path, kind)) tally.ignored++
    else if (kind === "file") yield path
    else if (depth > 1) yield* walkOn(files, { from: path, rules, depth: depth - 1, most }, tally, rest)
  }
}

async function entriesOf(files: Files, folder: string, tally: Tally): Promise<readonly FolderEntry[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    tally.unreadable++
    return []
  }
}
