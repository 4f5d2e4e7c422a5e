import type { Said } from "./said.ts"

const OPEN = /^\s*<(think|thinking|thought|reasoning)>/i
const CLOSE = /<\/(think|thinking|thought|reasoning)>/i
const OPEN_INSIDE = /<(think|thinking|thought|reasoning)>/i
const TAGS = ["think", "thinking", "thought", "reasoning"].flatMap((name) => [`<${name}>`, `</${name}>`])

/** A thought that its template opened and that is longer than this, in characters, is not taken back any more. */
const LONGEST_UNOPENED = 200_000

/**
 * Parts the thinking that some models write into their answer from the answer. Only a tag before the first visible
 * word opens a thought. A closing tag alone means that the prompt's template had opened it: all before was thought.
 */
export class ThinkTags {
  #state: "start" | "thinking" | "answer" = "start"
  #held = ""
  #depth = 0
  /** What came since the last closing tag while a nested one is open; undefined before any. */
  #sinceClose: string | undefined
  #thought = false
  /** The answer so far, as long as a closing tag may still turn it into a thought. */
  #answer: string | undefined = ""

  /** Reads a part of the content. Holds back no more than what may be a tag. */
  push(text: string): Said[] {
    const said: Said[] = []
    if (this.#state === "answer" && this.#held === "" && !text.includes("<")) {
      this.#answered(text, said) // most of what ever comes
      return said
    }
    let left = this.#held + text
    this.#held = ""
    while (left) {
      if (this.#state === "start") left = this.#begin(left)
      else if (this.#state === "thinking") left = this.#thinkOn(left, said)
      else left = this.#answerTo(left, said)
    }
    return said
  }

  /** The reply is over: what was held back was no tag. */
  end(): Said[] {
    const held = this.#held
    this.#held = ""
    if (this.#state === "start") return held.trim() ? [{ type: "text", delta: held }] : []
    if (this.#state === "answer") return held ? [{ type: "text", delta: held }] : []
    const thought: Said[] = held ? [{ type: "reasoning", delta: held }] : []
    const answer = ((this.#sinceClose ?? "") + held).trim() // the inner opening tag was but mentioned
    return this.#sinceClose !== undefined && answer ? [...thought, { type: "text", delta: answer }] : thought
  }

  /** Thoughts have come by a field of their own: a closing tag in the answer is only a word. */
  trustAnswer(): void {
    this.#answer = undefined
  }

  #begin(text: string): string {
    const open = OPEN.exec(text)
    if (open) {
      this.#state = "thinking"
      this.#depth = 1
      this.#answer = undefined
      return text.slice(open[0].length)
    }
    const visible = text.trimStart()
    if (visible === "" || mayBeTag(visible)) {
      this.#held = text
      return ""
    }
    this.#state = "answer"
    return this.#thought ? visible : text
  }

  #thinkOn(text: string, said: Said[]): string {
    const close = CLOSE.exec(text)
    const open = OPEN_INSIDE.exec(text)
    const tag = open && (!close || open.index < close.index) ? open : close
    if (!tag) {
      const end = heldFrom(text)
      this.#held = text.slice(end)
      this.#think(text.slice(0, end), said)
      return ""
    }
    this.#think(text.slice(0, tag.index), said)
    const rest = text.slice(tag.index + tag[0].length)
    if (tag === open) {
      this.#depth++
      return rest
    }
    this.#depth--
    if (this.#depth > 0) {
      this.#sinceClose = ""
      return rest
    }
    this.#state = "start" // a second thought may follow at once
    return rest
  }

  #think(part: string, said: Said[]): void {
    const delta = this.#thought ? part : part.trimStart()
    if (!delta) return
    this.#thought = true
    if (this.#sinceClose !== undefined) this.#sinceClose += delta
    said.push({ type: "reasoning", delta })
  }

  #answerTo(text: string, said: Said[]): string {
    if (this.#answer === undefined) {
      this.#answered(text, said)
      return ""
    }
    const close = CLOSE.exec(text)
    const thought = close ? this.#answer + text.slice(0, close.index) : ""
    if (close && !isQuoted(thought) && !opens(thought)) {
      if (thought.trim()) said.splice(0, said.length, { type: "restart" }, { type: "reasoning", delta: thought })
      this.#thought = true
      this.#answer = undefined
      this.#state = "start"
      return text.slice(close.index + close[0].length)
    }
    const end = close ? close.index + close[0].length : heldFrom(text)
    if (!close) this.#held = text.slice(end)
    this.#answered(text.slice(0, end), said)
    return close ? text.slice(end) : ""
  }

  #answered(delta: string, said: Said[]): void {
    if (!delta) return
    said.push({ type: "text", delta })
    if (this.#answer === undefined) return
    this.#answer += delta
    if (this.#answer.length > LONGEST_UNOPENED) this.#answer = undefined
  }
}

/** Where a tag may have begun that the next part would complete. */
function heldFrom(text: string): number {
  const at = text.lastIndexOf("<")
  return at >= 0 && mayBeTag(text.slice(at)) ? at : text.length
}

function mayBeTag(text: string): boolean {
  const lower = text.toLowerCase()
  return TAGS.some((tag) => tag.length > lower.length && tag.startsWith(lower))
}

/** A tag that was opened after the first visible word is closed there, and both are text. */
function opens(before: string): boolean {
  const at = before.search(OPEN_INSIDE)
  return at >= 0 && !isQuoted(before.slice(0, at))
}

/** Inside code the tag is but mentioned. */
function isQuoted(before: string): boolean {
  const fences = before.match(/^\s*```/gm)?.length ?? 0
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return fences % 2 === 1 || (line.match(/`/g)?.length ?? 0) % 2 === 1
}
