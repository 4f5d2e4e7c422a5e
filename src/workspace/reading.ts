import { FileError } from "../runtime.ts"
import { looksLikeMedia, type Media, mediaOf } from "../text/media.ts"
import { notebookText } from "../text/notebook-cells.ts"
import { linesOf, sizeInWords } from "../text/truncate.ts"
import type { Document } from "./documents.ts"
import { decode } from "./encoding.ts"
import { nearWords } from "./meant.ts"
import { shownPath } from "./paths.ts"
import type { Workspace } from "./workspace.ts"

/** A file as a model can read it. */
export type Readable =
  | { type: "lines"; lines: readonly string[]; source: Document["source"] }
  | { type: "media"; media: Media; bytes: Uint8Array }

/** Bytes. More than providers take as one image, once it is Base64. */
const BIGGEST_MEDIA = 3_750_000

/** Reads a file for a model. Throws an Error that says what it is instead, and what to do. */
export async function readAny(workspace: Workspace, path: string, signal: AbortSignal): Promise<Readable> {
  const { files } = workspace
  const info = await files.stat(path).catch((error: unknown) => refuse(error, workspace, path))
  const name = shownPath(path, workspace)
  if (!info) throw new Error(`There is no file ${name}. ${await nearWords(workspace, path)}`)
  if (info.kind === "folder") throw new Error(`${name} is a folder. To see what is in it, use list_directory.`)
  if (info.kind === "other") throw new Error(`${name} is a device, a pipe or a socket, which can't be read.`)
  if (looksLikeMedia(path)) {
    const media = await readMedia(workspace, path, info.size, signal)
    if (media) return media
  }
  try {
    const { text, source } = await workspace.documents.read(path, signal)
    const cells = path.endsWith(".ipynb") ? notebookText(text) : undefined
    return { type: "lines", lines: linesOf(cells ?? text), source }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof FileError) return refuse(error, workspace, path)
    const media = await readMedia(workspace, path, info.size, signal)
    if (media) return media
    throw error
  }
}

/** Undefined if it is a text after all, or too big to tell. */
async function readMedia(
  workspace: Workspace,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  const name = shownPath(path, workspace)
  if (size > BIGGEST_MEDIA && looksLikeMedia(path)) {
    throw new Error(
      `${name} has ${sizeInWords(size)}; of what is no text, at most ${sizeInWords(BIGGEST_MEDIA)} can be shown.`,
    )
  }
  if (size > BIGGEST_TOLD) return undefined
  const bytes = await workspace.files.read(path, signal)
  const media = mediaOf(bytes)
  if (media.mimeType && size <= BIGGEST_MEDIA) return { type: "media", media, bytes }
  if (media.name !== PDF && decode(bytes)) return undefined
  throw new Error(`${name} is ${media.name} (${sizeInWords(size)}), which can't be read as text.`)
}

/** Bytes. What is larger is not read only to say what it is. */
const BIGGEST_TOLD = 50_000_000

/** Some begin like a text. */
const PDF = "a PDF document"

function refuse(error: unknown, workspace: Workspace, path: string): never {
  if (!(error instanceof FileError)) throw error
  const name = shownPath(path, workspace)
  const reason =
    error.code === "not_allowed" ? "may not be read: the system does not allow it" : `can't be read: ${error.message}`
  throw new Error(`${name} ${reason}.`)
}
