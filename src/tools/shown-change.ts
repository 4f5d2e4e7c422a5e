import type { Display, Location } from "../agent/message.ts"
import { changedLines, changedPart, firstChangedLine } from "../text/changed-part.ts"
import { toNewlines } from "../text/line-ends.ts"
import { sharedEnd, sharedStart } from "../text/shared-ends.ts"
import { byteLength, cutAround, cutEnd, linesWithin } from "../text/truncate.ts"
import type { Change } from "../workspace/documents.ts"

/** Characters of all diffs of one call together: some clients give up at 10 MB a message, all get slow long before. */
const MOST_SHOWN = 200_000
/** Bytes of what the model reads of its own change. */
const MOST_QUOTED = 2_000
/** Edits after which comparing line by line is given up. */
const MOST_COMPARED = 2_000

/** One diff for each file: the whole of it, or of a very big one the part that changes, which is then said. */
export function diffsOf(changes: readonly Change[]): Display[] {
  const most = Math.floor(MOST_SHOWN / Math.max(1, changes.length))
  return changes.flatMap(({ path, before, after }): Display[] => {
    if ((before?.length ?? 0) + after.length <= most) return [{ type: "diff", path, oldText: before, newText: after }]
    const part = changedPart(before ?? "", after, Math.floor(most / 2))
    const text = `${path} is too big to be shown whole; this is a part of it, from line ${part.line}.`
    return [
      { type: "diff", path, oldText: before === null ? null : part.before, newText: part.after },
      { type: "text", text },
    ]
  })
}

export function locationsOf(changes: readonly Change[]): Location[] {
  return changes.map(({ path, before, after }) => ({ path, line: firstChangedLine(before ?? "", after) }))
}

/** The change as unified hunks, cut to what a model needs to see that it was done as it meant. */
export async function excerptOf({ before, after }: Change, most: number = MOST_QUOTED): Promise<string> {
  if (before === null) return ""
  const part = changedLines(toNewlines(before), toNewlines(after), AROUND)
  if (part.before.length + part.after.length > LONGEST_COMPARED) return ""
  const { structuredPatch } = await import("diff")
  const options = { context: AROUND, maxEditLength: MOST_COMPARED }
  const patch = structuredPatch("", "", part.before, part.after, "", "", options)
  const lines =
    patch?.hunks.flatMap(({ newStart, lines }) => [`@@ line ${newStart + part.line - 1} @@`, ...lines]) ?? []
  const short = shortened(lines)
  const fitting = linesWithin(short, most)
  const left = lines.length - fitting
  return short.slice(0, fitting).join("\n") + (left > 0 ? `\n… ${left} more lines` : "")
}

/** Lines around a change. */
const AROUND = 2
/** Characters of both texts that are compared line by line. */
const LONGEST_COMPARED = 1_000_000
const LONGEST_LINE = 300

/** Of lines that are too long the part that changes: one that goes is paired with the one that comes for it. */
function shortened(lines: readonly string[]): string[] {
  const short = lines.map((line) => cutEnd(line, LONGEST_LINE))
  for (let begin = 0; begin < lines.length; ) {
    const count = (from: number, sign: string) => {
      const run = lines.slice(from).findIndex((line) => !line.startsWith(sign))
      return run < 0 ? lines.length - from : run
    }
    const gone = count(begin, "-")
    const next = begin + gone + (lines[begin + gone]?.startsWith("\\") ? 1 : 0) // "\ No newline at end of file"
    const come = gone > 0 ? count(next, "+") : 0
    for (let at = begin; at < begin + Math.min(gone, come); at++) {
      const [old, now] = [lines[at]!.slice(1), lines[at - begin + next]!.slice(1)]
      if (Math.max(old.length, now.length) < LONGEST_LINE) continue
      const start = sharedStart(old, now)
      const end = sharedEnd(old.slice(start), now.slice(start))
      short[at] = `-${cutAround(old, { start, end: old.length - end }, LONGEST_LINE)}`
      short[at - begin + next] = `+${cutAround(now, { start, end: now.length - end }, LONGEST_LINE)}`
    }
    begin = Math.max(begin + 1, next + come)
  }
  return short
}

/** What is quoted of each of several changes. */
export async function excerptsOf(changes: readonly Change[], name: (path: string) => string): Promise<string> {
  if (changes.length === 1) return excerptOf(changes[0]!)
  const most = Math.floor(MOST_QUOTED / Math.max(1, changes.length))
  const excerpts = await Promise.all(changes.map(async (change) => [name(change.path), await excerptOf(change, most)]))
  const quoted = excerpts.filter(([, excerpt]) => excerpt !== "").map((lines) => lines.join("\n"))
  const shown = quoted.filter((_, at) => byteLength(quoted.slice(0, at + 1).join("\n")) <= MOST_QUOTED + most)
  const left = quoted.length - shown.length
  return [...shown, ...(left > 0 ? [`… ${left} more ${left === 1 ? "file" : "files"}`] : [])].join("\n")
}
