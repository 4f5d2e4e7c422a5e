import { expect, test } from "vitest"
import { editFiles } from "../../src/tools/edit-files.ts"
import { editNotebook } from "../../src/tools/edit-notebook.ts"
import { replace } from "../../src/tools/replace.ts"
import { writeFile } from "../../src/tools/write-file.ts"
import { benchOf, NEVER } from "../support/editing.ts"

const TOOLS = [replace, editFiles, writeFile, editNotebook]

test("the model is told of each in few words", async () => {
  const { workspace } = await benchOf({})
  const tools = TOOLS.map((tool) => tool(workspace))
  expect(tools.map(({ name, kind }) => [name, kind])).toEqual([
    ["replace", "edit"],
    ["edit_files", "edit"],
    ["write_file", "edit"],
    ["edit_notebook", "edit"],
  ])
  expect(tools.filter(({ description }) => new TextEncoder().encode(description).length > 350)).toEqual([])
})

test("the names that other agents' models have for our parameters are understood", async () => {
  const { workspace, path } = await benchOf({ "a.ts": "one\n" })
  const shown = { type: "diff", path: path("a.ts"), oldText: "one\n", newText: "two\n" }
  const spelt = [
    { file_path: path("a.ts"), old_string: "one", new_string: "two" },
    { absolute_path: path("a.ts"), old_str: "one", new_str: "two", replace_all: "true" },
    { filePath: "a.ts", oldString: "one", newString: "two", replaceAll: false },
  ]
  const displays = spelt.map(async (input) => (await replace(workspace).prepare(input, NEVER)).display)
  expect(await Promise.all(displays)).toEqual([[shown], [shown], [shown]])
  const one = await editFiles(workspace).prepare({ edits: JSON.stringify(spelt[0]) }, NEVER)
  expect(one.display).toEqual([shown])
})
