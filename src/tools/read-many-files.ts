import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { excerpt, MOST_LINES } from "../text/excerpt.ts"
import { byteLength, RESULT_BYTES } from "../text/truncate.ts"
import { findFiles, globFor, leftOut } from "../workspace/find.ts"
import type { Glob } from "../workspace/glob.ts"
import { shownPath } from "../workspace/paths.ts"
import { readAny } from "../workspace/reading.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"

/** Files read in one call. */
const MOST_FILES = 50

/** Reads several files at once. */
export const readManyFiles = (workspace: Workspace): Tool =>
  defineTool({
    name: "read_many_files",
    kind: "read",
    description: "Reads several text files, given by paths or globs, each under a heading. Together up to 50 KB.",
    input: v.object({ paths: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty("is empty"))), v.nonEmpty("is empty")) }),
    spellings: { path: "paths", files: "paths", file_paths: "paths", include: "paths" },
    async prepare({ paths }) {
      const globs = await Promise.all(paths.map((path) => globFor(workspace, path, workspace.cwd)))
      const title = paths.length === 1 ? `Read ${paths[0]}` : `Read ${paths.length} files and patterns`
      const named = globs.filter(({ rest }) => rest === "").map(({ from }) => ({ path: from }))
      return {
        title: globs.length > 1 && named.length === globs.length ? `Read ${named.length} files` : title,
        reach: { type: "files", reads: [...new Set(globs.map(({ from }) => from))], writes: [] },
        locations: named,
        async run({ signal }) {
          const { files, notes } = await filesOf(workspace, globs, paths, signal)
          const sections = await readAll(workspace, files.slice(0, MOST_FILES), signal)
          const rest = files.slice(MOST_FILES).map((path) => shownPath(path, workspace))
          if (rest.length > 0) notes.push(`${rest.length} more files were not read: ${namesOf(rest)}`)
          return textOutcome([...sections, ...notes.map((note) => `[${note}]`)].join("\n\n"))
        },
      }
    },
  })

async function filesOf(workspace: Workspace, globs: readonly Glob[], said: readonly string[], signal: AbortSignal) {
  const files = new Set<string>()
  const notes: string[] = []
  for (const [at, glob] of globs.entries()) {
    if (glob.rest === "") {
      files.add(glob.from)
      continue
    }
    const { paths, more, tally } = await findFiles(workspace, glob, MOST_FOUND, signal)
    for (const path of paths) files.add(path)
    if (paths.length === 0) notes.push([`No file matches ${said[at]}.`, ...leftOut(tally)].join(" "))
    if (more) notes.push(`${said[at]} matches more than ${MOST_FOUND} files; use a tighter pattern.`)
  }
  return { files: [...files], notes }
}

/** Files that one glob may add; enough to say how many were not read. */
const MOST_FOUND = 500

/** Each file under a heading. What short files leave of their share is for those after them. */
async function readAll(workspace: Workspace, paths: readonly string[], signal: AbortSignal): Promise<string[]> {
  const sections: string[] = []
  let left = RESULT_BYTES - 5_000 // for the notes
  for (const [at, path] of paths.entries()) {
    const share = Math.floor(left / (paths.length - at))
    const section = await sectionFor(workspace, path, share, signal)
    left -= byteLength(section) + 2
    sections.push(section)
  }
  return sections
}

async function sectionFor(workspace: Workspace, path: string, bytes: number, signal: AbortSignal): Promise<string> {
  const name = shownPath(path, workspace)
  const heading = `── ${name} ──`
  try {
    const file = await readAny(workspace, path, signal)
    if (file.type === "media") return `${heading}\n[This is ${file.media.name}; to look at it, use read_file.]`
    if (file.lines.length === 0) return `${heading}\n[It is empty.]`
    const room = bytes - byteLength(heading) - 100
    const { text, last } = excerpt(file.lines, 1, MOST_LINES, room)
    const more =
      last < file.lines.length
        ? `\n[${last} of ${file.lines.length} lines. To read on: read_file with offset ${last + 1}.]`
        : ""
    return `${heading}\n${text}${more}`
  } catch (error) {
    signal.throwIfAborted()
    return `${heading}\n[${(error as Error).message}]`
  }
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, 20)
  return shown.join(", ") + (names.length > shown.length ? ", …" : "")
}
