import type { Content } from "../agent/message.ts"
import { embedded } from "../text/embedded.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { hidden } from "./content.ts"
import { whyLeftOut } from "./left-out.ts"
import { mentioned, type Target } from "./mentions.ts"

/** Of a file that a prompt links to, so many characters are read at once; the model can read on by itself. */
const LONGEST = 60_000
const LARGEST_IMAGE = 8 * 1024 * 1024
const NAMES_SHOWN = 200

const IMAGES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
])

/** What reading links needs to know. */
export interface Reader {
  workspace: Workspace
  /** Whether a path holds keys or secrets, which no link brings to the model. */
  isSecret(path: string): Promise<boolean>
  /** The MCP servers of the session, whose resources a prompt may name. */
  servers?: {
    readonly names: readonly string[]
    resource(server: string, uri: string, said: string, signal: AbortSignal): Promise<Content[]>
  }
}

/**
 * A prompt with what its file links and its words with an `@` lead to at its end, for the model alone: the links stand in
 * sentences. Nothing is fetched from anywhere else but from MCP servers by their names, and a link that leads nowhere says so.
 */
export async function withReferences(
  content: readonly Content[],
  reader: Reader,
  signal: AbortSignal,
): Promise<Content[]> {
  const links = content.flatMap((part) => (part.type === "link" ? (targetOf(part.uri) ?? []) : []))
  const targets = [...links, ...(await mentioned(content, reader.workspace, reader.servers?.names))]
  const found = await Promise.all(targets.map((target) => read(target, reader, signal)))
  return [...content, ...found.flat().map((part) => hidden(part, "\n\n"))] // apart from the link before it, however the words are joined
}

/** The file that a link names, and the lines: `#L10`, `#L10-20`, `#L10:L20`. Undefined for other links. */
export function targetOf(uri: string): Target | undefined {
  if (!URL.canParse(uri)) return undefined
  const { protocol, pathname, hash } = new URL(uri)
  if (protocol !== "file:") return undefined
  const path = decoded(pathname).replace(/^\/(?=[A-Za-z]:[\\/])/, "")
  const [, from, to] = /^#L(\d+)(?:[-:]L?(\d+))?/.exec(hash) ?? []
  return { uri, path, ...(from && { from: Number(from), to: Number(to ?? from) }) }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // a stray percent sign is part of the name
  }
}

async function read(target: Target, reader: Reader, signal: AbortSignal): Promise<Content | Content[]> {
  const { uri, path, server } = target
  const { files } = reader.workspace
  try {
    if (server !== undefined) return (await reader.servers?.resource(server, path, uri, signal)) ?? []
    const info = await files.stat(path)
    if (!info) return said(uri, `there is no file ${path}`)
    const left = (await reader.isSecret(path)) ? "it holds secrets" : await whyLeftOut(path, reader.workspace)
    if (left !== undefined) return said(uri, `${left} and was not included`)
    if (info.kind === "folder")
      return folder(
        uri,
        (await files.list(path)).map(({ name, kind }) => (kind === "folder" ? `${name}/` : name)),
      )
    const mimeType = IMAGES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())
    if (mimeType) {
      if (info.size > LARGEST_IMAGE) return said(uri, `the image is too large (${info.size} bytes)`)
      return { type: "image", mimeType, data: base64(await files.read(path, signal)) }
    }
    const { text } = await reader.workspace.documents.read(path, signal)
    return { type: "text", text: embedded(uri, excerpt(text, target)) }
  } catch (error) {
    signal.throwIfAborted()
    return said(uri, error instanceof Error ? error.message : String(error))
  }
}

/** The lines that were asked for, and not more than fits. */
function excerpt(text: string, { from, to }: Target): string {
  const part =
    from === undefined
      ? text
      : text
          .split("\n")
          .slice(from - 1, to)
          .join("\n")
  if (part.length <= LONGEST) return part
  return `${part.slice(0, LONGEST)}\n[cut here: ${part.length - LONGEST} more characters; read_file reads on]`
}

function folder(uri: string, names: readonly string[]): Content {
  const more = names.length > NAMES_SHOWN ? `\n[and ${names.length - NAMES_SHOWN} more]` : ""
  return { type: "text", text: embedded(uri, names.slice(0, NAMES_SHOWN).join("\n") + more) }
}

function said(uri: string, why: string): Content {
  return { type: "text", text: `[${uri}: ${why}]` }
}

function base64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}
