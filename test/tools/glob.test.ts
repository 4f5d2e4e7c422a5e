import { expect, test } from "vitest"
import { glob } from "../../src/tools/glob.ts"
import { folderOf, type Tree } from "../support/folder.ts"
import { answerOf, files, plannedFor, workspaceOf } from "../support/workspace.ts"

async function found(tree: Tree, input: object): Promise<string[]> {
  return (await answerOf(glob(await workspaceOf(tree)), input)).split("\n")
}

test("before it runs, the gate and the user see the folder it begins in", async () => {
  const workspace = await workspaceOf({ "src/a.ts": "" })
  const { cwd } = workspace
  const plan = (input: object) => plannedFor(glob(workspace), input)
  expect(await plan({ pattern: "apps/**/tsconfig.json" })).toEqual({
    title: "Find apps/**/tsconfig.json",
    reach: { type: "files", reads: [`${cwd}/apps`], writes: [] },
    locations: [],
    display: [],
  })
  expect(await plan({ pattern: "*.ts", path: "src" })).toMatchObject({
    title: "Find *.ts in src",
    reach: { reads: [`${cwd}/src`] },
  })
  const begins = async (pattern: string) => (await plan({ pattern })) as { reach: { reads: string[] } }
  expect((await begins("/etc/*.conf")).reach.reads).toEqual(["/etc"])
  expect((await begins("/*")).reach.reads).toEqual(["/"])
  expect((await begins("~/x/*")).reach.reads).toEqual([`${cwd}/home/x`])
  expect((await begins("../*")).reach.reads).toEqual([cwd.slice(0, cwd.lastIndexOf("/"))])
  await expect(plan({ pattern: "*/../../x" })).rejects.toThrow(
    '"*/../../x" goes up (..) after a wildcard; begin further up instead',
  )
})

test("files are found by their paths, sorted", async () => {
  const tree = { "b.ts": "", "a.ts": "", "src/c.ts": "", "src/d.js": "", "src/deep/e.ts": "", "x/src/f.ts": "" }
  expect(await found(tree, { pattern: "*.ts" })).toEqual(["a.ts", "b.ts"])
  expect(await found(tree, { pattern: "**/*.ts" })).toEqual(["a.ts", "b.ts", "src/c.ts", "src/deep/e.ts", "x/src/f.ts"])
  expect(await found(tree, { pattern: "src/*.{js,ts}" })).toEqual(["src/c.ts", "src/d.js"])
  expect(await found(tree, { pattern: "*/*/?.ts" })).toEqual(["src/deep/e.ts", "x/src/f.ts"])
  expect(await found(tree, { pattern: "{src,x}/**/*.ts" })).toEqual(["src/c.ts", "src/deep/e.ts", "x/src/f.ts"])
  expect(await found(tree, { pattern: "./deep/*", path: "src" })).toEqual(["src/deep/e.ts"])
})

test("names with brackets, parentheses and at signs are found as they are", async () => {
  const tree = { "app/[id]/page.tsx": "", "app/(shop)/page.tsx": "", "node/@types/x.d.ts": "" }
  expect(await found(tree, { pattern: "app/[id]/page.tsx" })).toEqual(["app/[id]/page.tsx"])
  expect(await found(tree, { pattern: "app/(shop)/*.tsx" })).toEqual(["app/(shop)/page.tsx"])
  expect(await found(tree, { pattern: "**/(shop)/*.tsx" })).toEqual(["app/(shop)/page.tsx"])
  expect(await found(tree, { pattern: "node/@types/*" })).toEqual(["node/@types/x.d.ts"])
  expect(await found(tree, { pattern: "app/@(a|[(]shop[)])/*" })).toEqual(["app/(shop)/page.tsx"])
})

test("dot files are found where the dot is named", async () => {
  const tree = { ".env": "", ".github/workflows/ci.yml": "", "a.yml": "" }
  expect(await found(tree, { pattern: "**/*.yml" })).toEqual(["a.yml"])
  expect(await found(tree, { pattern: ".github/**/*.yml" })).toEqual([".github/workflows/ci.yml"])
  expect(await found(tree, { pattern: "**/.*" })).toEqual([".env"])
})

const IGNORING = {
  ".gitignore": "dist/\nnode_modules/\n.env\n",
  "dist/a/x.js": "",
  "node_modules/m/package.json": "",
  ".env": "",
}

test("SE-02 ignored files are found when they are named, and else said to be skipped", async () => {
  expect(await found(IGNORING, { pattern: "**/*.js" })).toEqual([
    "No file matches **/*.js. 3 ignored entries were skipped; to look in there, name the folder.",
  ])
  expect(await found(IGNORING, { pattern: "dist/**/*.js" })).toEqual(["dist/a/x.js"])
  expect(await found(IGNORING, { pattern: "*.json", path: "node_modules/m" })).toEqual(["node_modules/m/package.json"])
  expect(await found(IGNORING, { pattern: "node_modules/m/package.json" })).toEqual(["node_modules/m/package.json"])
  expect(await found(IGNORING, { pattern: ".env" })).toEqual([".env"])
})

test("what is not found says what to try", async () => {
  const tree = { "src/a.ts": "" }
  expect(await found(tree, { pattern: "*.ts" })).toEqual([
    "No file matches *.ts. For files in the folders below: **/*.ts.",
  ])
  expect(await found(tree, { pattern: "lib/**/*.ts" })).toEqual(["error: There is nothing at lib. Begin further up."])
  expect(await found(tree, { pattern: "src" })).toEqual([
    "error: src is a folder. To see what is in it, use list_directory, or the pattern src/**.",
  ])
})

test("SE-03 only the folders that can hold a match are looked at", async () => {
  const tree = { "apps/a/tsconfig.json": "", "apps/a/src/x.ts": "", "huge/1/2/3.ts": "", "top.ts": "" }
  const looked: string[] = []
  const workspace = await workspaceOf(tree)
  const watched = {
    ...workspace,
    files: {
      ...files,
      list(folder: string) {
        looked.push(folder.slice(workspace.cwd.length))
        return files.list(folder)
      },
    },
  }
  expect(await answerOf(glob(watched), { pattern: "apps/*/tsconfig.json" })).toBe("apps/a/tsconfig.json")
  expect(looked).toEqual(["/apps", "/apps/a"])
})

test("PE-07 SE-04 links are not followed out of the workspace, nor in circles", async () => {
  const outside = await folderOf({ "secret.ts": "" })
  const tree = { "a.ts": "", out: { link: outside }, loop: { link: "." } }
  expect(await found(tree, { pattern: "**/*.ts" })).toEqual(["a.ts"])
})

test("many files are cut, and say so", async () => {
  const tree = Object.fromEntries(Array.from({ length: 1_002 }, (_, at) => [`f${10_000 + at}`, ""]))
  const lines = await found(tree, { pattern: "*" })
  expect([lines.length, lines.at(-1)]).toEqual([1_002, "[Only the first 1000 are shown; use a tighter pattern.]"])
})

test("R-362 a delegated search for files that takes too long asks to narrow it", async () => {
  const workspace = await workspaceOf({}, { files: { ...files, list: () => new Promise<never>(() => {}) } })
  expect(await answerOf(glob(workspace, { deadline: 1 }), { pattern: "**" })).toMatch(
    /^error: This took longer than .+ Narrow it/,
  )
})
