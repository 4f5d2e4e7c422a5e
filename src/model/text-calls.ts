import type { Said } from "./said.ts"

/** A call that a model wrote into its answer, where it should have made it. */
export interface TextCall {
  name: string
  /** The arguments as written: JSON, as far as it came. */
  args: string
}

/**
 * Finds calls written as text: `<tool_call>`, `<function=…>`, and JSON, fenced or not, that is the whole answer. They are
 * calls only if nothing but calls follows, and each names a tool we have; what is merely quoted stays text. Holds text
 * back only as long as it may be a call.
 */
export class TextCalls {
  readonly #tools: ReadonlySet<string>
  /** What was let through, as far as it tells where a line begins and whether code is open. */
  #line = ""
  #fenced = false
  #blank = true
  #held = ""

  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  push(said: readonly Said[]): readonly Said[] {
    if (this.#tools.size === 0 || said.length === 0) return said
    return said.length === 1 ? this.#part(said[0]!) : said.flatMap((part) => this.#part(part))
  }

  #part(part: Said): Said[] {
    if (part.type === "text") return this.#text(part.delta)
    if (part.type === "restart") this.#forget()
    return [part]
  }

  /** The reply is over: what is still held back is calls, or text after all. `made`: it made real calls. */
  end(made: boolean): { said: Said[]; calls: TextCall[] } {
    const held = this.#held
    this.#forget()
    const calls = made ? undefined : callsIn(held, this.#tools)
    if (calls) return { said: [], calls }
    return { said: held ? [{ type: "text", delta: held }] : [], calls: [] }
  }

  #text(delta: string): Said[] {
    if (this.#held === "" && !this.#blank && !delta.includes("\n") && this.#line.trim()) {
      if (this.#line.length < 200) this.#line += delta // in the middle of a line, as most
      return [{ type: "text", delta }]
    }
    let text = this.#held + delta
    this.#held = ""
    let out = ""
    while (text) {
      const at = this.#opening(text)
      this.#pass(text.slice(0, at))
      out += text.slice(0, at)
      text = text.slice(at)
      if (!text || this.#mayBecomeCalls(text)) break
      this.#pass(text[0]!) // not a call: its first character leads to the next place where one may begin
      out += text[0]
      text = text.slice(1)
    }
    this.#held = text
    return out ? [{ type: "text", delta: out }] : []
  }

  /** Where the first call may begin: at the begin of a line, outside of code. */
  #opening(text: string): number {
    let from = 0
    let { line, fenced, blank } = { line: this.#line, fenced: this.#fenced, blank: this.#blank }
    for (;;) {
      const end = text.indexOf("\n", from)
      const piece = end < 0 ? text.slice(from) : text.slice(from, end)
      const begin = from + (piece.length - piece.trimStart().length)
      const starts = line.trim() === "" && piece.trim() !== ""
      if (starts && !fenced && (text[begin] === "<" || (blank && /[`{]/.test(text[begin]!)))) return begin
      if (end < 0) return text.length
      if ((line + piece).trimStart().startsWith("```")) fenced = !fenced
      if ((line + piece).trim()) blank = false
      line = ""
      from = end + 1
    }
  }

  #pass(text: string): void {
    for (const [at, piece] of text.split("\n").entries()) {
      if (at > 0) {
        if (this.#line.trimStart().startsWith("```")) this.#fenced = !this.#fenced
        this.#line = ""
      }
      if (this.#line.length < 200) this.#line += piece
      if (piece.trim()) this.#blank = false
    }
  }

  #mayBecomeCalls(text: string): boolean {
    return mayBe(text, this.#tools)
  }

  #forget(): void {
    this.#held = ""
    this.#line = ""
    this.#fenced = false
    this.#blank = true
  }
}

const XML_BEGINNINGS = ["<tool_call>", "<function=", "<function_call>"]

/** Whether a text that is still being written may turn out to be nothing but calls. */
function mayBe(text: string, tools: ReadonlySet<string>): boolean {
  if (XML_BEGINNINGS.some((tag) => tag.startsWith(text))) return true
  if (XML_BEGINNINGS.some((tag) => text.startsWith(tag))) {
    const rest = withoutWholeCalls(text)
    return rest === "" || XML_BEGINNINGS.some((tag) => tag.startsWith(rest) || rest.startsWith(tag))
  }
  const fence = /^`{1,3}$|^```[a-z_]*$|^```(?:json|tool_call|tool_code)?\s*(?=\{|$)/i.exec(text)
  if (fence && fence[0] === text) return true
  const json = fence ? text.slice(fence[0].length) : text
  return json.startsWith("{") && mayNameTool(json, tools) && /^[\s`]*$/.test(afterJson(json) ?? "")
}

/** `{"name": "read_file"` so far, or the whole of it. */
function mayNameTool(json: string, tools: ReadonlySet<string>): boolean {
  const begin = json.replace(/\s+/g, "")
  const wanted = '{"name":"'
  if (begin.length <= wanted.length) return wanted.startsWith(begin)
  if (!begin.startsWith(wanted)) return false
  const [name = "", closed] = begin.slice(wanted.length).split('"', 2)
  return closed === undefined ? [...tools].some((tool) => tool.startsWith(name)) : tools.has(name)
}

function withoutWholeCalls(text: string): string {
  return text.replace(/<(tool_call|function_call)>[\s\S]*?<\/\1>\s*|<function=[\s\S]*?<\/function>\s*/g, "").trimStart()
}

/** What follows the first whole JSON object of a text; undefined while it is not whole. */
function afterJson(text: string): string | undefined {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted && char === "\\") at++
    else if (char === '"') quoted = !quoted
    else if (!quoted && char === "{") depth++
    else if (!quoted && char === "}" && --depth === 0) return text.slice(at + 1)
  }
  return undefined
}

/** The calls that a text consists of; undefined if it is anything else. */
function callsIn(text: string, tools: ReadonlySet<string>): TextCall[] | undefined {
  let rest = text.trim()
  const calls: TextCall[] = []
  while (rest) {
    const part =
      /^<(tool_call|function_call)>([\s\S]*?)(?:<\/\1>|$)|^<function=[\s\S]*?(?:<\/function>|$)|^```[a-z_]*([\s\S]*?)(?:```|$)|^\{[\s\S]*$/i.exec(
        rest,
      )
    if (!part) return undefined
    const call = callIn((part[2] ?? part[3] ?? part[0]).trim())
    if (!call || !tools.has(call.name)) return undefined
    calls.push(call)
    rest = rest.slice(part[0].length).trim()
  }
  return calls.length > 0 ? calls : undefined
}

function callIn(text: string): TextCall | undefined {
  const xml = /^<function=([^>\s]+)>([\s\S]*)$/.exec(text)
  if (xml) {
    const parameters = [...xml[2]!.matchAll(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g)]
    return { name: xml[1]!, args: JSON.stringify(Object.fromEntries(parameters.map(([, key, value]) => [key, value]))) }
  }
  const name = /^\{\s*"name"\s*:\s*"([^"]+)"/.exec(text)?.[1]
  if (name === undefined) return undefined
  try {
    const { arguments: args, parameters } = JSON.parse(text) as { arguments?: unknown; parameters?: unknown }
    const input = args ?? parameters ?? {}
    return { name, args: typeof input === "string" ? input : JSON.stringify(input) }
  } catch {
    return { name, args: text.slice(text.indexOf(":", text.indexOf(",")) + 1).trim() } // cut: the loop says so to the model
  }
}
