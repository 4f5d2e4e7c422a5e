import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"

test("koda trust lets the settings of a workspace hold, lists it, and takes it back", async () => {
  const { run, cwd, home } = await commandLine({ files: { ".koda/settings.json": '{ "lintCommand": "x" }' } })
  expect((await run("trust", "list")).out).toBe("No workspace is trusted. `koda trust DIR` trusts one.\n")
  expect(await run("trust")).toEqual({
    code: 0,
    out: `${cwd} is trusted: the settings in its .koda hold from the next session on\n`,
    err: [],
  })
  await run("trust", ".")
  expect(JSON.parse((await run("trust", "list", "--json")).out)).toEqual({ trustedWorkspaces: [cwd] })
  expect((await run("settings", "get", "lintCommand")).out).toBe("x\n")
  expect(JSON.parse(await readFile(join(home, "settings.json"), "utf8"))).toEqual({
    localModels: false,
    trustedWorkspaces: [cwd],
  })
  expect((await run("trust", "forget", `${cwd}/`)).out).toBe(`${cwd} is not trusted any more\n`)
  expect(JSON.parse((await run("trust", "list", "--json")).out)).toEqual({ trustedWorkspaces: [] })
})

test("koda trust of a folder that is not there says so", async () => {
  const { run } = await commandLine()
  expect(await run("trust", "gone")).toEqual({ code: 1, out: "", err: ['koda: There is no folder "gone"'] })
})

test.each([
  [["trust", "a", "b"], 'koda: "b" stands after the folder; name one folder at a time'],
  [["trust", "--all"], 'koda: `koda trust` takes a folder, `list`, or `forget` and a folder, not "--all"'],
])("koda %j is refused", async (words, why) => {
  const { run } = await commandLine()
  expect(await run(...words)).toEqual({ code: 2, out: "", err: [why, "Try `koda trust --help`"] })
})
