import { expect, test } from "vitest"
import { glob } from "../../src/tools/glob.ts"
import { listDirectory } from "../../src/tools/list-directory.ts"
import { readFile } from "../../src/tools/read-file.ts"
import { readManyFiles } from "../../src/tools/read-many-files.ts"
import { searchFileContent } from "../../src/tools/search-file-content.ts"
import { todoWrite } from "../../src/tools/todo-write.ts"
import { workspaceOf } from "../support/workspace.ts"

test("what the reading tools say of themselves takes little of every request", async () => {
  const workspace = await workspaceOf({})
  const make = [readFile, readManyFiles, listDirectory, glob, searchFileContent]
  const tools = [...make.map((tool) => tool(workspace)), todoWrite(() => {})]
  const spec = tools.map(({ name, description, schema }) => JSON.stringify({ name, description, parameters: schema }))
  expect(tools.filter(({ description }) => description.length > 350)).toEqual([])
  expect(spec.join("").length).toBeLessThan(3_000)
})
