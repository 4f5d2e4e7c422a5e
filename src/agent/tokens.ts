import type { Content, Entry, Message, ToolCall } from "./message.ts"
import type { ModelRequest } from "./model.ts"

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
  const described = tools.map(({ name, description, schema }) => [name, description, schema])
  return tokensInText(instructions) + (tools.length > 0 ? tokensInText(JSON.stringify(described)) : 0)
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

function inContent(content: readonly Content[]): number {
  return content.reduce((sum, part) => sum + inPart(part), 0)
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

function inCall({ name, input, broken }: ToolCall): number {
  return FRAME + tokensInText(name) + tokensInText(broken ?? JSON.stringify(input) ?? "")
}
