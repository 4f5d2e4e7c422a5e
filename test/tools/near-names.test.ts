import { expect, test } from "vitest"
import { editFiles } from "../../src/tools/edit-files.ts"
import { glob } from "../../src/tools/glob.ts"
import { listDirectory } from "../../src/tools/list-directory.ts"
import { readFile } from "../../src/tools/read-file.ts"
import { replace } from "../../src/tools/replace.ts"
import { searchFileContent } from "../../src/tools/search-file-content.ts"
import { writeFile } from "../../src/tools/write-file.ts"
import { nameOf } from "../../src/workspace/paths.ts"
import { answerOf, plannedFor, workspaceOf } from "../support/workspace.ts"

const TREE = { "src/tools/glob.ts": "a\n", "src/tools/read.ts": "a\n", "README.md": "a\n", gone: { link: "nowhere" } }

test("what is not there is told apart from what was meant, whichever name of the path is wrong", async () => {
  const workspace = await workspaceOf(TREE)
  const read = (path: string) => answerOf(readFile(workspace), { path })
  const project = nameOf(workspace.cwd)
  expect([
    await read("src/tools/globs.ts"),
    await read("src/tool/glob.ts"),
    await read(`${project}/README.md`),
    await read("/workspace/src/tools/glob.ts"),
    await read("README.md/x"),
    await read("gone"),
    await read("lib/x.ts"),
    await read("x.ts"),
  ]).toEqual([
    "error: There is no file src/tools/globs.ts. Did you mean src/tools/glob.ts?",
    "error: There is no file src/tool/glob.ts. Did you mean src/tools/glob.ts?",
    `error: There is no file ${project}/README.md. Did you mean README.md?`,
    "error: There is no file /workspace/src/tools/glob.ts. Did you mean src/tools/glob.ts?",
    "error: There is no file README.md/x. README.md is no folder.",
    "error: There is no file gone. It is a link that leads nowhere, to nowhere.",
    "error: There is no file lib/x.ts. Nor is there a folder lib. Look for it with glob.",
    "error: There is no file x.ts. Look for it with glob.",
  ])
})

test("a name that only has some letters in common is not what was meant", async () => {
  const workspace = await workspaceOf({ "n is no part.js": "", "testing.md": "" })
  const read = (path: string) => answerOf(readFile(workspace), { path })
  expect([await read("n.ipynb"), await read("test.md"), await read(`testing.md${"x".repeat(400)}`)]).toEqual([
    "error: There is no file n.ipynb. Look for it with glob.",
    "error: There is no file test.md. Did you mean testing.md?",
    expect.stringMatching(/^error: testing\.mdx+ can't be read: ".*" is too long a name\.$/),
  ])
})

test("the other tools tell it too", async () => {
  const workspace = await workspaceOf(TREE)
  const edit = { path: "src/tools/globs.ts", old_string: "a", new_string: "b" }
  expect([
    await answerOf(listDirectory(workspace), { path: "src/toolss" }),
    await answerOf(searchFileContent(workspace), { pattern: "a", path: "src/toolss" }),
    await answerOf(glob(workspace), { pattern: "src/toolss/*.ts" }),
    await answerOf(glob(workspace), { pattern: "glob.ts" }),
    await answerOf(glob(workspace), { pattern: "README.md/*" }),
    await answerOf(replace(workspace), edit),
    await answerOf(editFiles(workspace), { edits: [edit] }),
  ]).toEqual([
    "error: There is no folder src/toolss. Did you mean src/tools?",
    "error: There is nothing at src/toolss. Did you mean src/tools?",
    "error: There is nothing at src/toolss. Did you mean src/tools?",
    "error: There is no file glob.ts. In any folder: **/glob.ts",
    "error: README.md is no folder.",
    "error: There is no file src/tools/globs.ts. To create it, use write_file. Did you mean src/tools/glob.ts?",
    "error: Edit 1 of 1 (src/tools/globs.ts), so that no file was changed: There is no file src/tools/globs.ts. " +
      "To create it, use write_file. Did you mean src/tools/glob.ts?",
  ])
})

test("a name is found however its accents are composed, and gets no twin", async () => {
  const workspace = await workspaceOf({ ["Отчёт/naïve.txt".normalize("NFD")]: "alt\n", "café.txt": "alt\n" })
  const { cwd } = workspace
  const composed = "Отчёт/naïve.txt".normalize("NFC")
  const real = `${cwd}/${composed.normalize("NFD")}`
  expect(await answerOf(readFile(workspace), { path: composed })).toBe("alt")
  expect(await answerOf(readFile(workspace), { path: "café.txt".normalize("NFD") })).toBe("alt")
  expect(await answerOf(listDirectory(workspace), { path: "Отчёт" })).toBe(`${"naïve.txt".normalize("NFD")}  4 B`)
  expect(await plannedFor(writeFile(workspace), { path: composed, content: "neu\n" })).toMatchObject({
    reach: { writes: [real] },
    display: [{ path: real, oldText: "alt\n" }],
  })
  expect(await plannedFor(writeFile(workspace), { path: "Отчёт/другой.txt", content: "" })).toMatchObject({
    title: `Create ${"Отчёт".normalize("NFD")}/другой.txt`,
  })
})

test("a name that would not stay one line, or hides its ends, is in quotes", async () => {
  const workspace = await workspaceOf({ "a\nb.txt": "x\n", "c ": "x\n", "\x1b[31m/d.txt": "x\n", 'e"f': "x\n" })
  expect(await answerOf(listDirectory(workspace), { path: "." })).toBe(
    ['"\\u001b[31m"/', '"a\\nb.txt"  2 B', '"c "  2 B', 'e"f  2 B'].join("\n"),
  )
  expect(await answerOf(glob(workspace), { pattern: "**" })).toBe(
    ['"\\u001b[31m/d.txt"', '"a\\nb.txt"', '"c "', 'e"f'].join("\n"),
  )
  expect(await answerOf(searchFileContent(workspace), { pattern: "x", include: "a*" })).toBe('"a\\nb.txt"\n1: x')
})
