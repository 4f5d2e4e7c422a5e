import { cutEnd, linesWithin } from "./truncate.ts"

/** A part of a text, as much of it as may be shown. */
export interface Excerpt {
  text: string
  /** The last line of it, from 1. */
  last: number
  /** Some of its lines were too long to be shown whole. */
  cut: boolean
}

/** Lines of a text at most, in one answer. */
export const MOST_LINES = 2_000

/** Characters shown of one line. */
const MOST_OF_LINE = 2_000

/** So many lines from one on (the first is 1), within so many bytes. */
export function excerpt(lines: readonly string[], first: number, count: number, bytes: number): Excerpt {
  const wanted = lines.slice(first - 1, first - 1 + Math.min(count, MOST_LINES))
  const cut = wanted.map((line) => cutEnd(line, MOST_OF_LINE))
  const fit = linesWithin(cut, bytes)
  return {
    text: cut.slice(0, fit).join("\n"),
    last: first - 1 + fit,
    cut: wanted.slice(0, fit).some((line) => line.length > MOST_OF_LINE),
  }
}
