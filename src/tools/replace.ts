import type { Tool } from "../agent/tool.ts"
import { meantPath } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { planEdit } from "./edit-plan.ts"
import { applyEdit, doneWords, EDIT_SPELLINGS, editSchema } from "./text-edit.ts"

/** Replaces a piece of a file. */
export const replace = (workspace: Workspace): Tool =>
  defineTool({
    name: "replace",
    kind: "edit",
    alone: true,
    description:
      "Replaces text in a file. `old_string` is copied exactly as it stands there, indentation included, with enough " +
      "lines around it to occur only once; `replace_all` changes every occurrence. An empty `old_string` creates a new file.",
    input: editSchema,
    spellings: EDIT_SPELLINGS,
    async prepare({ path: said, ...edit }, signal) {
      const path = await meantPath(workspace, said)
      const name = shownPath(path, workspace)
      return planEdit(
        workspace,
        {
          paths: [path],
          edit(texts) {
            const { text, lines } = applyEdit(texts.get(path)?.text, edit, name)
            return { texts: new Map([[path, text]]), words: doneWords(name, text, lines) }
          },
        },
        signal,
      )
    },
  })
