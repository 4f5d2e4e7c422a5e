import { plain, splice, toNewlines } from "./line-ends.ts"
import { type Nearest, nearestLines } from "./nearest.ts"

/** What is to be put in place of what. */
export interface Replacement {
  old: string
  new: string
  /** Every place where it stands, not the only one. */
  all: boolean
}

export interface Replaced {
  text: string
  /** Where it was done, by lines from 1. */
  lines: readonly number[]
}

/**
 * Replaces words for words: nothing in them has a meaning, and line ends match any other. All else stays as it is, to
 * the character. Throws an Error that helps to say it better; `name` is what the text is called in it.
 */
export function replaceText(text: string, replacement: Replacement, name: string): Replaced {
  const [wanted, put] = [replacement.old, replacement.new].map((part) => part.replaceAll("\r\n", "\n")) as [
    string,
    string,
  ]
  if (wanted === "") throw new Error(`old_string is empty, and ${name} exists. Give the text to replace.`)
  if (wanted === put) throw new Error("old_string and new_string are the same; there is nothing to change.")
  if (!put.isWellFormed()) throw new Error("new_string holds half a character (a lone surrogate); write the whole one.")

  const old = plain(text)
  const places = replacement.all
    ? placesOf(old.text, wanted, wanted.length)
    : placesOf(old.text, wanted, 1, MOST_COUNTED)
  if (places.length === 0) throw new Error(notFound(old.text, wanted, put, name))
  const lines = linesAt(old.text, places)
  if (places.length > 1 && !replacement.all) {
    throw new Error(
      `old_string occurs ${places.length} times${places.length === MOST_COUNTED ? " or more" : ""} in ${name}, on lines ${listed(lines)}. ` +
        "Add the lines around the one that is meant, or set replace_all.",
    )
  }
  const parts = places.map((start) => ({ start, end: start + wanted.length, put }))
  return { text: splice(old, parts), lines }
}

/** `3, 9 and 12`; of very many the first. */
export function listed(lines: readonly number[]): string {
  if (lines.length > MOST_LISTED)
    return `${lines.slice(0, MOST_LISTED).join(", ")} and ${lines.length - MOST_LISTED} more`
  return lines.length < 2 ? lines.join("") : `${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`
}

const MOST_LISTED = 20
/** Of what should be there once. */
const MOST_COUNTED = 1_000
/** Lines shown of the nearest match. */
const MOST_SHOWN = 15

function placesOf(text: string, wanted: string, step: number, most = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && places.length < most; at = text.indexOf(wanted, at + step)) {
    places.push(at)
  }
  return places
}

function linesAt(text: string, places: readonly number[]): number[] {
  let [line, from] = [1, 0]
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) {
      line++
      from = at + 1
    }
    return line
  })
}

function notFound(text: string, wanted: string, put: string, name: string): string {
  if (wanted.includes("\uFFFD") && !text.isWellFormed()) {
    return (
      `old_string is not in ${name}: \uFFFD stands there for bytes that are not in its encoding, and can't be quoted. ` +
      "Quote only what is beside them."
    )
  }
  const done = applied(text, put)
  const near = nearestLines(text, wanted)
  if (done !== undefined && !(near && (done < near.line || done >= near.line + near.lines.length))) {
    return `old_string is not in ${name}, but new_string is, on line ${done}: the edit seems to be applied already.`
  }
  if (!near) return `old_string is not in ${name}, nor anything like it. Read the file and copy the text as it is.`
  const shown = near.lines.slice(0, MOST_SHOWN).map((line) => line.slice(0, 300).toWellFormed())
  const last = near.line + shown.length - 1
  const where = last > near.line ? `Lines ${near.line}–${last} are` : `Line ${near.line} is`
  const known = done === undefined ? "" : ` new_string is there already, on line ${done}.`
  return `old_string is not in ${name}.${known} ${where} the nearest${DIFFERS[near.differs]}:\n${shown.join("\n")}`
}

const DIFFERS: Readonly<Record<Nearest["differs"], string>> = {
  words: "",
  blanks: ", different only in spaces, tabs or empty lines",
  signs: ", different only in signs that look alike (quotes, dashes, composed accents, unusual spaces)",
}

/** The line on which the new text stands as if it had been put there, and is no part of other words by chance. */
function applied(text: string, put: string): number | undefined {
  if (!WORD.test(put)) return undefined
  const [first, last] = [put.charAt(0), put.charAt(put.length - 1)]
  const joins = (a: string, b: string) => WORD.test(a) && WORD.test(b)
  const place = placesOf(text, put, 1, MOST_COUNTED).find(
    (at) => !joins(text.charAt(at - 1), first) && !joins(last, text.charAt(at + put.length)),
  )
  return place === undefined ? undefined : linesAt(text, [place])[0]
}

const WORD = /[\p{L}\p{N}_]/u

/** How many lines a text has, as people count them. */
export function countLines(text: string): number {
  if (text === "") return 0
  const lines = toNewlines(text)
  return lines.split("\n").length - (lines.endsWith("\n") ? 1 : 0)
}
