import { expect, test } from "vitest"
import { byteLength } from "../../src/text/truncate.ts"
import { searchFileContent } from "../../src/tools/search-file-content.ts"
import { folderOf, type Tree } from "../support/folder.ts"
import { answerOf, files, outcomeOf, plannedFor, workspaceOf } from "../support/workspace.ts"

async function searched(tree: Tree, input: object): Promise<string[]> {
  return (await answerOf(searchFileContent(await workspaceOf(tree)), input)).split("\n")
}

test("before it runs, the gate and the user see where it looks, and for what", async () => {
  const workspace = await workspaceOf({ "src/a.ts": "" })
  const plan = (input: object) => plannedFor(searchFileContent(workspace), input)
  expect(await plan({ query: "foo\\s+bar", path: "src", glob: "*.ts" })).toEqual({
    title: 'Search "foo\\\\s+bar" in src (*.ts)',
    reach: { type: "files", reads: [`${workspace.cwd}/src`], writes: [] },
    locations: [],
    display: [],
  })
  expect(await plan({ pattern: "a" })).toMatchObject({
    title: 'Search "a"',
    reach: { reads: [workspace.cwd] },
  })
  await expect(plan({ pattern: "(a" })).rejects.toThrow(/^"\(a" is no regular expression: .+ set "literal": true$/)
})

const TREE = {
  "b.ts": "const one = 1\nconst two = 2\n",
  "a/x.ts": "no\r\nConst ONE\r\n",
  "a/x.md": "const one",
  ".github/ci.yml": "const: 1\n",
}

test("matches are shown under their files, sorted by path, with line numbers", async () => {
  expect(await searched(TREE, { pattern: "const" })).toEqual([
    ".github/ci.yml",
    "1: const: 1",
    "",
    "a/x.md",
    "1: const one",
    "",
    "a/x.ts",
    "2: Const ONE",
    "",
    "b.ts",
    "1: const one = 1",
    "2: const two = 2",
  ])
})

test("where the matches are is told to the client", async () => {
  const workspace = await workspaceOf(TREE)
  const { locations } = await outcomeOf(searchFileContent(workspace), { pattern: "\\bone\\b" })
  expect(locations).toEqual([
    { path: `${workspace.cwd}/a/x.md`, line: 1 },
    { path: `${workspace.cwd}/a/x.ts`, line: 2 },
    { path: `${workspace.cwd}/b.ts`, line: 1 },
  ])
})

test("files are chosen by globs, by name or by path, and left out by an exclamation mark", async () => {
  const at = async (include: string) =>
    (await searched({ ...TREE, "a/y.test.ts": "const" }, { pattern: "const", include })).filter((line) =>
      /^\S+\.\w+$/.test(line),
    )
  expect(await at("*.ts")).toEqual(["a/x.ts", "a/y.test.ts", "b.ts"])
  expect(await at("*.{md,yml}")).toEqual([".github/ci.yml", "a/x.md"])
  expect(await at("a/**")).toEqual(["a/x.md", "a/x.ts", "a/y.test.ts"])
  expect(await at("*.md, *.yml")).toEqual([".github/ci.yml", "a/x.md"])
  expect(await at("*.ts,!*.test.ts")).toEqual(["a/x.ts", "b.ts"])
})

test("case, plain text and lines around are as one says", async () => {
  const tree = { "a.txt": "1\n2\nFoo.bar()\n4\n5\n6\n7\nfoo.bar()\n" }
  expect(await searched(tree, { pattern: "foo.bar()", literal: true, case_sensitive: "true" })).toEqual([
    "a.txt",
    "8: foo.bar()",
  ])
  expect(await searched(tree, { pattern: "foo\\.", context: 1 })).toEqual([
    "a.txt",
    "2- 2",
    "3: Foo.bar()",
    "4- 4",
    "--",
    "7- 7",
    "8: foo.bar()",
  ])
})

test("a long line is cut around its match", async () => {
  const [, line] = await searched({ "min.js": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}` }, { pattern: "needle" })
  expect(line).toBe(`1: …${"a".repeat(147)}needle${"b".repeat(147)}…`)
})

test("what is no text is passed over, and texts in other encodings are not", async () => {
  const tree = {
    "a.bin": Uint8Array.from([0x66, 0x6f, 0x6f, 0]),
    "utf16.txt": Uint8Array.from([0xff, 0xfe, 0x66, 0, 0x6f, 0, 0x6f, 0]),
    "latin1.txt": Uint8Array.from([0x66, 0x6f, 0x6f, 0xe9, 0x0a]),
    "bom.txt": "\uFEFFfoo",
  }
  expect(await searched(tree, { pattern: "^foo" })).toEqual([
    "bom.txt",
    "1: foo",
    "",
    "latin1.txt",
    "1: fooé",
    "",
    "utf16.txt",
    "1: foo",
  ])
})

test("SE-02 ignored files are searched when they are named, and else said to be skipped", async () => {
  const tree = { ".gitignore": "dist/\n*.log\n", "dist/x.js": "needle", "a.log": "needle", "a.ts": "" }
  expect(await searched(tree, { pattern: "needle" })).toEqual([
    'No line matches "needle" in the workspace. 2 ignored entries were skipped; to look in there, name the folder.',
  ])
  expect(await searched(tree, { pattern: "needle", path: "dist" })).toEqual(["dist/x.js", "1: needle"])
  expect(await searched(tree, { pattern: "needle", path: "a.log" })).toEqual(["a.log", "1: needle"])
})

test("PE-07 SE-04 a search follows no links out of the workspace", async () => {
  const outside = await folderOf({ "secret.txt": "needle" })
  const tree = {
    out: { link: outside },
    one: { link: `${outside}/secret.txt` },
    "a.txt": "needle",
    loop: { link: "." },
  }
  expect(await searched(tree, { pattern: "needle" })).toEqual(["a.txt", "1: needle"])
})

test("many matches are cut, in one file and in all, and it is said how to get at the rest", async () => {
  const file = "needle\n".repeat(60)
  const tree = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${10 + at}.txt`, file]))
  const lines = await searched(tree, { pattern: "needle" })
  expect(lines[51]).toBe("[10 more lines match in this file]")
  expect(lines.at(-1)).toBe(
    "[There is more; only the first 500 matches are shown. Narrow it by path, include or pattern.]",
  )
})

test("JR-04 no answer is longer than 50 KB, also of one file with much around its matches", async () => {
  const file = `needle ${"я".repeat(250)}\n`.repeat(500)
  const answer = await answerOf(searchFileContent(await workspaceOf({ "a.txt": file, "b.txt": file })), {
    pattern: "needle",
    context: 20,
  })
  expect(byteLength(answer)).toBeGreaterThan(10_000)
  expect(byteLength(answer)).toBeLessThan(50_000)
  const wide = `needle ${"я".repeat(250)}\n${`${"я".repeat(290)}\n`.repeat(30)}`.repeat(50)
  const cut = await answerOf(searchFileContent(await workspaceOf({ "a.txt": wide })), {
    pattern: "needle",
    context: 20,
  })
  expect(byteLength(cut)).toBeLessThan(50_000)
  expect(cut).toMatch(/\n\n\[There is more; only the first \d+ matches are shown\. .+\]$/)
})

test("a pattern that would never end elsewhere ends here", async () => {
  const tree = { "a.txt": `${"a".repeat(60)}!\n${"x".repeat(100_000)}\n` }
  expect(await searched(tree, { pattern: "(a+)+$" })).toEqual(['No line matches "(a+)+$" in the workspace.'])
  expect(await searched(tree, { pattern: ".*.*.*=" })).toEqual(['No line matches ".*.*.*=" in the workspace.'])
})

test("what is not searched whole is said", async () => {
  const tree = { "a.js": `${"x".repeat(4_000)}y` }
  expect(await searched(tree, { pattern: "x+(?=y)" })).toEqual([
    'No line matches "x+(?=y)" in the workspace. Lines over 3,162 characters, of which only that much was searched: 1.',
  ])
})

test("what can't be searched says why", async () => {
  expect(await searched({}, { pattern: "x", path: "lib" })).toEqual([
    "error: There is nothing at lib. Look for it with glob.",
  ])
  expect(await searched({}, { pattern: "x", path: "/dev/zero" })).toEqual([
    "error: /dev/zero is a device, a pipe or a socket, which can't be searched.",
  ])
})

test("that nothing was searched is not told as if nothing matched", async () => {
  const tree = {
    "src/a.ts": "x\n",
    "src/b.md": "y\n",
    "raw.bin": Uint8Array.from([0, 1, 2, 120]),
    "big.log": "x\n".repeat(10_500_000),
  }
  expect(await searched(tree, { pattern: "x", include: "*.rs" })).toEqual([
    'No file in the workspace has a path that matches "*.rs".',
  ])
  expect(await searched(tree, { pattern: "x", path: "raw.bin" })).toEqual([
    "In raw.bin there is nothing but binary data, which is not searched.",
  ])
  expect(await searched(tree, { pattern: "x", path: "big.log" })).toEqual([
    "error: big.log has 20 MB, and over 20 MB is not searched. Use a command for it (grep).",
  ])
})

test("an include may begin in the folder searched, or in the workspace", async () => {
  const tree = { "src/a.ts": "x\n", "src/src/c.ts": "x\n", "lib/b.ts": "x\n" }
  expect(await searched(tree, { pattern: "x", path: "src", include: "src/**" })).toEqual([
    "src/a.ts",
    "1: x",
    "",
    "src/src/c.ts",
    "1: x",
  ])
  expect(await searched(tree, { pattern: "x", include: "**/*.ts,!src/**" })).toEqual(["lib/b.ts", "1: x"])
})

test("a line of millions of characters is searched whole for what is found at once", async () => {
  const tree = { "min.js": `${"f();".repeat(1_000_000)}needle` }
  expect((await searched(tree, { pattern: "needle" }))[0]).toBe("min.js")
})

test("while it searches, others have their turn", async () => {
  const workspace = await workspaceOf({ "a.txt": "aaaa aaaa aaaa\n".repeat(300_000) })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await outcomeOf(searchFileContent(workspace), { pattern: "(a+|aa)+[b-z]", path: "a.txt" })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
})

test("a search that is cancelled ends", async () => {
  const cancel = new AbortController()
  const workspace = await workspaceOf({ "a.txt": "needle", "b.txt": "needle" })
  const watched = {
    ...workspace,
    files: {
      ...files,
      read(path: string) {
        cancel.abort(new Error("stop"))
        return files.read(path)
      },
    },
  }
  await expect(outcomeOf(searchFileContent(watched), { pattern: "needle" }, cancel.signal)).rejects.toThrow("stop")
})

test("R-362 a delegated search that takes too long asks to narrow it", async () => {
  const hanging = { ...files, read: () => new Promise<never>(() => {}) }
  const workspace = await workspaceOf({ "a.txt": "x" }, { files: hanging })
  expect(await answerOf(searchFileContent(workspace, { deadline: 1 }), { pattern: "x" })).toMatch(
    /^error: This took longer than .+ Narrow it/,
  )
})
