import * as v from "valibot"
import type { Content } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import { base64 } from "../text/base64.ts"
import { excerpt, MOST_LINES } from "../text/excerpt.ts"
import { RESULT_BYTES, sizeInWords } from "../text/truncate.ts"
import type { Document } from "../workspace/documents.ts"
import { meantPath } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import { type Readable, readAny } from "../workspace/reading.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"

/** Reads one file, or a part of it. */
export const readFile = (workspace: Workspace): Tool =>
  defineTool({
    name: "read_file",
    kind: "read",
    description:
      "Reads a file: text (unsaved changes of the editor included), an image, a sound, the cells of a notebook. Up to " +
      "2,000 lines at once; `offset` and `limit` choose which.",
    input: v.object({
      path: v.pipe(v.string(), v.nonEmpty("is empty")),
      offset: v.optional(v.pipe(v.number(), v.integer(), v.description("First line, from 1"))),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.description("Number of lines"))),
    }),
    spellings: { file_path: "path", absolute_path: "path", file: "path", filename: "path", start_line: "offset" },
    async prepare({ path: said, ...range }) {
      const path = await meantPath(workspace, said)
      const first = Math.max(1, range.offset ?? 1)
      const count = Math.max(1, range.limit ?? MOST_LINES)
      return {
        title: `Read ${shownPath(path, workspace)}${rangeInWords(first, range.limit && count)}`,
        reach: { type: "files", reads: [path], writes: [] },
        locations: [{ path, ...(first > 1 && { line: first }) }],
        async run({ signal }) {
          const file = await readAny(workspace, path, signal)
          return { content: contentOf(file, shownPath(path, workspace), first, count) }
        },
      }
    },
  })

function rangeInWords(first: number, count: number | undefined): string {
  if (count) return ` (lines ${first}–${first + count - 1})`
  return first > 1 ? ` (from line ${first})` : ""
}

function contentOf(file: Readable, name: string, first: number, count: number): Content[] {
  if (file.type === "lines") return [{ type: "text", text: textOf(file, name, first, count) }]
  const { kind, mimeType = "", name: what } = file.media
  const words = `${name} is ${what} (${sizeInWords(file.bytes.length)}):`
  const data = base64(file.bytes)
  return [
    { type: "text", text: words },
    { type: kind === "audio" ? "audio" : "image", data, mimeType },
  ]
}

const SOURCES: Readonly<Record<Document["source"], readonly string[]>> = {
  disk: [],
  buffer: ["This is the text in the editor, which is not saved yet."],
  conflict: [
    "This is on disk; the editor holds other changes that are not saved, and until they are nothing here can be edited.",
  ],
}
const UNREADABLE =
  "\uFFFD stands for bytes that are not in the text's encoding, or are not known to be; an edit beside them keeps them, " +
  "but old_string can't quote them."

function textOf(file: Extract<Readable, { type: "lines" }>, name: string, first: number, count: number): string {
  const { lines, source } = file
  const all = lines.length
  if (all === 0) return `[${name} is empty.]`
  if (first > all) throw new Error(`${name} has ${all} ${all === 1 ? "line" : "lines"}; line ${first} is past its end.`)
  const { text, last, cut } = excerpt(lines, first, count, RESULT_BYTES)
  const notes = [
    ...SOURCES[source],
    ...(first > 1 || last < all ? [`These are lines ${first}–${last} of ${all}.`] : []),
    ...(last < all ? [`To read on: offset ${last + 1}.`] : []),
    ...(text.includes("\uFFFD") ? [UNREADABLE] : []),
    ...(cut ? ["Lines over 2,000 characters are cut; search_file_content shows what is around a match in them."] : []),
  ]
  return notes.length > 0 ? `${text}\n\n[${notes.join(" ")}]` : text
}
