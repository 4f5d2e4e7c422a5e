/** What is not seen, or changes how what is beside it is seen: controls, and marks that turn the direction of a line. */
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g
const UNSEEN_BUT_LINES = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** A line in which everything can be seen, so that nobody agrees to what is not what it looks like. */
export function visible(line: string): string {
  return line.replaceAll(UNSEEN, escaped)
}

/** The same of a text whose lines stay lines. */
export function visibleLines(text: string): string {
  return text.replaceAll(UNSEEN_BUT_LINES, escaped)
}

function escaped(character: string): string {
  const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }
  const code = character.charCodeAt(0).toString(16)
  return names[character] ?? (code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`)
}
