/** The lines of a text that are most like those looked for. */
export interface Nearest {
  /** From 1. */
  line: number
  lines: readonly string[]
  /** In what they differ: in nothing but blanks, or signs that look alike. */
  differs: "words" | "blanks" | "signs"
}

/** Where somebody who quotes lines wrongly most likely means. Undefined if nothing is like them. Both texts with `\n`. */
export function nearestLines(text: string, wanted: string): Nearest | undefined {
  const asked = trimmedLines(wanted)
  const lines = text.split("\n", MOST_LINES)
  const squeezed = lines.map((line) => (line.length > LONGEST ? "" : squeeze(line)))
  const anchor = indexOfLongest(asked)
  const key = squeeze((asked[anchor] ?? "").slice(0, LONGEST))
  if (key === "") return undefined

  let best = { score: 0, at: -1 }
  const words = wordsOf(key)
  squeezed.forEach((line, at) => {
    const score = line === key ? 2 + agreement(squeezed, asked, at - anchor) : likeness(words, wordsOf(line))
    if (score > best.score) best = { score, at }
  })
  if (best.score < ALIKE) return undefined
  const from = Math.max(0, best.at - anchor)
  const found = lines.slice(from, from + asked.length)
  return { line: from + 1, lines: found, differs: difference(found, asked) }
}

function difference(found: readonly string[], asked: readonly string[]): Nearest["differs"] {
  if (found.map(squeeze).join("\n") !== asked.map(squeeze).join("\n")) return "words"
  return found.map(unspaced).join("\n") === asked.map(unspaced).join("\n") ? "blanks" : "signs"
}

/** Lines further down are not looked at. */
const MOST_LINES = 50_000
/** Characters. Nobody quotes a longer line, nor would it be shown. */
const LONGEST = 10_000
/** The share of words two lines must have in common to be worth showing. */
const ALIKE = 0.5

/** How many of the lines asked for are where they should be, as a share. */
function agreement(lines: readonly string[], asked: readonly string[], from: number): number {
  return asked.filter((line, at) => lines[from + at] === squeeze(line)).length / asked.length
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.match(/[\p{L}\p{M}\p{N}_]+/gu))
}

/** A line without what people don't see the difference of. */
function squeeze(line: string): string {
  return unspaced(line)
    .normalize("NFKC")
    .replaceAll(/[‘’‚‛]/g, "'")
    .replaceAll(/[“”„‟]/g, '"')
    .replaceAll(/[‐-―−]/g, "-")
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, "")
    .replaceAll(/\s+/g, " ")
}

function unspaced(line: string): string {
  return line.trim().replaceAll(/[ \t]+/g, " ")
}

/** Without empty lines at its ends. */
function trimmedLines(text: string): string[] {
  return text
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
    .split("\n")
}

function indexOfLongest(lines: readonly string[]): number {
  return lines.reduce((best, line, at) => (line.trim().length > lines[best]!.trim().length ? at : best), 0)
}
