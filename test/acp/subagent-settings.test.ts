import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Loose, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const AWARE = { capabilities: { subagents: true } }

const DEFAULTS = {
  enabled: true,
  maxConcurrent: 4,
  allowParentToContinue: false,
  model: null,
  reasoningEffort: null,
  tools: null,
  disabledAgentNames: [],
}

/** What a session can give a subagent as long as nothing is configured. */
const READING = ["read_file", "read_many_files", "list_directory", "glob", "search_file_content"]

test("the settings are read, with the tools there are for subagents", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session(AWARE)
  const { settings, availableTools } = await client.request("session/subagent_settings", { sessionId })
  expect(settings).toEqual(DEFAULTS)
  expect(availableTools).toEqual(expect.arrayContaining(READING))
  expect(availableTools.filter((name: string) => /write|replace|shell|edit|todo|agent/.test(name))).toEqual([])
})

test("R-175 what is set is told to every client with a session before it is answered, and written down", async () => {
  const { session, home } = await workshop({ settings: { mode: "ask" } })
  const { client, sessionId } = await session(AWARE)
  const other = await session(AWARE)
  const set = { maxConcurrent: 50, allowParentToContinue: true, reasoningEffort: "low", model: "m" }
  const answer = await client.request("session/subagent_settings", { sessionId, settings: set })

  expect(answer.settings).toEqual({ ...DEFAULTS, ...set, maxConcurrent: 10 })
  expect(client.story.slice(-2)).toEqual(["· subagent_settings_update", "← session/subagent_settings"])
  await other.client.until("· subagent_settings_update")
  for (const told of [client, other.client]) {
    expect(told.updates("subagent_settings_update")).toEqual([{ sessionUpdate: "subagent_settings_update", ...answer }])
  }
  expect(JSON.parse(await readFile(join(home, "settings.json"), "utf8"))).toMatchObject({
    mode: "ask",
    subagents: { ...set, maxConcurrent: 10 },
  })
})

test("they are set by three names, in `settings` or beside the session's id", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session(AWARE)
  const maxConcurrent = async (method: string, params: object) =>
    (await client.request(method, { sessionId, ...params })).settings.maxConcurrent
  expect([
    await maxConcurrent("session/subagent_set_settings", { settings: { maxConcurrent: 2 } }),
    await maxConcurrent("session/set_subagent_settings", { maxConcurrent: 3 }),
    await maxConcurrent("_kodadev/session/subagent_settings", { maxConcurrent: 5 }),
    await maxConcurrent("session/subagent_settings", {}),
  ]).toEqual([2, 3, 5, 5])
})

test("R-177 what another program writes is told", async () => {
  const { session, home } = await workshop()
  const { client } = await session(AWARE)
  await writeFile(join(home, "settings.json"), JSON.stringify({ subagents: { enabled: false, tools: [] } }))
  await client.until("· subagent_settings_update")
  expect(client.updates("subagent_settings_update")[0].settings).toEqual({ ...DEFAULTS, enabled: false, tools: [] })
})

test("R-177 other settings are not told, and half a file changes nothing", async () => {
  const { session, home, provider } = await workshop({ settings: { subagents: { enabled: false } } })
  const { client, sessionId } = await session(AWARE)
  const write = (text: string) => writeFile(join(home, "settings.json"), text)
  const off = { subagents: { enabled: false } }
  await write(JSON.stringify({ ...off, uiLanguage: "ru" }))
  await client.request("session/subagent_definitions", { sessionId }) // they depend on the settings
  provider.script(says("hello"))
  for (const half of ["", '{ "subagents": { "enabled": tru']) {
    await write(half)
    await client.request("session/prompt", { sessionId, prompt: text("hi") })
    expect(provider.asked.at(-1)!.text).not.toContain('"run_subagent"')
  }
  await write(JSON.stringify({ ...off, subagents: { enabled: true } }))
  await client.until("· subagent_settings_update")
  expect(client.updates("subagent_settings_update").map(({ settings }) => settings)).toEqual([DEFAULTS])
})

test("R-176 the tools are those of the session at that moment", async () => {
  const { session } = await workshop()
  const narrow = await session(AWARE, { coreTools: ["read_file", "glob", "write_file"] })
  const wide = await session(AWARE)
  await narrow.client.request("session/subagent_settings", {
    sessionId: narrow.sessionId,
    settings: { enabled: false },
  })
  await wide.client.until("· subagent_settings_update")
  const told = ({ client }: typeof narrow) => client.updates("subagent_settings_update")[0].availableTools
  expect(told(narrow)).toEqual(["read_file", "glob"])
  expect(told(wide)).toEqual(expect.arrayContaining(READING))
})

test("R-262 R-263 R-265 a list of tools only takes away; null gives them all, and an empty one none", async () => {
  const { session, home } = await workshop()
  const { client, sessionId } = await session(AWARE)
  const set = async (tools: unknown) =>
    (await client.request("session/subagent_settings", { sessionId, settings: { tools } })).settings.tools
  expect(await set(["glob", "grep", "write_file", "no_such", "codebase_search"])).toEqual([
    "glob",
    "search_file_content",
  ])
  expect(await set([])).toEqual([])
  expect(await set(null)).toBe(null)
  expect(JSON.parse(await readFile(join(home, "settings.json"), "utf8")).subagents).toEqual({ tools: null })
})

test("R-204 an effort there is not is put to null", async () => {
  const { session } = await workshop({ settings: { subagents: { reasoningEffort: "low" } } })
  const { client, sessionId } = await session(AWARE)
  const set = { reasoningEffort: "gigantic" }
  const { settings } = await client.request("session/subagent_settings", { sessionId, settings: set })
  expect(settings.reasoningEffort).toBe(null)
})

test("R-229 R-230 roles are switched off by name, and on again by an empty list", async () => {
  const text = "---\nname: a\ndescription: d\n---\nx"
  const { session } = await workshop({ home: { "agents/a.md": text } })
  const { client, sessionId } = await session(AWARE)
  const set = (disabledAgentNames: string[]) =>
    client.request("session/subagent_settings", { sessionId, settings: { disabledAgentNames } })
  await client.request("session/subagent_definitions", { sessionId })

  await set(["a"])
  expect(client.story.slice(-3).sort()).toEqual([
    "· subagent_definitions_update",
    "· subagent_settings_update",
    "← session/subagent_settings",
  ])
  expect((await set([])).settings.disabledAgentNames).toEqual([])
  expect(client.updates("subagent_definitions_update").map(({ agents }) => agents[0].enabled)).toEqual([false, true])
})

test("R-301 a value of another kind is refused and named, and nothing is written", async () => {
  const { session, home } = await workshop()
  const { client, sessionId } = await session(AWARE)
  const before = await readFile(join(home, "settings.json"), "utf8")
  for (const [key, value] of Object.entries({
    enabled: "yes",
    maxConcurrent: "4",
    tools: "glob",
    disabledAgentNames: [1],
  })) {
    const { error } = (await client.answerTo("session/subagent_settings", {
      sessionId,
      settings: { [key]: value },
    })) as Loose
    expect([error.code, error.data.details.startsWith(`settings.${key}`)]).toEqual([-32602, true])
  }
  expect(await readFile(join(home, "settings.json"), "utf8")).toBe(before)
})

test("R-153 a client of the standard finds the methods in the answer to initialize", async () => {
  const { connect } = await workshop()
  const { agentCapabilities } = await connect().request("initialize", {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: STANDARD.info,
  })
  expect(agentCapabilities._meta["com.kodadev"].methods).toEqual(
    expect.arrayContaining(["session/subagent_settings", "session/subagent_definitions"]),
  )
})

test("R-157 a session that is loaded tells its client the settings at the start", async () => {
  const {
    session,
    client: connect,
    cwd,
  } = await workshop({
    settings: { subagents: { maxConcurrent: 2 } },
    env: { KODA_ACP_SESSION_STORE_DIR: await temporaryFolder() },
  })
  const { client, sessionId } = await session(AWARE)
  const read = await client.request("session/subagent_settings", { sessionId })
  expect(read.settings.maxConcurrent).toBe(2)

  const later = await connect(AWARE)
  await later.request("session/load", { sessionId, cwd, mcpServers: [] })
  await later.until("· subagent_settings_update")
  expect(later.updates("subagent_settings_update")).toEqual([{ sessionUpdate: "subagent_settings_update", ...read }])
})
