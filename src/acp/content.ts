import * as v from "valibot"
import type { Content, Display } from "../agent/message.ts"
import { embedded, embeddedIn } from "../text/embedded.ts"
import { cutEnd } from "../text/truncate.ts"

const TEXT = v.nullish(v.string())
const RESOURCE = v.looseObject({ uri: v.string(), text: TEXT, blob: TEXT, mimeType: TEXT })
const TYPES = ["text", "image", "audio", "resource", "resource_link"]
/** A content block of a type that we know: what each type needs is asked of it when it is read. */
const KNOWN = v.looseObject({
  type: v.string(),
  text: TEXT,
  data: TEXT,
  mimeType: TEXT,
  uri: TEXT,
  name: TEXT,
  title: TEXT,
  description: TEXT,
  resource: v.nullish(RESOURCE),
})

/** Of a type that we do not know no more is known. */
const OTHER = v.pipe(
  v.looseObject({ type: v.string() }),
  v.transform(({ type }): v.InferOutput<typeof KNOWN> => ({ type })),
)

/** The blocks of a prompt. At least one of them says something. */
export const BLOCKS = v.pipe(
  v.array(v.lazy((block) => (TYPES.includes((block as Partial<Block> | null)?.type ?? "text") ? KNOWN : OTHER))),
  v.check((blocks) => blocks.some(saysSomething), "is empty: nothing is asked"),
)

type Block = v.InferOutput<typeof KNOWN>

function saysSomething({ type, text }: Block): boolean {
  return type !== "text" || (text ?? "").trim() !== ""
}

/** What a prompt says, in our words; what we can't read leaves a note where it stood. */
export function fromBlocks(blocks: readonly Block[]): Content[] {
  return blocks.map(fromBlock)
}

function fromBlock(block: Block): Content {
  const { type, text, data, mimeType, uri, name, title, description, resource } = block
  switch (type) {
    case "text":
      return { type, text: text ?? "" }
    case "image":
    case "audio":
      return data && mimeType ? { type, data, mimeType } : note(`an ${type} without data`)
    case "resource_link":
      if (!uri) return note("a link without an address")
      return { type: "link", uri, name: name ?? uri, ...(title && { title }), ...(description && { description }) }
    case "resource":
      return resource ? fromResource(resource) : note("a resource without content")
    default:
      return note(`a block of the unknown type "${type}"`)
  }
}

function fromResource({ uri, text, blob, mimeType }: v.InferOutput<typeof RESOURCE>): Content {
  if (text != null) return { type: "text", text: embedded(uri, text) }
  if (blob && mimeType?.startsWith("image/")) return { type: "image", data: blob, mimeType }
  if (blob && mimeType?.startsWith("audio/")) return { type: "audio", data: blob, mimeType }
  return note(`the binary resource ${uri}`)
}

/** What the model reads of a prompt and the client is not shown, apart from what stands before it. */
export function hidden(content: Content, gap: string): Content {
  if (content.type === "text") return { ...content, text: gap + content.text, hidden: true }
  return content.type === "image" ? { ...content, hidden: true } : content
}

function note(what: string): Content {
  return { type: "text", text: `[left out: ${what}]` }
}

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

/** The same of what a user has said: what was embedded in it stands apart from the words. */
export function toPromptBlock(part: Content): object {
  const resource = part.type === "text" ? embeddedIn(part.text) : undefined
  return resource ? { type: "resource", resource } : toBlock(part)
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

/** Characters of a call's arguments that are shown as they are: some clients give up at 10 MB a message. */
const MOST_SHOWN = 200_000

/** The arguments of a call as clients are shown them: of very big ones the beginning of each text and list. */
export function shownInput(input: unknown): unknown {
  const json = JSON.stringify(input)
  if (json === undefined || json.length <= MOST_SHOWN) return input
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string") return cutEnd(value, 1000)
    return Array.isArray(value) ? value.slice(0, 100) : value
  })
}
