import * as v from "valibot"
import type { Tool } from "../agent/tool.ts"
import { FileError } from "../runtime.ts"
import { keepEnds, plain } from "../text/line-ends.ts"
import { type CellEdit, editNotebook as editCells } from "../text/notebook.ts"
import { meantPath } from "../workspace/meant.ts"
import { shownPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { planEdit } from "./edit-plan.ts"

/** Changes one cell of a Jupyter notebook. */
export const editNotebook = (workspace: Workspace): Tool =>
  defineTool({
    name: "edit_notebook",
    kind: "edit",
    alone: true,
    description:
      "Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell after it (before all, " +
      "without `cell`), or deletes it. `cell` is an id, or a number from 1. Outputs of a changed code cell are cleared.",
    input: v.object({
      path: v.pipe(v.string(), v.nonEmpty()),
      cell: v.optional(v.union([v.string(), v.number()])),
      source: v.optional(v.string()),
      cell_type: v.optional(v.picklist(["code", "markdown", "raw"])),
      mode: v.optional(v.picklist(["replace", "insert", "delete"]), "replace"),
    }),
    spellings: {
      file_path: "path",
      absolute_path: "path",
      notebook_path: "path",
      cell_id: "cell",
      cell_number: "cell",
      new_source: "source",
      content: "source",
      edit_mode: "mode",
    },
    async prepare({ path: said, ...input }, signal) {
      const path = await meantPath(workspace, said)
      const name = shownPath(path, workspace)
      if (!path.endsWith(".ipynb")) throw new Error(`${name} is no notebook (.ipynb). Use replace for other files.`)
      const edit = cellEdit(input)
      return planEdit(
        workspace,
        {
          paths: [path],
          edit(texts) {
            const current = texts.get(path)
            if (!current) throw new FileError("not_found", `There is no file ${name}. To create it, use write_file.`)
            const after = keepEnds(current.text, editCells(plain(current.text).text, edit, name))
            if (after === current.text) return { texts: new Map(), words: `${name} is like that already.` }
            return { texts: new Map([[path, after]]), words: wordsFor(edit, name) }
          },
        },
        signal,
      )
    },
  })

interface Input {
  cell?: string | number | undefined
  source?: string | undefined
  cell_type?: "code" | "markdown" | "raw" | undefined
  mode: "replace" | "insert" | "delete"
}

function cellEdit({ cell: said, source, cell_type: type, mode }: Input): CellEdit {
  const cell = said === undefined ? undefined : String(said)
  if (mode === "insert") {
    const id = crypto.randomUUID().slice(0, 8)
    return { mode, cell, source: wanted(source, "source", mode), type: type ?? "code", id }
  }
  if (mode === "delete") return { mode, cell: wanted(cell, "cell", mode) }
  return { mode, cell: wanted(cell, "cell", mode), source: wanted(source, "source", mode), type }
}

function wanted(value: string | undefined, name: string, mode: string): string {
  if (value === undefined) throw new Error(`${name}: is needed to ${mode} a cell`)
  if (!value.isWellFormed()) throw new Error(`${name} holds half a character (a lone surrogate); write the whole one.`)
  return value
}

function wordsFor(edit: CellEdit, name: string): string {
  switch (edit.mode) {
    case "replace":
      return `Replaced cell ${edit.cell} of ${name}.`
    case "insert":
      return `Inserted a ${edit.type} cell in ${name}${edit.cell === undefined ? " at the beginning" : ` after cell ${edit.cell}`}.`
    case "delete":
      return `Deleted cell ${edit.cell} of ${name}.`
  }
}
