import * as v from "valibot"
import type { Content } from "../agent/message.ts"
import type { Outcome } from "../agent/tool.ts"
import { embedded } from "../text/embedded.ts"
import { byteLength, cutEnd, RESULT_BYTES, sizeInWords } from "../text/truncate.ts"

/** Characters of Base64 that one picture or sound may have, and all of a result together. */
const MEDIA_CHARACTERS = 7_000_000
const ALL_MEDIA_CHARACTERS = 14_000_000
const LONGEST_ADDRESS = 4_000
/** Parts of a result that are looked at. */
const MOST_PARTS = 200

const TEXT = v.nullish(v.string())
const PART = v.looseObject({
  type: v.string(),
  text: TEXT,
  data: TEXT,
  mimeType: TEXT,
  uri: TEXT,
  name: TEXT,
  title: TEXT,
  description: TEXT,
  resource: v.nullish(v.looseObject({ uri: v.nullish(v.string(), ""), text: TEXT, blob: TEXT, mimeType: TEXT })),
})
type Part = v.InferOutput<typeof PART>

/** What came of a call, as the server says it: any part of it may be missing or odd. */
export interface RawResult {
  readonly [key: string]: unknown
}

/** A result in our words, within bounds; what is left out leaves a note in its place. */
export function outcomeOf(result: RawResult): Outcome {
  const given = Array.isArray(result["content"]) ? result["content"] : []
  const left = { text: RESULT_BYTES, media: ALL_MEDIA_CHARACTERS }
  const content = given.slice(0, MOST_PARTS).map((part) => partOf(part, left))
  if (given.length > MOST_PARTS) content.push(note(`${given.length - MOST_PARTS} more parts`))
  const structured = result["structuredContent"] ?? result["toolResult"]
  if (structured != null && !content.some(({ type }) => type === "text")) {
    content.push(bounded(JSON.stringify(structured, null, 2), left))
  }
  const isError = result["isError"] === true
  if (isError && content.length === 0) content.push({ type: "text", text: "The tool failed, and did not say why." })
  return { content, ...(isError && { failed: true as const }) }
}

interface Left {
  text: number
  media: number
}

function partOf(given: unknown, left: Left): Content {
  const { success, output: part } = v.safeParse(PART, given)
  if (!success) return note("a part that can't be read")
  switch (part.type) {
    case "text":
      return bounded(part.text ?? "", left)
    case "image":
    case "audio":
      return media(part.data, part.mimeType, `an ${part.type}`, left)
    case "resource_link":
      return part.uri && part.uri.length <= LONGEST_ADDRESS
        ? link(part, part.uri)
        : note("a link without a usable address")
    case "resource":
      return part.resource ? resource(part.resource, left) : note("a resource without content")
    default:
      return note(`a part of the unknown type "${part.type.slice(0, 40)}"`)
  }
}

function link({ name, title, description }: Part, uri: string): Content {
  const short = (text: string) => (text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)
  return {
    type: "link",
    uri,
    name: short(name || uri),
    ...(title && { title: short(title) }),
    ...(description && { description: short(description) }),
  }
}

function resource({ uri, text, blob, mimeType }: NonNullable<Part["resource"]>, left: Left): Content {
  if (text != null) {
    const inner = bounded(text, left)
    return { type: "text", text: embedded(cutEnd(uri, LONGEST_ADDRESS), inner.text) }
  }
  return media(blob, mimeType, `the binary resource ${cutEnd(uri, 200)}`, left)
}

const PICTURES = /^image\/(png|jpeg|jpg|gif|webp)$/i
const SOUNDS = /^audio\/[\w.+-]+$/i

function media(
  data: string | null | undefined,
  mimeType: string | null | undefined,
  what: string,
  left: Left,
): Content {
  if (!data) return note(`${what} without data`)
  const type = mimeType && PICTURES.test(mimeType) ? "image" : mimeType && SOUNDS.test(mimeType) ? "audio" : undefined
  if (!type || !mimeType) return note(`${what} (${mimeType ?? "of no type"})`)
  if (data.length > MEDIA_CHARACTERS || data.length > left.media)
    return note(`${what} of ${sizeInWords((data.length * 3) / 4)}: too large`)
  left.media -= data.length
  return { type, data, mimeType: mimeType.toLowerCase() === "image/jpg" ? "image/jpeg" : mimeType.toLowerCase() }
}

function bounded(text: string, left: Left): { type: "text"; text: string } {
  const bytes = byteLength(text)
  if (bytes <= left.text) {
    left.text -= bytes
    return { type: "text", text }
  }
  const kept = new TextDecoder()
    .decode(new TextEncoder().encode(text.slice(0, left.text)).subarray(0, left.text))
    .replace(/\ufffd$/, "")
  left.text = 0
  return {
    type: "text",
    text: `${kept}\n[left out: ${sizeInWords(bytes - byteLength(kept))} more; ask the tool for less at a time]`,
  }
}

function note(what: string): Content {
  return { type: "text", text: `[left out: ${what}]` }
}
