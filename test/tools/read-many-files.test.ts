import { expect, test } from "vitest"
import { byteLength } from "../../src/text/truncate.ts"
import { readManyFiles } from "../../src/tools/read-many-files.ts"
import { answerOf, plannedFor, workspaceOf } from "../support/workspace.ts"

test("before it runs, the gate sees each path, and of a glob the folder it begins in", async () => {
  const workspace = await workspaceOf({ "a.ts": "", "src/b.ts": "", "app/[id]/page.tsx": "" })
  const { cwd } = workspace
  const plan = (paths: unknown) => plannedFor(readManyFiles(workspace), { paths })
  expect(await plan(["a.ts", "src/**/*.ts", "app/[id]/page.tsx"])).toEqual({
    title: "Read 3 files and patterns",
    reach: { type: "files", reads: [`${cwd}/a.ts`, `${cwd}/src`, `${cwd}/app/[id]/page.tsx`], writes: [] },
    locations: [{ path: `${cwd}/a.ts` }, { path: `${cwd}/app/[id]/page.tsx` }],
    display: [],
  })
  expect(await plan("../x/*.md")).toMatchObject({
    title: "Read ../x/*.md",
    reach: { reads: [`${cwd.slice(0, cwd.lastIndexOf("/"))}/x`] },
  })
  expect(await plan('["a.ts", "src/b.ts"]')).toMatchObject({ title: "Read 2 files" })
})

test("several files are read, each under its heading, and what fails does not fail the others", async () => {
  const workspace = await workspaceOf({
    "a.ts": "one\r\ntwo\n",
    "empty.txt": "",
    "pic.png": Uint8Array.from([0x89, 0x50, 0x4e, 0x47]),
    "src/x.ts": "x",
    "src/y.ts": "y",
    ".gitignore": "*.log\n",
    "src/z.log": "",
  })
  const paths = ["a.ts", "empty.txt", "pic.png", "missing.ts", "src", "src/*", "a.ts", "*.log"]
  expect(await answerOf(readManyFiles(workspace), { paths })).toBe(
    [
      "── a.ts ──\none\ntwo",
      "── empty.txt ──\n[It is empty.]",
      "── pic.png ──\n[This is a PNG image; to look at it, use read_file.]",
      "── missing.ts ──\n[There is no file missing.ts. Look for it with glob.]",
      "── src ──\n[src is a folder. To see what is in it, use list_directory.]",
      "── src/x.ts ──\nx",
      "── src/y.ts ──\ny",
      "[No file matches *.log.]",
    ].join("\n\n"),
  )
})

test("together they fill 50 KB at most: short files leave their share to long ones, and the rest is said", async () => {
  const long = Array.from({ length: 1_500 }, (_, at) => `${at}: ${"x".repeat(40)}\n`).join("")
  const workspace = await workspaceOf({ "1.txt": "short", "2.txt": long, "3.txt": long })
  const answer = await answerOf(readManyFiles(workspace), { paths: ["*.txt"] })
  const rest = [...answer.matchAll(/^\[(\d+) of 1500 lines\. To read on: read_file with offset (\d+)\.\]$/gm)]
  expect(rest.map(([, shown, next]) => Number(next) - Number(shown))).toEqual([1, 1])
  expect(byteLength(answer)).toBeGreaterThan(44_000)
  expect(byteLength(answer)).toBeLessThan(50_000)
})

test("of many files the first are read, and the others named", async () => {
  const tree = Object.fromEntries(Array.from({ length: 53 }, (_, at) => [`f${10 + at}.txt`, `text ${at}`]))
  const answer = await answerOf(readManyFiles(await workspaceOf(tree)), { paths: ["*.txt"] })
  expect(answer.match(/^── /gm)).toHaveLength(50)
  expect(answer.split("\n").at(-1)).toBe("[3 more files were not read: f60.txt, f61.txt, f62.txt]")
})
