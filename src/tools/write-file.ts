import * as v from "valibot"
import type { Tool } from "../agent/tool.ts"
import { keepEnds, toNewlines } from "../text/line-ends.ts"
import { countLines } from "../text/replace-text.ts"
import type { Current } from "../workspace/documents.ts"
import { meantPath } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { planEdit } from "./edit-plan.ts"
import { createdWords } from "./text-edit.ts"

/** Creates a file, or writes one anew that the model knows. */
export const writeFile = (workspace: Workspace): Tool =>
  defineTool({
    name: "write_file",
    kind: "edit",
    alone: true,
    description:
      "Creates a file with its folders, or replaces the whole content of one. A file that exists must have been read " +
      "first, and not have changed since. To change a part of a file, use `replace`.",
    input: v.object({
      path: v.pipe(v.string(), v.nonEmpty(), v.description("Absolute, or from the workspace's folder")),
      content: v.string(),
    }),
    spellings: {
      file_path: "path",
      absolute_path: "path",
      file: "path",
      filename: "path",
      contents: "content",
      file_text: "content",
      text: "content",
    },
    async prepare({ path: said, content: given }, signal) {
      const path = await meantPath(workspace, said)
      const name = shownPath(path, workspace)
      const content = given.replace(/^\uFEFF/, "") // the file keeps its own mark, and a new one gets none
      if (!content.isWellFormed())
        throw new Error("content holds half a character (a lone surrogate); write the whole one.")
      return planEdit(
        workspace,
        {
          paths: [path],
          edit(texts) {
            const current = texts.get(path)
            if (!current) return { texts: new Map([[path, content]]), words: createdWords(name, content) }
            const after = withEndsOf(current.text, content)
            if (after === current.text) return { texts: new Map(), words: `${name} has exactly this content already.` }
            if (current.text !== "") mustBeKnown(current, name)
            const lines = countLines(after)
            return {
              texts: new Map([[path, after]]),
              words: `Wrote ${name} (${lines} ${lines === 1 ? "line" : "lines"}).`,
            }
          },
        },
        signal,
      )
    },
  })

/** Like the file's, unless the content says plainly that it wants others. */
function withEndsOf(before: string, content: string): string {
  const meant = !before.includes("\r") && /\r\n/.test(content) && !/(?<!\r)\n/.test(content)
  return meant && toNewlines(before) === before ? content : keepEnds(before, content)
}

function mustBeKnown({ seen }: Current, name: string): void {
  switch (seen) {
    case "current":
      return
    case "never":
      throw new Error(`${name} exists and has not been read. Read it first, or change a part of it with replace.`)
    case "changed":
      throw new Error(`${name} has changed since it was read. Read it again before it is written whole.`)
  }
}
