import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { FileError, type FolderEntry } from "../runtime.ts"
import { linesWithin, RESULT_BYTES, sizeInWords } from "../text/truncate.ts"
import { isIgnored, isVersionControl, rulesAround, rulesIn } from "../workspace/ignore.ts"
import { meantPath, nearWords } from "../workspace/meant.ts"
import { joinPath, shownName, shownPath } from "../workspace/paths.ts"
import { restingNowAndThen } from "../workspace/resting.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { within } from "./within.ts"

/** Entries listed in one answer. */
const MOST_ENTRIES = 1_000

/** Lists a folder. `deadline` in milliseconds. */
export const listDirectory = (workspace: Workspace, { deadline }: { deadline?: number } = {}): Tool =>
  defineTool({
    name: "list_directory",
    kind: "read",
    description: "Lists a folder: folders first, then files with their sizes. Ignored entries are counted, not listed.",
    input: v.object({ path: v.optional(v.string(), ".") }),
    spellings: {
      dir_path: "path",
      directory: "path",
      dir: "path",
      folder: "path",
      absolute_path: "path",
      target: "path",
    },
    async prepare({ path: said }) {
      const path = await meantPath(workspace, said)
      const name = shownPath(path, workspace)
      return {
        title: name === "." ? "List the workspace" : `List ${name}`,
        reach: { type: "files", reads: [path], writes: [] },
        locations: [{ path }],
        run: ({ signal }) =>
          within(deadline, signal, async (signal) => textOutcome(await listing(workspace, path, name, signal))),
      }
    },
  })

async function listing(workspace: Workspace, path: string, name: string, signal: AbortSignal): Promise<string> {
  const { files, roots } = workspace
  const entries = await files.list(path).catch((error: unknown) => refuse(error, workspace, path))
  if (entries.length === 0) return `[${name} is empty.]`
  const names = entries.map((entry) => entry.name)
  const around = await rulesAround(files, path, roots)
  const rules = around && (await rulesIn(files, around, path, names))
  const ignored = (entry: FolderEntry) =>
    isVersionControl(entry.name) ||
    (rules !== undefined && isIgnored(rules, joinPath(path, entry.name), entry.kind === "folder" ? "folder" : "file"))

  const [hidden, shown]: [FolderEntry[], FolderEntry[]] = [[], []]
  const rest = restingNowAndThen(signal)
  for (const entry of entries) {
    await rest()
    if (ignored(entry)) hidden.push(entry)
    else shown.push(entry)
  }
  shown.sort((a, b) => rank(a) - rank(b)) // sorted by name already
  const lines = await Promise.all(shown.slice(0, MOST_ENTRIES).map((entry) => lineFor(workspace, path, entry)))
  const fit = linesWithin(lines, RESULT_BYTES)
  const notes = [
    ...(fit < shown.length ? [`${shown.length - fit} more entries are not shown; use glob with a pattern.`] : []),
    ...(hidden.length > 0 ? [`${hidden.length} ignored ${entriesInWords(hidden)} not shown: ${someOf(hidden)}.`] : []),
  ]
  return [...lines.slice(0, fit), ...(notes.length > 0 ? [`[${notes.join(" ")}]`] : [])].join("\n")
}

async function lineFor({ files }: Workspace, folder: string, { name, kind }: FolderEntry): Promise<string> {
  const path = joinPath(folder, name)
  const shown = shownName(name)
  switch (kind) {
    case "folder":
      return `${shown}/`
    case "file": {
      const info = await files.stat(path).catch(() => undefined)
      return info ? `${shown}  ${sizeInWords(info.size)}` : shown
    }
    case "link": {
      const info = await files.stat(path).catch(() => undefined)
      const target = await files.readLink(path).catch(() => undefined)
      return `${shown} -> ${shownName(target ?? "?")}${info ? "" : " (leads nowhere)"}`
    }
    case "other":
      return `${shown}  (device, pipe or socket)`
  }
}

function rank({ kind }: FolderEntry): number {
  return kind === "folder" ? 0 : 1
}

function entriesInWords({ length }: readonly unknown[]): string {
  return length === 1 ? "entry is" : "entries are"
}

function someOf(entries: readonly FolderEntry[]): string {
  const names = entries
    .slice(0, 8)
    .map(({ name, kind }) => (kind === "folder" ? `${shownName(name)}/` : shownName(name)))
  return names.join(", ") + (entries.length > 8 ? ", …" : "")
}

async function refuse(error: unknown, workspace: Workspace, path: string): Promise<never> {
  const name = shownPath(path, workspace)
  if (!(error instanceof FileError)) throw error
  switch (error.code) {
    case "not_found":
      throw new Error(`There is no folder ${name}. ${await nearWords(workspace, path)}`)
    case "not_folder":
      throw new Error(`${name} is a file. To read it, use read_file.`)
    case "not_allowed":
      throw new Error(`${name} may not be listed: the system does not allow it.`)
    default:
      throw new Error(`${name} can't be listed: ${error.message}`)
  }
}
