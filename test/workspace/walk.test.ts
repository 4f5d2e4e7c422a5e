import { expect, test } from "vitest"
import { isIgnored, rulesAround } from "../../src/workspace/ignore.ts"
import { newTally, type Walk, walk } from "../../src/workspace/walk.ts"
import { folderOf, type Tree } from "../support/folder.ts"
import { files, workspaceOf } from "../support/workspace.ts"

const never = new AbortController().signal

/** What a walk from a folder of this tree finds, and what it leaves out. */
async function walked(tree: Tree, from = ".", options: Partial<Walk> = {}) {
  const { cwd } = await workspaceOf(tree)
  const start = from === "." ? cwd : `${cwd}/${from}`
  const tally = newTally()
  const rules = await rulesAround(files, start, [cwd])
  const found: string[] = []
  for await (const path of walk(files, { from: start, rules, ...options }, tally, never)) {
    found.push(path.slice(cwd.length + 1))
  }
  return { found, ...tally }
}

const filesOf = async (...args: Parameters<typeof walked>) => (await walked(...args)).found

test("files are found in the order of their paths, the same each time", async () => {
  const tree = { "b.ts": "", "a/z.ts": "", "a/b/c.ts": "", "B.ts": "", ".env": "" }
  expect(await walked(tree)).toEqual({
    found: [".env", "B.ts", "a/b/c.ts", "a/z.ts", "b.ts"],
    seen: 7,
    ignored: 0,
    unreadable: 0,
    full: false,
  })
})

test("SE-02 .gitignore files count, nested ones too, and the nearest has the last word", async () => {
  const tree = {
    ".git/HEAD": "",
    ".gitignore": "*.log\nnode_modules/\n/dist\n",
    "a.log": "",
    "a.ts": "",
    "dist/x.js": "",
    "node_modules/m/index.js": "",
    "sub/.gitignore": "!keep.log\n*.tmp\n",
    "sub/dist/y.js": "",
    "sub/keep.log": "",
    "sub/other.log": "",
    "sub/x.tmp": "",
    "x.tmp": "",
  }
  const { found, ignored } = await walked(tree)
  expect(found).toEqual([".gitignore", "a.ts", "sub/.gitignore", "sub/dist/y.js", "sub/keep.log", "x.tmp"])
  expect(ignored).toBe(5)
})

test("SE-02 .gitignore counts from the top of the repository, also where the workspace is a folder in it", async () => {
  const tree = {
    ".git/HEAD": "",
    ".gitignore": "*.log\n/app/gen/\n",
    "app/a.log": "",
    "app/a.ts": "",
    "app/gen/g.ts": "",
  }
  const top = await folderOf(tree)
  const rules = (await rulesAround(files, `${top}/app`, [`${top}/app`]))!
  const names = ["a.log", "a.ts"].map((name) => isIgnored(rules, `${top}/app/${name}`, "file"))
  expect([...names, isIgnored(rules, `${top}/app/gen`, "folder")]).toEqual([true, false, true])
})

test("a rule that a project has made to be slow holds nobody up", async () => {
  const path = `x/${"a/".repeat(60)}c`
  const found = await filesOf({ ".gitignore": `x/${"**/a/".repeat(12)}b\n**/x/**/d.ts\n`, [path]: "", "x/y/d.ts": "" })
  expect(found).toEqual([".gitignore", path])
})

test("SE-02 .gitignore counts without a repository too", async () => {
  expect(await filesOf({ ".gitignore": "*.log\n", "a.log": "", "b/a.log": "", "b/a.ts": "" })).toEqual([
    ".gitignore",
    "b/a.ts",
  ])
})

test(".git/info/exclude counts, and .gitignore goes before it", async () => {
  const tree = { ".git/info/exclude": "*.a\n*.b\n", ".gitignore": "!x.b\n", "x.a": "", "x.b": "", "y.b": "" }
  expect(await filesOf(tree)).toEqual([".gitignore", "x.b"])
})

test("in a linked worktree the repository's info/exclude counts", async () => {
  const main = await folderOf({ ".git/info/exclude": "*.a\n", ".git/worktrees/w/HEAD": "" })
  expect(await filesOf({ ".git": `gitdir: ${main}/.git/worktrees/w\n`, "x.a": "", "x.b": "" })).toEqual(["x.b"])
})

test(".kodaignore and .kodikignore go before .gitignore, wherever they lie", async () => {
  const tree = {
    ".gitignore": "*.gen\nbuild/\n",
    ".kodaignore": "secret/\n!a.gen\n",
    ".kodikignore": "*.big\n",
    "a.gen": "",
    "b.gen": "",
    "build/x": "",
    "secret/key": "",
    "sub/.gitignore": "!secret/\n!*.big\n",
    "sub/secret/key": "",
    "sub/x.big": "",
  }
  expect(await filesOf(tree)).toEqual([".gitignore", ".kodaignore", ".kodikignore", "a.gen", "sub/.gitignore"])
})

test("SE-02 a repository in another has its own .gitignore alone, but .kodaignore reaches into it", async () => {
  const tree = {
    ".git/HEAD": "",
    ".gitignore": "*.log\n",
    ".kodaignore": "*.key\n",
    "nested/.git": "gitdir: ../.git/modules/nested\n",
    "nested/.gitignore": "*.tmp\n",
    "nested/a.key": "",
    "nested/a.log": "",
    "nested/a.tmp": "",
  }
  expect(await filesOf(tree, "nested")).toEqual(["nested/.gitignore", "nested/a.log"])
  expect(await filesOf(tree)).toEqual([".gitignore", ".kodaignore", "nested/.gitignore", "nested/a.log"])
})

test("SE-02 an ignored folder that is named is walked, whatever its own ignore files say", async () => {
  const tree = { ".gitignore": "dist/\n", "dist/.gitignore": "*\n", "dist/a/x.js": "", "dist/y.js": "" }
  expect(await filesOf(tree, "dist")).toEqual(["dist/.gitignore", "dist/a/x.js", "dist/y.js"])
  expect(await filesOf(tree, "dist/a")).toEqual(["dist/a/x.js"])
})

test("SE-02 a workspace that something around it ignores is walked by its own rules", async () => {
  const top = await folderOf({
    ".git/HEAD": "",
    ".gitignore": "*\n",
    "w/.gitignore": "*.log\n",
    "w/a.log": "",
    "w/a.ts": "",
  })
  const rules = await rulesAround(files, `${top}/w`, [`${top}/w`])
  const found: string[] = []
  for await (const path of walk(files, { from: `${top}/w`, rules }, newTally(), never)) found.push(path)
  expect(found).toEqual([`${top}/w/.gitignore`, `${top}/w/a.ts`])
})

test("version control folders are never entered, ignoring or not", async () => {
  const tree = { ".gitignore": "d/\n", "d/.git/HEAD": "", "d/a": "", ".hg/x": "", ".svn/x": "", ".jj/x": "" }
  expect([await filesOf(tree), await filesOf(tree, "d")]).toEqual([[".gitignore"], ["d/a"]])
})

test("SE-04 PE-07 links are not followed: circles end, and nothing outside is found", async () => {
  const outside = await folderOf({ "secret.txt": "" })
  const tree = {
    "a.ts": "",
    loop: { link: "." },
    "x/to-y": { link: "../y" },
    "y/to-x": { link: "../x" },
    root: { link: "/" },
    out: { link: outside },
    "file-link": { link: "a.ts" },
    dangling: { link: "nowhere" },
  }
  expect(await filesOf(tree)).toEqual(["a.ts"])
})

test("SE-04 folders that can't be read are passed over and counted", async () => {
  const { cwd } = await workspaceOf({ "a.ts": "", "closed/x.ts": "", "z.ts": "" })
  const closed: typeof files = {
    ...files,
    list: (folder) => files.list(folder.endsWith("/closed") ? `${folder}/x.ts` : folder),
  }
  const tally = newTally()
  const found: string[] = []
  for await (const path of walk(closed, { from: cwd, rules: undefined }, tally, never)) found.push(path)
  expect([found, tally.unreadable]).toEqual([[`${cwd}/a.ts`, `${cwd}/z.ts`], 1])
})

test("SE-04 what the system shows in /proc, /sys and /dev is not walked", async () => {
  const folder = (name: string) => ({ name, kind: "folder" as const })
  const whole: typeof files = {
    ...files,
    list: async (path) => (path === "/" ? ["dev", "home", "proc", "sys"].map(folder) : [{ name: "a", kind: "file" }]),
  }
  const found: string[] = []
  for await (const path of walk(whole, { from: "/", rules: undefined }, newTally(), never)) found.push(path)
  expect(found).toEqual(["/home/a"])
})

test("a walk looks no deeper and no further than it may", async () => {
  const tree = { "1.ts": "", "2.ts": "", "d/3.ts": "", "d/e/4.ts": "" }
  expect(await filesOf(tree, ".", { depth: 2 })).toEqual(["1.ts", "2.ts", "d/3.ts"])
  expect(await walked(tree, ".", { most: 3 })).toMatchObject({ found: ["1.ts", "2.ts"], full: true })
  expect(await walked(tree, ".", { most: 6 })).toMatchObject({ seen: 6, full: false })
})

test("SE-02 no ignore file of a repository holds up a walk, whatever its lines repeat", async () => {
  const tree = { ".gitignore": `${"**/a*/".repeat(40)}**/*.d\n${"*a".repeat(40)}*[b]\n`, [`${"a/".repeat(60)}x.e`]: "" }
  expect(await filesOf(tree)).toEqual([".gitignore", `${"a/".repeat(60)}x.e`])
})

test("a walk ends when it is cancelled", async () => {
  const { cwd } = await workspaceOf({ "1.ts": "", "2.ts": "", "3.ts": "" })
  const cancel = new AbortController()
  const found: string[] = []
  const walking = async () => {
    for await (const path of walk(files, { from: cwd, rules: undefined }, newTally(), cancel.signal)) {
      found.push(path)
      cancel.abort(new Error("cancelled"))
    }
  }
  await expect(walking()).rejects.toThrow("cancelled")
  expect(found).toEqual([`${cwd}/1.ts`])
})
