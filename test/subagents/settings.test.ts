import { readFile, rename, writeFile } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import { liveSettings } from "../../src/subagents/live-settings.ts"
import { childTools, subagentValues } from "../../src/subagents/settings.ts"
import { type Folders, foldersWith } from "../settings/temporary.ts"

const DEFAULTS = {
  enabled: true,
  maxConcurrent: 4,
  allowParentToContinue: false,
  model: null,
  reasoningEffort: null,
  tools: null,
  disabledAgentNames: [],
}

function live({ files, home, workspace }: Folders) {
  return liveSettings({ files, home, workspace })
}

test("what is not said has its default: on, four at a time, and the agent waits for them", () => {
  expect(subagentValues({})).toEqual(DEFAULTS)
})

test("R-150 how many work at once is put between 1 and 10", () => {
  const counts = [-1, 0, 1, 2.4, 10, 11, 1e9, Number.NaN]
  expect(counts.map((maxConcurrent) => subagentValues({ maxConcurrent }).maxConcurrent)).toEqual([
    1, 1, 1, 2, 10, 10, 10, 1,
  ])
})

test("R-204 an effort there is not means the model's own", () => {
  const efforts = ["low", "high", "ultra", "", null, undefined]
  const values = efforts.map((reasoningEffort) => subagentValues({ reasoningEffort }).reasoningEffort)
  expect(values).toEqual(["low", "high", null, null, null, null])
  expect(subagentValues({ reasoningEffort: "ultra" }, ["ultra"]).reasoningEffort).toBe("ultra")
})

test("R-262 tools are only taken away: a name there is not is dropped, and so is a tool that writes", () => {
  expect(subagentValues({ tools: ["read_file", "write_file", "bash", "no_such", "grep"] }).tools).toEqual([
    "read_file",
    "search_file_content",
  ])
})

test("R-263 R-264 without a list a subagent has all tools there are, also one that comes later", () => {
  for (const tools of [null, undefined]) {
    const values = subagentValues({ tools })
    expect(values.tools).toBe(null)
    expect(childTools(["read_file", "write_file"], values)).toEqual(["read_file"])
    expect(childTools(["read_file", "web_search", "write_file"], values)).toEqual(["read_file", "web_search"])
  }
})

test("R-265 an empty list leaves a subagent none", () => {
  expect(childTools(["read_file", "glob"], subagentValues({ tools: [] }))).toEqual([])
})

test("R-228 SA-07 a role takes away from what the settings leave, and adds nothing", () => {
  const available = ["read_file", "glob", "run_shell_command", "list_directory"]
  const settings = subagentValues({ tools: ["read_file", "glob", "web_search"] })
  expect(childTools(available, settings, { tools: ["glob", "list_directory", "web_search"] })).toEqual(["glob"])
  expect(childTools(available, settings, { tools: null })).toEqual(["read_file", "glob"])
  expect(childTools(available, settings, { tools: ["list_directory"] })).toEqual([])
})

test("what the user chooses is written to the settings of Koda home, and the rest of the file stays", async () => {
  const folders = await foldersWith(
    '{\n  // mine\n  "mode": "ask",\n  "subagents": { "enabled": false, "later": 1 }\n}\n',
  )
  const settings = live(folders)
  const values = await settings.set({ maxConcurrent: 99, tools: null, disabledAgentNames: ["a", "a"] })

  expect(values).toEqual({ ...DEFAULTS, enabled: false, maxConcurrent: 10, disabledAgentNames: ["a"] })
  const text = await readFile(folders.ours, "utf8")
  expect(text).toContain("// mine")
  expect(JSON.parse(text.replace("// mine", ""))).toEqual({
    mode: "ask",
    subagents: { enabled: false, later: 1, maxConcurrent: 10, tools: null, disabledAgentNames: ["a"] },
  })
})

test("R-230 an empty list of disabled roles is written down, and null for a model takes it away", async () => {
  const folders = await foldersWith({ subagents: { disabledAgentNames: ["last"], model: "m" } })
  await live(folders).set({ disabledAgentNames: [], model: null })
  expect(JSON.parse(await readFile(folders.ours, "utf8"))).toEqual({
    subagents: { disabledAgentNames: [], model: null },
  })
})

test("whoever listens is told of a change once, and of none when nothing is another", async () => {
  const folders = await foldersWith({ subagents: { maxConcurrent: 2 } })
  const settings = live(folders)
  await settings.refresh()
  let told = 0
  onTestFinished(settings.onChange(() => told++))
  await settings.refresh()
  await settings.set({ maxConcurrent: 2 })
  expect(told).toBe(0)
  await settings.set({ maxConcurrent: 3 })
  expect([told, settings.current.maxConcurrent]).toEqual([1, 3])
})

test("R-177 what another program writes is seen, also when it replaces the file", async () => {
  const folders = await foldersWith({})
  const settings = live(folders)
  let next = Promise.withResolvers<void>()
  onTestFinished(settings.onChange(() => next.resolve()))
  await settings.refresh()

  await writeFile(folders.ours, JSON.stringify({ subagents: { allowParentToContinue: true } }))
  await next.promise
  expect(settings.current.allowParentToContinue).toBe(true)

  next = Promise.withResolvers()
  await writeFile(`${folders.ours}.new`, JSON.stringify({ subagents: { enabled: false } }))
  await rename(`${folders.ours}.new`, folders.ours)
  await next.promise
  expect(settings.current).toEqual({ ...DEFAULTS, enabled: false })
})

test("nobody who listens, nothing that is watched", async () => {
  const folders = await foldersWith({})
  const signals: AbortSignal[] = []
  const files = {
    ...folders.files,
    watch(paths: readonly string[], signal: AbortSignal) {
      signals.push(signal)
      return folders.files.watch(paths, signal)
    },
  }
  const settings = liveSettings({ ...folders, files })
  await settings.refresh()
  expect(signals).toEqual([])
  const stops = [settings.onChange(() => {}), settings.onChange(() => {})]
  expect(signals.length).toBe(1)
  stops[0]?.()
  expect(signals[0]?.aborted).toBe(false)
  stops[1]?.()
  expect(signals[0]?.aborted).toBe(true)
})

test("a workspace that the user has not trusted settles nothing", async () => {
  const folders = await foldersWith({}, { subagents: { maxConcurrent: 9 } })
  expect((await live(folders).refresh()).maxConcurrent).toBe(4)
})
