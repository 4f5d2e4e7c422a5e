import type { Content, Entry, Message, ToolCall } from "./message.ts"
import type { ModelRequest } from "./model.ts"
import type { ToolSpec } from "./tool.ts"

/** Bytes to a token, in any script. Rather too few than too many, so that we count too much and not too little. */
const BYTES = 3.3
/** What a picture or a sound costs, whatever its size. */
const MEDIA = 1500
/** What surrounds a message, or a call. */
const FRAME = 6

/** About how many tokens a model makes of a text. */
export function tokensInText(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x800) bytes += 2
    else if (code >= 0x80) bytes++
  }
  return Math.ceil(bytes / BYTES)
}

/** About how many tokens a request takes beside its messages: the instructions and the tools. */
export function tokensBeside({ instructions, tools }: ModelRequest): number {
  return tokensInText(instructions) + tools.reduce((sum, tool) => sum + inTool(tool), 0)
}

/** About how many tokens these take, as messages or as entries. */
export function tokensIn(said: readonly (Message | Entry)[]): number {
  return said.reduce((sum, item) => sum + FRAME + tokensInOne(item), 0)
}

function tokensInOne(item: Message | Entry): number {
  switch (item.role) {
    case "user":
    case "result":
      return inContent(item.content)
    case "assistant":
      return inContent(item.content) + item.calls.reduce((sum, call) => sum + inCall(call), 0)
    case "tool":
      return item.results.reduce((sum, { content }) => sum + FRAME + inContent(content), 0)
    case "report":
    case "summary":
      return tokensInText(item.text)
    case "returned":
      return 0
  }
}

/** A long conversation is counted at every step, and nothing in it changes: each part is counted once. */
const counted = new WeakMap<object, number>()

function once<Part extends object>(part: Part, count: (part: Part) => number): number {
  const before = counted.get(part)
  if (before !== undefined) return before
  const tokens = count(part)
  counted.set(part, tokens)
  return tokens
}

function inTool(tool: ToolSpec): number {
  return once(tool, ({ name, description, schema }) => tokensInText(JSON.stringify([name, description, schema])))
}

function inContent(content: readonly Content[]): number {
  return once(content, () => content.reduce((sum, part) => sum + inPart(part), 0))
}

function inPart(part: Content): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return tokensInText(part.text)
    case "link":
      return tokensInText(`${part.uri}${part.name}${part.description ?? ""}`)
    case "image":
    case "audio":
      return MEDIA
  }
}

function inCall(call: ToolCall): number {
  return once(
    call,
    ({ name, input, broken }) => FRAME + tokensInText(name) + tokensInText(broken ?? JSON.stringify(input) ?? ""),
  )
}
