import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { exportErrors } from "../../build/check-exports.ts"

let root: string

const NPM = {
  version: "1.2.3",
  license: "Apache-2.0",
  bin: { koda: "dist/node/main.js" },
  exports: {
    ".": { types: "./dist/types/runtime/node/mod.d.ts", default: "./dist/node/mod.js" },
    "./package.json": "./package.json",
  },
  devDependencies: { yaml: "2.9.1" },
}

const DENO = {
  version: "1.2.3",
  license: "Apache-2.0",
  exports: { ".": "./runtime/node/mod.ts" },
  imports: { yaml: "npm:yaml@2.9.1" },
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "koda-exports-"))
  await put("package.json", JSON.stringify(NPM))
  await put("deno.json", JSON.stringify(DENO))
  await put("src/version.ts", `export const VERSION: string = "1.2.3"\n`)
  await put("CHANGELOG.md", "# Changes\n\n## 1.2.3\n\n## 1.2.2\n")
  await put("runtime/node/mod.ts", "")
  await put("dist/node/mod.js", "")
  await put("dist/node/main.js", "#!/usr/bin/env node\n")
  await put("dist/types/runtime/node/mod.d.ts", "")
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

test("npm and JSR that agree are right", async () => {
  expect(await exportErrors(root)).toEqual([])
})

test("one version is told everywhere", async () => {
  await put("deno.json", JSON.stringify({ ...DENO, version: "1.2.2" }))
  await put("src/version.ts", `export const VERSION: string = "1.2.1"\n`)
  await put("CHANGELOG.md", "# Changes\n\n## 1.2.0\n")
  expect(await exportErrors(root)).toEqual([
    "deno.json has version 1.2.2, package.json 1.2.3",
    "src/version.ts says 1.2.1, package.json 1.2.3",
    "the first heading of CHANGELOG.md is 1.2.0, and the version 1.2.3",
  ])
})

test("a subpath of one is a subpath of the other, and leads to the same module", async () => {
  await put("runtime/bun/mod.ts", "")
  await put("runtime/deno/mod.ts", "")
  await put("dist/other.js", "")
  const exports = { ...NPM.exports, "./node": "./dist/node/mod.js", "./deno": "./dist/other.js" }
  await put("package.json", JSON.stringify({ ...NPM, exports }))
  const denoExports = { ...DENO.exports, "./bun": "./runtime/bun/mod.ts", "./deno": "./runtime/deno/mod.ts" }
  await put("deno.json", JSON.stringify({ ...DENO, exports: denoExports }))
  expect(await exportErrors(root)).toEqual([
    `deno.json does not export "./node"`,
    `package.json does not lead "./deno" to ./dist/deno/mod.js`,
    `package.json does not lead "./deno" to ./dist/types/runtime/deno/mod.d.ts`,
    `package.json does not export "./bun"`,
  ])
})

test("what is exported is there, and a program begins as one", async () => {
  await rm(join(root, "dist/node/mod.js"))
  await put("dist/node/main.js", "console.log()\n")
  expect(await exportErrors(root)).toEqual([
    "./dist/node/mod.js is exported and not there",
    `dist/node/main.js must begin with "#!/usr/bin/env node"`,
  ])
})

test("the package has no dependencies, and JSR's are those that we test with", async () => {
  await put("package.json", JSON.stringify({ ...NPM, dependencies: { yaml: "2.9.1" } }))
  await put("deno.json", JSON.stringify({ ...DENO, imports: { yaml: "npm:yaml@2.9.0" } }))
  expect(await exportErrors(root)).toEqual([
    "package.json has dependencies; everything is bundled, so it may not",
    "deno.json maps yaml to npm:yaml@2.9.0, not to npm:yaml@2.9.1",
  ])
})
