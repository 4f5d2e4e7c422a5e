import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { pruneDeclarations } from "../../build/declarations.ts"

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "koda-types-"))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function files(): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

test("declarations that the entries do not reach are left out, and the others import .js", async () => {
  await put("runtime/node/mod.d.ts", `export type { A } from "../../src/a.ts";\n`)
  await put("src/a.d.ts", `export type A = import("./b.ts").B;\n`)
  await put("src/b.d.ts", "export type B = string;\n")
  await put("src/unreached.d.ts", `import { z } from "zod";\n`)
  await pruneDeclarations(folder, ["runtime/node/mod.d.ts"])
  expect(await files()).toEqual(["runtime/node/mod.d.ts", "src/a.d.ts", "src/b.d.ts"])
  expect(await readFile(join(folder, "runtime/node/mod.d.ts"), "utf8")).toBe(
    `export type { A } from "../../src/a.js";\n`,
  )
  expect(await readFile(join(folder, "src/a.d.ts"), "utf8")).toBe(`export type A = import("./b.js").B;\n`)
})

test("a public type that needs a package fails the build", async () => {
  await put("mod.d.ts", `import type { Client } from "openai";\nexport type C = Client;\n`)
  await expect(pruneDeclarations(folder, ["mod.d.ts"])).rejects.toThrow("mod.d.ts imports openai")
})
