import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { changeSettings } from "../../src/settings/change.ts"
import { readSettings } from "../../src/settings/settings.ts"
import { forgetWorkspace, trustWorkspace } from "../../src/settings/trust.ts"
import { foldersWith } from "./temporary.ts"

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test("a change keeps comments, unknown keys, order and the mode of the file", async () => {
  const text = '{\n  // mine\n  "model": "a",\n  "other": [1,  2], // theirs\n}\n'
  const { files, ours } = await foldersWith(text)
  await chmod(ours, 0o640)
  await changeSettings(files, ours, (old) => ({ ...old, model: "b", reasoningEffort: { b: "high" } }))
  expect(await readFile(ours, "utf8")).toBe(
    '{\n  // mine\n  "model": "b",\n  "other": [1,  2], // theirs\n  "reasoningEffort": {\n    "b": "high"\n  }\n}\n',
  )
  expect(await modeOf(ours)).toBe(0o640)
})

test("new settings are the user's alone", async () => {
  const { files, home, ours } = await foldersWith()
  await changeSettings(files, ours, (old) => ({ ...old, model: "a" }))
  expect([await readFile(ours, "utf8"), await modeOf(ours), await modeOf(home)]).toEqual([
    '{\n  "model": "a"\n}\n',
    0o600,
    0o700,
  ])
})

test("changes that are made at once are all made", async () => {
  const { files, home, ours } = await foldersWith({})
  const models = Array.from({ length: 20 }, (_, index) => `model-${index}`)
  await Promise.all(
    models.map((model) =>
      changeSettings(files, ours, (old) => ({
        ...old,
        reasoningEffort: { ...(old["reasoningEffort"] as object), [model]: "low" },
      })),
    ),
  )
  expect(Object.keys((await readSettings(files, { home })).settings.reasoningEffort)).toEqual(models)
})

test("what another process writes between reading and writing is not lost", async () => {
  const { files, ours } = await foldersWith({})
  let tries = 0
  const slow = {
    ...files,
    readText: async (path: string) => {
      const text = await files.readText(path)
      if (tries++ === 0) await writeFile(ours, '{"theirs": 1}')
      return text
    },
  }
  await changeSettings(slow, ours, (old) => ({ ...old, mine: 1 }))
  expect(JSON.parse(await readFile(ours, "utf8"))).toEqual({ theirs: 1, mine: 1 })
})

test("a file that can't be read is refused and not touched, and the next change is made", async () => {
  const { files, ours } = await foldersWith('{\n  "model": a\n}')
  const change = () => changeSettings(files, ours, (old) => ({ ...old, mode: "ask" }))
  await expect(change()).rejects.toThrow(`${ours}:2: a value is expected here; mend it first`)
  expect(await readFile(ours, "utf8")).toBe('{\n  "model": a\n}')
  await writeFile(ours, "")
  await change()
  expect(JSON.parse(await readFile(ours, "utf8"))).toEqual({ mode: "ask" })
})

test("a change that changes nothing writes nothing", async () => {
  const { files, ours } = await foldersWith('{ "model":   "a" }')
  const write = () => Promise.reject(new Error("written"))
  await changeSettings({ ...files, write }, ours, (old) => ({ ...old, model: "a" }))
})

test("trust is given once and taken back", async () => {
  const { files, home, workspace, ours } = await foldersWith({ model: "a" }, {})
  await mkdir(join(workspace, "inner"))
  await trustWorkspace(files, home, workspace)
  await trustWorkspace(files, home, workspace)
  await trustWorkspace(files, home, join(workspace, "inner"))
  await forgetWorkspace(files, home, workspace)
  expect(JSON.parse(await readFile(ours, "utf8"))).toEqual({
    model: "a",
    trustedWorkspaces: [join(workspace, "inner")],
  })
})
