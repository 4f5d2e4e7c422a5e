import * as v from "valibot"
import type { Tool } from "../agent/tool.ts"
import { meantPath } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import { restingNowAndThen } from "../workspace/resting.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { planEdit } from "./edit-plan.ts"
import { applyEdit, doneWords, EDIT_SPELLINGS, editSchema } from "./text-edit.ts"

/** Makes several edits, in one file or many, all of them or none. */
export const editFiles = (workspace: Workspace): Tool =>
  defineTool({
    name: "edit_files",
    kind: "edit",
    alone: true,
    description:
      "Makes several edits in one or more files, all of them or none. They are made in order, each as `replace` does, " +
      "on what the ones before it have left.",
    input: v.object({ edits: v.pipe(v.array(editSchema), v.minLength(1)) }),
    spellings: { ...EDIT_SPELLINGS, changes: "edits" },
    async prepare({ edits: said }, signal) {
      const edits = await Promise.all(
        said.map(async (edit) => ({ ...edit, path: await meantPath(workspace, edit.path) })),
      )
      return planEdit(
        workspace,
        {
          paths: [...new Set(edits.map(({ path }) => path))],
          async edit(texts, signal) {
            const results = new Map<string, string>()
            const words: string[] = []
            const rest = restingNowAndThen(signal)
            for (const [at, { path, ...edit }] of edits.entries()) {
              await rest()
              const name = shownPath(path, workspace)
              try {
                const { text, lines } = applyEdit(results.get(path) ?? texts.get(path)?.text, edit, name)
                results.set(path, text)
                words.push(doneWords(name, text, lines))
              } catch (error) {
                throw new Error(
                  `Edit ${at + 1} of ${edits.length} (${name}), so that no file was changed: ${(error as Error).message}`,
                  { cause: error },
                )
              }
            }
            return { texts: results, words: words.join("\n") }
          },
        },
        signal,
      )
    },
  })
