/** Longest unfinished line that is held back to see whether a carriage return takes it away. */
const LONGEST_LINE = 16_384

/** Longest piece of an escape sequence that is held back until its end comes. */
const LONGEST_ESCAPE = 4_096

const ESCAPE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P^_X][^\x1b]*\x1b\\|[ -/]*[0-OQ-WYZ\\`-~])/g

/** The beginning of an escape sequence at the end of a piece. */
const CUT_ESCAPE = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[P^_X][^\x1b]*\x1b?|[ -/]*)$/

/** All that a terminal obeys and does not show, but tab, line feed, carriage return and backspace. */
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * Makes plain text of what a program prints for a terminal, piece by piece: colours and cursor moves are gone, and of a
 * line that was written over only its last state is left.
 */
export class TerminalText {
  #line = ""
  #cut = ""

  /** Answers with what is now certain to stay: the lines that are finished. */
  add(piece: string): string {
    const text = this.#line + this.#withoutEscapes(this.#cut + piece)
    const end = text.lastIndexOf("\n") + 1
    const finished = end === 0 ? "" : overwritten(text.slice(0, end))
    const open = openLine(text.slice(end))
    const tooLong = open.length > LONGEST_LINE
    this.#line = tooLong ? "" : open
    return tooLong ? finished + shown(open) : finished
  }

  /** The line that is not finished, as it is now. */
  get line(): string {
    return shown(this.#line)
  }

  #withoutEscapes(text: string): string {
    this.#cut = ""
    if (!text.includes("\x1b")) return text.replace(CONTROLS, "")
    const at = text.search(CUT_ESCAPE)
    const cut = at >= 0 && text.length - at <= LONGEST_ESCAPE ? at : text.length
    this.#cut = text.slice(cut)
    return text.slice(0, cut).replace(ESCAPE, "").replace(CONTROLS, "")
  }
}

/** Plain text of what was printed for a terminal, once all of it is there. */
export function plainText(printed: string): string {
  const text = new TerminalText()
  return text.add(printed) + text.line
}

function overwritten(text: string): string {
  if (!text.includes("\r") && !text.includes("\b")) return text
  return text.split("\n").map(shown).join("\n")
}

/** What a terminal would show of one line. */
function shown(line: string): string {
  const end = line.slice(0, endWithoutReturns(line))
  const last = end.slice(end.lastIndexOf("\r") + 1)
  return last.includes("\b") ? backspaced(last) : last
}

/** The part of an unfinished line that still counts; carriage returns at its end may yet be part of a line end. */
function openLine(line: string): string {
  const end = endWithoutReturns(line)
  const before = end === 0 ? -1 : line.lastIndexOf("\r", end - 1)
  return before < 0 ? line : line.slice(before + 1)
}

function endWithoutReturns(line: string): number {
  let end = line.length
  while (end > 0 && line[end - 1] === "\r") end--
  return end
}

function backspaced(line: string): string {
  const kept: string[] = []
  for (const character of line) {
    if (character === "\b") kept.pop()
    else kept.push(character)
  }
  return kept.join("")
}
