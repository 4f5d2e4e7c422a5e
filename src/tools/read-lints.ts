import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import type { Commands } from "../workspace/commands.ts"
import { withEnding } from "../workspace/execution.ts"
import { resolvePath, shownPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"

const TIMEOUT_MS = 120_000

/** What the project's linter says, by the command that the user has set; `{files}` in it stands for the paths. */
export const readLints = (
  commands: Pick<Commands, "run">,
  workspace: Pick<Workspace, "cwd" | "home">,
  lintCommand: string,
): Tool =>
  defineTool({
    name: "read_lints",
    kind: "read",
    description: "Tells what the project's linter says of these files; without `paths`, of the whole project.",
    input: v.object({ paths: v.optional(v.array(v.pipe(v.string(), v.nonEmpty())), []) }),
    spellings: { path: "paths", files: "paths", file_paths: "paths", file_path: "paths" },
    prepare({ paths: said }) {
      const paths = said.map((path) => resolvePath(workspace.cwd, path, workspace.home))
      const names = paths.map((path) => shownPath(path, workspace))
      return {
        title: names.length === 0 ? "Lint the project" : `Lint ${names.join(", ")}`,
        reach: { type: "files", reads: paths, writes: [] },
        locations: paths.map((path) => ({ path })),
        async run({ signal }) {
          const files = paths.length === 0 ? "." : paths.map(quoted).join(" ")
          const command = lintCommand.replaceAll("{files}", () => files)
          const limits = { timeoutMs: TIMEOUT_MS, place: "ours" } as const
          const { ending, text } = await commands.run({ command, folder: workspace.cwd }, limits, () => {}, signal)
          const told =
            text.trim() === "" && ending.type === "exited" && ending.code === 0
              ? "No findings."
              : withEnding(text, ending)
          return textOutcome(told)
        },
      }
    },
  })

/** A path as one word of a shell line, whatever is in it. */
function quoted(path: string): string {
  return /^[\w./:\\@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
