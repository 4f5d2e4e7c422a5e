import { sharedEnd, sharedStart } from "./shared-ends.ts"

/** A text with `\n` as its only line end, and the way back to what it is made of. */
export interface Plain {
  readonly text: string
  readonly original: string
  /** Where in the original a place of the text is. */
  at(index: number): number
}

/** What is put in place of a part of a plain text. */
export interface Splice {
  start: number
  end: number
  put: string
}

/** A lone `\r` is a line end only in a file that has no other; elsewhere it is a character like any. */
export function plain(original: string): Plain {
  if (!original.includes("\r")) return { text: original, original, at: (index) => index }
  if (!original.includes("\n")) return { text: original.replaceAll("\r", "\n"), original, at: (index) => index }
  const text = original.replaceAll("\r\n", "\n")
  const shifts: number[] = [] // where, in the text, a `\r` was left out before
  for (let from = original.indexOf("\r\n"); from >= 0; from = original.indexOf("\r\n", from + 2)) {
    shifts.push(from - shifts.length)
  }
  return { text, original, at: (index) => index + countBelow(shifts, index) }
}

/** Puts the parts in, which are in order. All else stays as it is, and new line ends are like those around them. */
export function splice({ text, original, at }: Plain, parts: readonly Splice[]): string {
  const pieces: string[] = []
  let done = 0
  for (const { start, end, put } of parts) {
    const old = text.slice(start, end)
    const before = sharedStart(old, put)
    const after = sharedEnd(old.slice(before), put.slice(before))
    const [begin, stop] = [at(start + before), at(end - after)]
    const ends = endsAround(original, begin, stop)
    let line = 0
    const middle = put
      .slice(before, put.length - after)
      .replaceAll("\n", () => ends[Math.min(line++, ends.length - 1)] as string)
    pieces.push(original.slice(done, begin), middle)
    done = stop
  }
  return pieces.join("") + original.slice(done)
}

/** A whole new text with the line ends of the one it replaces: unchanged lines at either end keep their very own. */
export function keepEnds(before: string, after: string): string {
  const old = plain(before)
  const put = before.includes("\n") ? after.replaceAll("\r\n", "\n") : toNewlines(after)
  return splice(old, [{ start: 0, end: old.text.length, put }])
}

/** Every line end as `\n`: for comparing, and for counting lines. */
export function toNewlines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n|\r/g, "\n") : text
}

/** The ends of the lines in a part; if it has none, the nearest one. */
function endsAround(text: string, begin: number, stop: number): string[] {
  const pattern = text.includes("\n") ? /\r\n|\n/g : /\r/g
  const inside = text.slice(begin, stop).match(pattern)
  if (inside) return inside
  pattern.lastIndex = stop
  const next = pattern.exec(text)
  if (next) return [next[0]]
  if (!text.includes("\n")) return [text.includes("\r") ? "\r" : "\n"]
  return [text.charAt(text.lastIndexOf("\n") - 1) === "\r" ? "\r\n" : "\n"]
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}
