import { TerminalText } from "../text/terminal-text.ts"
import type { OutputFile } from "./output-file.ts"

/** Characters that are shown of the beginning and of the end of a long output. */
const HEAD = 8_000
const TAIL = 22_000

/** How far a cut may move to fall between two lines. */
const SLACK = 1_000

/** What a command prints, as plain text: its beginning and its end, however much there is between them. */
export class CommandOutput {
  readonly #file: OutputFile
  readonly #text = new TerminalText()
  #head = ""
  #tail = ""
  /** Characters that are in finished lines. */
  #total = 0
  /** Of them, those that `fresh` has given out. */
  #read = 0
  /** The unfinished line as `fresh` gave it out. */
  #readLine = ""
  #note = ""

  constructor(file: OutputFile) {
    this.#file = file
  }

  async add(printed: string): Promise<void> {
    const settled = this.#text.add(printed)
    if (settled === "") return
    const wasWhole = this.#total <= HEAD + TAIL
    const before = wasWhole ? this.#head + this.#tail : ""
    this.#total += settled.length
    const fits = this.#tail === "" ? safeCut(settled, Math.max(0, HEAD - this.#head.length)) : 0
    this.#head += settled.slice(0, fits)
    this.#tail = settled.length - fits > 2 * TAIL ? settled.slice(fits) : this.#tail + settled.slice(fits)
    if (this.#tail.length > 2 * TAIL) this.#tail = this.#tail.slice(safeCut(this.#tail, this.#tail.length - TAIL))
    if (this.#total > HEAD + TAIL) await this.#file.add(before + settled)
  }

  /** Something of the output was lost before it came here. */
  lost(note: string): void {
    this.#note = note
  }

  /** All of it, cut in the middle if it is long. */
  async text(): Promise<string> {
    const line = this.#text.line
    if (this.#total + line.length <= HEAD + TAIL) return this.#noted(this.#head + this.#tail + line)
    await this.#file.save()
    const head = backToLine(this.#head)
    const tail = endOf(this.#tail + line, TAIL)
    return this.#noted(`${head}${this.#gap(this.#total + line.length - head.length - tail.length)}${tail}`)
  }

  /** Whether anything came since `fresh` was asked for last. */
  get hasFresh(): boolean {
    return this.#read < this.#total || this.#readLine !== this.#text.line
  }

  /** What came since it was asked for last, cut at its beginning if it is long. */
  async fresh(): Promise<string> {
    const line = this.#text.line
    const kept = this.#kept()
    const from = this.#read - (this.#total - kept.length)
    const first = this.#read === 0 && this.#readLine === ""
    const whole = first ? await this.text() : await this.#since(kept, from, line)
    this.#read = this.#total
    this.#readLine = line
    return whole
  }

  /** The last of it, for who follows it. */
  end(characters: number): string {
    return endOf(this.#kept() + this.#text.line, characters)
  }

  async #since(kept: string, from: number, line: string): Promise<string> {
    const all = kept.slice(Math.max(0, from)) + line
    const unread = all.startsWith(this.#readLine) ? all.slice(this.#readLine.length) : all
    const missing = Math.max(0, -from)
    if (missing === 0 && unread.length <= HEAD + TAIL) return unread
    await this.#file.save()
    const tail = endOf(unread, TAIL)
    return `${this.#gap(missing + unread.length - tail.length)}${tail}`
  }

  /** The finished lines that are still here, without a gap, up to the last. */
  #kept(): string {
    return this.#head.length + this.#tail.length === this.#total ? this.#head + this.#tail : this.#tail
  }

  #gap(characters: number): string {
    const where = this.#file.where
    return `[… ${characters.toLocaleString("en")} characters are left out here${where ? `; ${where}` : ""} …]\n`
  }

  #noted(text: string): string {
    return this.#note ? `[${this.#note}]\n${text}` : text
  }
}

/** The end of a text, from the beginning of a line if one is near. */
export function endOf(text: string, characters: number): string {
  if (text.length <= characters) return text
  const end = text.slice(safeCut(text, text.length - characters))
  const line = end.indexOf("\n") + 1
  return line > 0 && line <= SLACK && line < end.length ? end.slice(line) : end
}

function backToLine(text: string): string {
  const line = text.lastIndexOf("\n") + 1
  return line > text.length - SLACK ? text.slice(0, line) : `${text}\n`
}

/** A place at or before `at` that is not within a character. */
function safeCut(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(0, at), text.length)
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
