import type { AssistantMessage, Content, Message, ToolCall, ToolResult, UserMessage } from "../agent/message.ts"
import { textOf } from "../agent/message.ts"
import type { ModelRequest } from "../agent/model.ts"
import type { ToolSpec } from "../agent/tool.ts"
import type { Quirks } from "./quirks.ts"

/** A message as chat completions spell it. */
export type WireMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | WirePart[] }
  | { role: "assistant"; content: string | null; tool_calls?: WireCall[]; [reasoning: string]: unknown }
  | { role: "tool"; tool_call_id: string; content: string }

type WirePart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: string } }

interface WireCall {
  id: string
  type: "function"
  function: { name: string; arguments: string }
}

/** Which content a model takes besides text. */
export interface Takes {
  readonly image: boolean
  readonly audio: boolean
}

/**
 * The messages of a request. The same input gives the same bytes, and more of it only adds to the end, so that the
 * server's cache of what it has read holds.
 */
export function wireMessages({ instructions, messages }: ModelRequest, takes: Takes, quirks: Quirks): WireMessage[] {
  const wire: WireMessage[] = instructions ? [{ role: "system", content: instructions }] : []
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case "user":
        wire.push(wireUser(message, takes))
        break
      case "assistant":
        wire.push(...wireAssistant(message, quirks))
        if (messages[at + 1]?.role !== "tool") wire.push(...wireResults(message.calls, [], takes))
        break
      case "tool":
        wire.push(...wireResults(callsBefore(messages, at), message.results, takes))
    }
  }
  return quirks.alternating ? alternating(wire) : wire
}

/** The tools on offer; undefined for none, since some servers refuse an empty list. */
export function wireTools(tools: readonly ToolSpec[]): object[] | undefined {
  if (tools.length === 0) return undefined
  return tools.map(({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }))
}

function wireUser({ content }: UserMessage, takes: Takes): WireMessage {
  const parts = partsOf(content, takes)
  return { role: "user", content: parts.every((part) => part.type === "text") ? joined(parts) : parts }
}

/** An empty reply is never sent: strict servers refuse to read one. */
function wireAssistant({ content, calls }: AssistantMessage, quirks: Quirks): WireMessage[] {
  const text = textOf(content).toWellFormed()
  if (calls.length === 0) return text.trim() ? [{ role: "assistant", content: text }] : []
  return [
    {
      role: "assistant",
      content: text || quirks.noText,
      ...(quirks.reasoning === "echoed" && reasoningOf(content)),
      tool_calls: calls.map(wireCall),
    },
  ]
}

/** The thoughts, in the field in which they came. */
function reasoningOf(content: readonly Content[]): Record<string, string> {
  const thoughts = content.flatMap((part) => (part.type === "reasoning" ? [part] : []))
  const field = thoughts.find((part) => part.field !== undefined)?.field ?? "reasoning_content"
  return { [field]: thoughts.map(({ text }) => text).join("") }
}

/** Arguments are valid JSON, whatever the model wrote: servers parse what they are sent. */
function wireCall({ id, name, input, broken }: ToolCall): WireCall {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input)
  const args = isObject && broken === undefined ? JSON.stringify(input) : "{}"
  return { id, type: "function", function: { name, arguments: args } }
}

function callsBefore(messages: readonly Message[], at: number): readonly ToolCall[] {
  const reply = messages[at - 1]
  return reply?.role === "assistant" ? reply.calls : []
}

/** One result for each call, in their order, whatever the transcript has lost; then what tools can't carry. */
function wireResults(calls: readonly ToolCall[], results: readonly ToolResult[], takes: Takes): WireMessage[] {
  const found = calls.map(({ id }) => ({ id, content: results.find((result) => result.id === id)?.content ?? LOST }))
  const wire: WireMessage[] = found.map(({ id, content }) => {
    const parts = partsOf(content, takes).map((part) => (part.type === "text" ? part : ATTACHED))
    return { role: "tool", tool_call_id: id, content: joined(parts) || "(no output)" }
  })
  const media = found.flatMap(({ content }) => partsOf(content, takes).filter((part) => part.type !== "text"))
  if (media.length === 0) return wire
  return [...wire, { role: "user", content: [{ type: "text", text: "What the tool returned:" }, ...media] }]
}

const LOST: Content[] = [{ type: "text", text: "The call was interrupted. It may have taken effect." }]
const ATTACHED: WirePart = { type: "text", text: "(See the next message.)" }

function partsOf(content: readonly Content[], takes: Takes): WirePart[] {
  return content.flatMap((part): WirePart[] => {
    switch (part.type) {
      case "text":
        return part.text ? [{ type: "text", text: part.text.toWellFormed() }] : [] // strict servers refuse half characters
      case "image":
        if (!takes.image) return [leftOut("An image", part.mimeType)]
        return [{ type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } }]
      case "audio": {
        const format = AUDIO.get(part.mimeType)
        if (!takes.audio || !format) return [leftOut("A sound", part.mimeType)]
        return [{ type: "input_audio", input_audio: { data: part.data, format } }]
      }
      case "link":
        return [{ type: "text", text: linkText(part) }]
      case "reasoning":
        return []
    }
  })
}

const AUDIO: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
])

function leftOut(what: string, mimeType: string): WirePart {
  return { type: "text", text: `[${what} (${mimeType}) was left out: this model does not take it.]` }
}

function linkText({ uri, name, title, description }: Extract<Content, { type: "link" }>): string {
  const more = [title === name ? undefined : title, description].filter(Boolean).join(": ")
  return `[@${name}](${uri})${more && ` (${more})`}`
}

/** As one text. A link stands in its sentence; other parts begin on a line of their own. */
function joined(parts: readonly WirePart[]): string {
  let text = ""
  for (const part of parts) {
    if (part.type !== "text") continue
    const apart = text !== "" && !/\s$/.test(text) && !/^\s/.test(part.text) && !isLink(part.text) && !endsInLink(text)
    text += (apart ? "\n\n" : "") + part.text
  }
  return text
}

const isLink = (text: string) => text.startsWith("[@")
const endsInLink = (text: string) => /\]\([^)\n]*\)$/.test(text)

/** For servers whose template wants user and assistant in turn: neighbours become one, and a word parts tool from user. */
function alternating(wire: readonly WireMessage[]): WireMessage[] {
  const turns: WireMessage[] = []
  for (const message of wire) {
    const last = turns.at(-1)
    if (message.role === "user" && last?.role === "user") {
      turns[turns.length - 1] = { role: "user", content: merged(last.content, message.content) }
      continue
    }
    if (message.role === "user" && last?.role === "tool")
      turns.push({ role: "assistant", content: "I have read the results." })
    turns.push(message)
  }
  return turns
}

function merged(first: string | WirePart[], second: string | WirePart[]): string | WirePart[] {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`
  return [first, second].flatMap((content): WirePart[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  )
}
