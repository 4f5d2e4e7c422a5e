import { ABSENT } from "./fingerprint.ts"

/** What is known of a file that the editor may have open; all by fingerprints. */
export interface Memory {
  /** The disk the buffer was last compared with, before anything of ours wrote it. Undefined if that is not known. */
  disk: string | undefined
  buffer: string | undefined
  /** What the disk is known to have been; a buffer that is like one of these is only late. */
  past: readonly string[]
}

/** "neither": both have changed, and nobody can tell which is right. */
export type Counts = "disk" | "buffer" | "neither"

/**
 * Which of two contents that may differ is the file. `ours`: a command or a write of ours may be what changed the disk
 * since we last looked.
 */
export function compare(
  now: { disk: string; buffer: string },
  last: Memory | undefined,
  ours: boolean,
): { counts: Counts; memory: Memory } {
  const { disk, buffer } = now
  const past = last?.past ?? []
  const same = { ...now, past: add(past, disk) }
  const late = { disk: last?.disk, buffer, past: add(add(past, buffer), disk) }

  if (buffer === disk) return { counts: "disk", memory: same }
  if (past.includes(buffer)) return { counts: "disk", memory: late }
  if (!last) return ours ? { counts: "disk", memory: late } : { counts: "buffer", memory: same }
  if (disk === last.disk) return { counts: "buffer", memory: same }
  if (ours && buffer === last.buffer) return { counts: "disk", memory: late }
  return { counts: "neither", memory: { ...last, past: add(past, disk) } }
}

/** We have written the disk, and the editor may not have noticed; of a new file it has nothing to be late with. */
export function afterWrite(last: Memory | undefined, before: string, after: string): Memory {
  const { disk, buffer, past } = last ?? { disk: undefined, buffer: undefined, past: [] }
  const known = add(add(buffer === undefined ? past : add(past, buffer), before), after)
  return before === ABSENT ? { disk: after, buffer: after, past: known } : { disk, buffer, past: known }
}

/** An editor is not later than that. */
const REMEMBERED = 30

function add(past: readonly string[], print: string): readonly string[] {
  return [...past.filter((known) => known !== print), print].slice(-REMEMBERED)
}
