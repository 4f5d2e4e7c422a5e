import { expect, test } from "vitest"
import { listDirectory } from "../../src/tools/list-directory.ts"
import { answerOf, files, outcomeOf, plannedFor, workspaceOf } from "../support/workspace.ts"

test("before it runs, the gate and the user see the folder", async () => {
  const workspace = await workspaceOf({ "src/a.ts": "" })
  const path = `${workspace.cwd}/src`
  expect(await plannedFor(listDirectory(workspace), { dir_path: "src/" })).toEqual({
    title: "List src",
    reach: { type: "files", reads: [path], writes: [] },
    locations: [{ path }],
    display: [],
  })
})

test("a folder is listed: folders first, files with their sizes, links with where they lead", async () => {
  const workspace = await workspaceOf({
    "b.txt": "x".repeat(2048),
    "a.txt": "hi",
    "z/x": "",
    "c/x": "",
    ".env": "",
    link: { link: "c" },
    broken: { link: "nowhere" },
  })
  expect(await answerOf(listDirectory(workspace), { path: "." })).toBe(
    ["c/", "z/", ".env  0 B", "a.txt  2 B", "b.txt  2 KB", "broken -> nowhere (leads nowhere)", "link -> c"].join("\n"),
  )
})

test("SE-02 what is ignored is counted and named; an ignored folder that is named is listed", async () => {
  const workspace = await workspaceOf({
    ".git/HEAD": "",
    ".gitignore": "dist/\n*.log\n",
    "a.log": "",
    "a.ts": "",
    "dist/.gitignore": "*\n",
    "dist/x.js": "",
  })
  expect(await answerOf(listDirectory(workspace), { path: "." })).toBe(
    [".gitignore  12 B", "a.ts  0 B", "[3 ignored entries are not shown: .git/, a.log, dist/.]"].join("\n"),
  )
  expect(await answerOf(listDirectory(workspace), { path: "dist" })).toBe(".gitignore  2 B\nx.js  0 B")
  expect(await answerOf(listDirectory(workspace), { path: ".git" })).toBe("HEAD  0 B")
})

test("a large folder is cut, and says so", async () => {
  const tree = Object.fromEntries(Array.from({ length: 1_003 }, (_, at) => [`f${10_000 + at}`, ""]))
  const lines = (await answerOf(listDirectory(await workspaceOf(tree)), { path: "." })).split("\n")
  expect([lines.length, lines.at(-1)]).toEqual([1_001, "[3 more entries are not shown; use glob with a pattern.]"])
})

test("without a path the workspace is listed", async () => {
  expect(await answerOf(listDirectory(await workspaceOf({ "a.txt": "" })), {})).toBe("a.txt  0 B")
})

test("what can't be listed says why", async () => {
  const workspace = await workspaceOf({ "a.txt": "" })
  expect(await answerOf(listDirectory(workspace), { path: "a.txt" })).toBe(
    "error: a.txt is a file. To read it, use read_file.",
  )
  expect(await answerOf(listDirectory(workspace), { path: "nope" })).toBe(
    "error: There is no folder nope. Look for it with glob.",
  )
})

test("R-362 a delegated listing that takes too long asks to narrow it; a cancelled one just ends", async () => {
  const hanging = { ...files, list: () => new Promise<never>(() => {}) }
  const workspace = await workspaceOf({}, { files: hanging })
  expect(await answerOf(listDirectory(workspace, { deadline: 1 }), { path: "." })).toBe(
    "error: This took longer than 0.001 s and was ended. Narrow it: name a folder further down, or a tighter pattern.",
  )
  const cancel = new AbortController()
  const listing = outcomeOf(listDirectory(workspace, { deadline: 20_000 }), { path: "." }, cancel.signal)
  cancel.abort(new Error("stop"))
  await expect(listing).rejects.toThrow("stop")
})
