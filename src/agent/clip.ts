import type { Content, Message } from "./message.ts"

/** Under so many characters a picture is left out too. */
const NO_MEDIA = 2000

/**
 * Shortens, to so many characters each, what tools brought, what the links of prompts led to, and all words of the
 * user's but the latest. What the model itself said stays.
 */
export function clipMessages(messages: readonly Message[], most: number): Message[] {
  const latest = messages.findLastIndex((message) => message.role === "user" && !message.hidden)
  return messages.map((message, at) => {
    switch (message.role) {
      case "tool": {
        const results = message.results.map((result) => ({ ...result, content: clipContent(result.content, most) }))
        return { ...message, results }
      }
      case "user": {
        const content = message.content.map((part) => (at !== latest || isHidden(part) ? clipPart(part, most) : part))
        return { ...message, content }
      }
      case "assistant":
        return message
    }
  })
}

/** The beginning and the end of a text that is longer than so many characters, and between them what is missing. */
export function clipText(text: string, most: number): string {
  if (text.length <= most) return text
  const begin = text.slice(0, Math.ceil((most * 2) / 3)).toWellFormed()
  const end = text.slice(text.length - Math.floor(most / 3)).toWellFormed()
  return `${begin}\n… (${text.length - most} characters left out to save room) …\n${end}`
}

function clipContent(content: readonly Content[], most: number): Content[] {
  return content.map((part) => clipPart(part, most))
}

function clipPart(part: Content, most: number): Content {
  if (part.type === "text") return { ...part, text: clipText(part.text, most) }
  const isMedia = part.type === "image" || part.type === "audio"
  return isMedia && most < NO_MEDIA ? { type: "text", text: `(${part.type} left out to save room)` } : part
}

function isHidden(part: Content): boolean {
  return "hidden" in part && part.hidden === true
}
