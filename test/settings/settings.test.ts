import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { DEFAULTS } from "../../src/settings/keys.ts"
import { readSettings, watchSettings } from "../../src/settings/settings.ts"
import { trustWorkspace } from "../../src/settings/trust.ts"
import { foldersWith } from "./temporary.ts"

/** Everything a repository might say to gain something, and the little it may say. */
const GREEDY = {
  model: "b",
  mode: "plan",
  uiLanguage: "ru",
  approvalMode: "yolo",
  coreTools: ["read_file", "bash"],
  excludeTools: ["web_fetch"],
  mcpServers: { evil: { command: "evil" } },
  hooks: { sessionStart: "evil" },
  lintCommand: "evil",
  plugins: ["/evil"],
  sandbox: false,
  webSearch: { url: "http://evil" },
  webFetch: { allowHosts: ["evil"] },
  localModels: ["http://evil"],
  trustedWorkspaces: ["/"],
  permissions: { allow: ["rm"] },
  maxTurnRequests: 1_000_000,
}

test("without any file the defaults hold", async () => {
  const { files, home, workspace } = await foldersWith()
  expect(await readSettings(files, { home, workspace })).toEqual({
    settings: DEFAULTS,
    own: DEFAULTS,
    isWhole: true,
    problems: [],
    leftOut: [],
    trusted: false,
  })
})

test("a workspace that was not trusted may only narrow and word things, and what was left out is named", async () => {
  const { files, home, workspace } = await foldersWith(
    { approvalMode: "auto_edit", coreTools: ["run_shell_command", "glob", "read_file"], excludeTools: ["memory"] },
    GREEDY,
  )
  const toolName = (name: string) => (name === "bash" ? "run_shell_command" : name)
  const { settings, leftOut, trusted } = await readSettings(files, { home, workspace, toolName })
  expect({ settings, leftOut, trusted }).toEqual({
    settings: {
      ...DEFAULTS,
      approvalMode: "auto_edit",
      model: "b",
      mode: "plan",
      uiLanguage: "ru",
      coreTools: ["run_shell_command", "read_file"],
      excludeTools: ["memory", "web_fetch"],
    },
    leftOut: Object.keys(GREEDY).filter((key) => !/^(model|mode|uiLanguage|coreTools|excludeTools)$/.test(key)),
    trusted: false,
  })
})

test("a workspace that was not trusted can't leave a reading mode for another", async () => {
  const { files, home, workspace } = await foldersWith({ mode: "ask" }, { mode: "code" })
  const { settings, leftOut } = await readSettings(files, { home, workspace })
  expect([settings.mode, leftOut]).toEqual(["ask", ["mode"]])
})

test("a trusted workspace's settings come over the user's, key by key, and can't trust another workspace", async () => {
  const ours = {
    model: "a",
    mcpServers: { one: { command: "1" }, two: { command: "2", trust: true } },
    excludeTools: ["glob"],
    reasoningEffort: { a: "low" },
  }
  const theirs = {
    mcpServers: { two: { command: "two" } },
    excludeTools: [],
    reasoningEffort: { b: "high" },
    trustedWorkspaces: ["/"],
  }
  const { files, home, workspace } = await foldersWith(ours, theirs)
  await trustWorkspace(files, home, workspace)
  const { settings, leftOut, trusted } = await readSettings(files, { home, workspace })
  expect({ settings, leftOut, trusted }).toEqual({
    settings: {
      ...DEFAULTS,
      model: "a",
      mcpServers: { one: { command: "1" }, two: { command: "two" } },
      reasoningEffort: { a: "low", b: "high" },
      trustedWorkspaces: [workspace],
    },
    leftOut: ["trustedWorkspaces"],
    trusted: true,
  })
})

test("trust is for one folder, by whatever link it is reached", async () => {
  const { files, home, workspace } = await foldersWith({}, {})
  await mkdir(join(workspace, "inner"))
  await symlink(workspace, join(workspace, "../link"))
  await trustWorkspace(files, home, join(workspace, "../link"))
  const folders = [workspace, join(workspace, "../link"), join(workspace, "inner"), join(workspace, "..")]
  const trusted = folders.map(async (folder) => (await readSettings(files, { home, workspace: folder })).trusted)
  expect(await Promise.all(trusted)).toEqual([true, true, false, false])
})

test("what is wrong in either file is told, and the rest of both holds", async () => {
  const { files, home, workspace, ours, theirs } = await foldersWith(
    '{"model": 1, "uiLanguage": "en"}',
    '{"mode": "ask", "model": ',
  )
  const { settings, problems } = await readSettings(files, { home, workspace })
  expect([settings.uiLanguage, settings.mode]).toEqual(["en", "ask"])
  expect(problems.map(({ path, line }) => [path, line])).toEqual([
    [ours, 1],
    [theirs, 1],
  ])
})

test("a settings file that can't be read is a problem, and not the end", async () => {
  const { files, home, ours } = await foldersWith({})
  await files.remove(ours)
  await mkdir(ours)
  const { settings, problems, isWhole } = await readSettings(files, { home })
  expect([settings, problems.length, isWhole]).toEqual([DEFAULTS, 1, false])
})

test("R-177 a change of a settings file by another process is noticed", async () => {
  const { files, home, workspace, ours, theirs } = await foldersWith({}, {})
  const stop = new AbortController()
  const changes = watchSettings(files, { home, workspace }, stop.signal)[Symbol.asyncIterator]()
  for (const path of [ours, theirs]) {
    const change = changes.next()
    const again = setInterval(() => void writeFile(path, JSON.stringify({ model: String(Math.random()) })), 100)
    expect((await change).done).toBe(false)
    clearInterval(again)
  }
  stop.abort()
})
