/** One event of a stream that is ours to read. */
export interface Payload {
  data: string
  /** The event's name, where it has one. */
  event?: string
}

/** The most that we keep of what is no event, in characters: an error page, or a body that was not streamed. */
const LONGEST_REST = 1_000_000

/**
 * Reads server-sent events as they are found in the wild: any line end, any cut, events without the empty line between
 * them. Each line of data that is whole JSON is a payload; others are joined until they are.
 */
export class EventStream {
  readonly #decoder = new TextDecoder()
  #line = ""
  #event: string | undefined
  #partial = ""
  /** What came and was no event. */
  rest = ""

  /** The payloads that this part of the stream completes. Comments are life, and say nothing. */
  push(bytes: Uint8Array): Payload[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** What a stream leaves that ends without a line end. */
  end(): Payload[] {
    const payloads = this.#read(`${this.#decoder.decode()}\n`)
    this.#flush(payloads)
    return payloads
  }

  #read(text: string): Payload[] {
    const payloads: Payload[] = []
    let all = this.#line + text
    if (all.includes("\r")) {
      // a CR at the very end may be half of a CRLF
      const held = all.endsWith("\r") ? "\r" : ""
      all = all.slice(0, all.length - held.length).replace(/\r\n?/g, "\n") + held
    }
    let from = 0
    for (let at = all.indexOf("\n"); at >= 0; at = all.indexOf("\n", from)) {
      this.#take(all.slice(from, at), payloads)
      from = at + 1
    }
    this.#line = all.slice(from)
    return payloads
  }

  #take(line: string, payloads: Payload[]): void {
    if (line.startsWith("data:")) {
      const data = line.slice(line[5] === " " ? 6 : 5)
      if (this.#partial) this.#partial += `\n${data}`
      else if (isWhole(data)) payloads.push(this.#payload(data))
      else this.#partial = data
      if (this.#partial.includes("\n") && isJson(this.#partial)) this.#flush(payloads)
      return
    }
    if (line === "") {
      this.#flush(payloads)
      this.#event = undefined
    } else if (line.startsWith("event:")) this.#event = line.slice(6).trim()
    else if (!/^(:|id:|retry:)/.test(line) && this.rest.length < LONGEST_REST) this.rest += `${line}\n`
  }

  #flush(payloads: Payload[]): void {
    if (this.#partial.trim()) payloads.push(this.#payload(this.#partial))
    this.#partial = ""
  }

  #payload(data: string): Payload {
    return this.#event === undefined ? { data } : { data, event: this.#event }
  }
}

/** By its ends only: what is whole is parsed once, by whoever reads it. */
function isWhole(data: string): boolean {
  const text = data.trimEnd()
  return (text.startsWith("{") && text.endsWith("}")) || text === "[DONE]"
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
