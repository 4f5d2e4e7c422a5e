import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { linesWithin, RESULT_BYTES } from "../text/truncate.ts"
import { type Found, findFiles, globFor, leftOut } from "../workspace/find.ts"
import type { Glob } from "../workspace/glob.ts"
import { meantPath, nearWords } from "../workspace/meant.ts"
import { nameOf, shownPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { within } from "./within.ts"

/** Files listed in one answer. */
const MOST_FILES = 1_000

/** Finds files by their paths. `deadline` in milliseconds. */
export const glob = (workspace: Workspace, { deadline }: { deadline?: number } = {}): Tool =>
  defineTool({
    name: "glob",
    kind: "search",
    description:
      "Finds files by a glob such as `src/**/*.ts`, sorted by path. Ignored files and dot files are found only if the " +
      "pattern or `path` names them.",
    input: v.object({
      pattern: v.pipe(v.string(), v.nonEmpty("is empty")),
      path: v.optional(v.pipe(v.string(), v.description("Folder to look in"))),
    }),
    spellings: { glob: "pattern", query: "pattern", directory: "path", dir_path: "path", dir: "path", folder: "path" },
    async prepare({ pattern, path = "." }) {
      const folder = await meantPath(workspace, path)
      const where = shownPath(folder, workspace)
      const wanted = await globFor(workspace, pattern, folder)
      return {
        title: `Find ${pattern}${where === "." ? "" : ` in ${where}`}`,
        reach: { type: "files", reads: [wanted.from], writes: [] },
        run: ({ signal }) =>
          within(deadline, signal, async (signal) => {
            const info = await workspace.files.stat(wanted.from)
            if (!info) throw new Error(await missing(workspace, wanted))
            if (info.kind !== "folder" && wanted.rest !== "") {
              throw new Error(`${shownPath(wanted.from, workspace)} is no folder.`)
            }
            if (info.kind === "folder" && wanted.rest === "") {
              throw new Error(
                `${pattern} is a folder. To see what is in it, use list_directory, or the pattern ${pattern}/**.`,
              )
            }
            return textOutcome(inWords(await findFiles(workspace, wanted, MOST_FILES, signal), pattern, workspace))
          }),
      }
    },
  })

async function missing(workspace: Workspace, { from, rest }: Glob): Promise<string> {
  const name = shownPath(from, workspace)
  if (rest !== "") return `There is nothing at ${name}. ${await nearWords(workspace, from, "Begin further up.")}`
  return `There is no file ${name}. ${await nearWords(workspace, from, `In any folder: **/${nameOf(from)}`)}`
}

function inWords({ paths, more, tally }: Found, pattern: string, workspace: Workspace): string {
  if (paths.length === 0) {
    const below = pattern.includes("/") || pattern === "**" ? [] : [`For files in the folders below: **/${pattern}.`]
    return [`No file matches ${pattern}.`, ...below, ...leftOut(tally)].join(" ")
  }
  const names = paths.map((path) => shownPath(path, workspace))
  const fit = linesWithin(names, RESULT_BYTES)
  const notes = [
    ...(more || fit < names.length ? [`Only the first ${fit} are shown; use a tighter pattern.`] : []),
    ...leftOut({ ...tally, ignored: 0 }),
  ]
  return [...names.slice(0, fit), ...(notes.length > 0 ? ["", `[${notes.join(" ")}]`] : [])].join("\n")
}
