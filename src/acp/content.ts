import type { Content, Display } from "../agent/message.ts"

/** What a client is shown of content: the blocks that a prompt may hold, too. */
export function toBlock(part: Content): object {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textBlock(part.text)
    case "image":
    case "audio":
      return part
    case "link": {
      const { uri, name, title, description } = part
      return { type: "resource_link", uri, name, ...(title && { title }), ...(description && { description }) }
    }
  }
}

export function textBlock(text: string): { type: "text"; text: string } {
  return { type: "text", text }
}

/** What a tool call shows. */
export function toToolContent(display: readonly Display[]): object[] {
  return display.map((part) => {
    switch (part.type) {
      case "diff":
      case "terminal":
        return part
      default:
        return { type: "content", content: toBlock(part) }
    }
  })
}
