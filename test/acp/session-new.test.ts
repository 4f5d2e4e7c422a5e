import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { MODES } from "../../src/instructions/modes.ts"
import { type Loose, SECRET, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { says as text } from "../support/replies.ts"

const OFFLINE = { modelId: "koda-offline", name: "Koda offline", description: expect.any(String), imageSupport: false }
const REASONING = { supportedEfforts: ["low", "high"], defaultEffort: "low" }
const THINKER = {
  modelId: "thinker",
  baseUrl: "http://127.0.0.1:9/v1",
  apiKey: SECRET,
  name: "Thinker",
  imageSupport: false,
  reasoning: REASONING,
}

/** What a session's options are, less the words. */
const valuesOf = (options: Loose[]) =>
  options.map(({ id, type, category, currentValue, options }) => ({
    id,
    type,
    category,
    currentValue,
    values: options.map(({ value }: Loose) => value),
  }))

test("R-029 R-036…R-041 R-077 R-131…R-133 a session is answered with its models, modes, options and servers", async () => {
  const { client, cwd } = await workshop({ home: { "custom_models.json": JSON.stringify({ models: [THINKER] }) } })
  const koda = await client()

  const { configOptions, ...rest } = await koda.request("session/new", { cwd, mcpServers: [] })

  expect(rest).toEqual({
    sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    models: {
      currentModelId: "m",
      availableModels: [
        { modelId: "m", name: "m", description: null, imageSupport: true },
        {
          modelId: "thinker",
          name: "Thinker",
          description: null,
          imageSupport: false,
          reasoning: { ...REASONING, currentEffort: "low" },
        },
        OFFLINE,
      ],
    },
    modes: {
      currentModeId: "code",
      availableModes: MODES.map(({ id, name, description }) => ({ id, name, description })),
    },
    mcpState: { discoveryState: "completed", servers: [] },
    subagents: { tasks: [], settings: expect.any(Object), availableTools: expect.any(Array) },
  })
  expect(valuesOf(configOptions)).toEqual([
    {
      id: "models",
      type: "select",
      category: "model",
      currentValue: "m",
      values: ["m", "thinker", "koda-offline"],
    },
    {
      id: "access_policy",
      type: "select",
      category: "_access_policy",
      currentValue: "default",
      values: ["read_only", "default", "auto_edit", "yolo"],
    },
    {
      id: "mode",
      type: "select",
      category: "mode",
      currentValue: "code",
      values: ["code", "ask", "plan", "debug", "educator"],
    },
  ])
})

test("R-039 R-040 a model with efforts brings an option to choose one", async () => {
  const { client, cwd } = await workshop({
    home: { "custom_models.json": JSON.stringify({ models: [THINKER] }) },
    settings: { model: "thinker", reasoningEffort: { thinker: "high" } },
  })
  const { models, configOptions } = await (await client()).request("session/new", { cwd, mcpServers: [] })

  expect(models.currentModelId).toBe("thinker")
  expect(models.availableModels[1].reasoning).toEqual({ ...REASONING, currentEffort: "high" })
  expect(configOptions.at(-1)).toEqual({
    id: "reasoning_effort",
    name: "Reasoning effort",
    type: "select",
    category: "thought_level",
    currentValue: "high",
    options: [
      { value: "low", name: "Low" },
      { value: "high", name: "High" },
    ],
  })
})

test("R-042 JR-11 the answer comes before the session's first updates, which Koda's clients get in this order", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session()

  expect(client.story.slice(2)).toEqual([
    "→ session/new",
    "← session/new",
    "· available_commands_update",
    "· mcp_state_update",
    "· session_info_update",
    "· context_usage_update",
  ])
  expect(client.updates("mcp_state_update")).toEqual([
    { sessionUpdate: "mcp_state_update", discoveryState: "completed", servers: [] },
  ])
  expect(client.updates("context_usage_update")).toEqual([
    { sessionUpdate: "context_usage_update", usedTokens: 0, maxTokens: null },
  ])
  const told = client.received.filter(({ method }) => method === "session/update")
  expect(new Set(told.map(({ params }) => params.sessionId))).toEqual(new Set([sessionId]))
})

test("a client of the standard gets the standard's kinds, and what is Koda's own under _meta", async () => {
  const { client, cwd } = await workshop({ settings: { contextWindow: { m: 100_000 } } })
  const standard = await client(STANDARD)

  const answer = await standard.request("session/new", { cwd, mcpServers: [] })
  await standard.until("· session_info_update")

  expect(Object.keys(answer).sort()).toEqual(["_meta", "configOptions", "modes", "sessionId"])
  expect(answer._meta["com.kodadev"]).toMatchObject({
    models: { currentModelId: "m" },
    mcpState: { discoveryState: "completed", servers: [] },
  })
  expect(standard.story.slice(3)).toEqual([
    "← session/new",
    "· available_commands_update",
    "· session_info_update",
    "· usage_update",
  ])
  expect(standard.updates("usage_update")).toEqual([{ sessionUpdate: "usage_update", used: 0, size: 100_000 }])
})

describe("where a session works", () => {
  test("R-029 R-301 a folder must be absolute", async () => {
    const { client } = await workshop()
    const answer = await (await client()).answerTo("session/new", { cwd: ".", mcpServers: [] })
    expect(answer).toEqual({
      error: {
        code: -32602,
        message: 'Invalid params: cwd: "." is not an absolute path',
        data: {
          details: 'cwd: "." is not an absolute path',
          reason: "invalid_params",
          issues: [{ path: "cwd", message: '"." is not an absolute path' }],
        },
      },
    })
  })

  test("a folder that is not there is named", async () => {
    const { client, cwd } = await workshop()
    const answer = await (await client()).answerTo("session/new", { cwd: `${cwd}/nowhere`, mcpServers: [] })
    expect(answer).toMatchObject({
      error: { code: -32602, data: { details: `there is no folder "${cwd}/nowhere"`, reason: "not_found" } },
    })
  })

  test.each(["/\0", `/${"long".repeat(2000)}`])(
    "R-301 what can be no folder is refused as one that is not there",
    async (cwd) => {
      const { client } = await workshop()
      expect(await (await client()).answerTo("session/new", { cwd, mcpServers: [] })).toMatchObject({
        error: { code: -32602, data: { reason: "not_found" } },
      })
    },
  )

  test("R-301 what is wrong with a field in _meta is said with the whole path to it", async () => {
    const { client, cwd } = await workshop()
    const _meta = { "com.kodadev": { coreTools: [5] } }
    expect(await (await client()).answerTo("session/new", { cwd, mcpServers: [], _meta })).toMatchObject({
      error: {
        code: -32602,
        data: { issues: [{ path: "_meta.com.kodadev.coreTools.0", message: "must be a text, not 5" }] },
      },
    })
  })

  test("the model is told the session's folder and the further ones", async () => {
    const { session, provider, cwd } = await workshop({ files: { "more/a.txt": "" } })
    provider.script(says("hi"))
    const { client, sessionId } = await session({}, { additionalDirectories: [`${cwd}/more`] })
    await client.request("session/prompt", { sessionId, prompt: text("hi") })

    const [system] = provider.asked[0]!.body["messages"] as Loose[]
    expect(system.content).toContain(`The project: ${cwd} `)
    expect(system.content).toContain(`Also yours to work in: ${cwd}/more\n`)
  })

  test("a link to a folder is a folder", async () => {
    const { client, cwd } = await workshop({ files: { "real/a.txt": "" } })
    await symlink(join(cwd, "real"), join(cwd, "link"))
    expect(await (await client()).request("session/new", { cwd: `${cwd}/link` })).toMatchObject({ sessionId: /./ })
  })
})

describe("R-030 the client's system prompt", () => {
  const systemFor = async (params: object, client = {}) => {
    const { session, provider } = await workshop()
    provider.script(says("hi"))
    const { client: koda, sessionId } = await session(client, params)
    await koda.request("session/prompt", { sessionId, prompt: text("hi") })
    return (provider.asked[0]!.body["messages"] as Loose[])[0].content as string
  }

  test("a text stands in for the persona; what the agent must know of its place stays", async () => {
    const system = await systemFor({ systemPrompt: "You are a pirate." })
    expect(system.split("\n")[0]).toBe("You are a pirate.")
    expect(system).toContain("The project: ")
    expect(system).not.toContain("You are Koda")
  })

  test("an empty text or null is none", async () => {
    expect(await systemFor({ systemPrompt: "" })).toMatch(/^You are Koda/)
    expect(await systemFor({ systemPrompt: null })).toMatch(/^You are Koda/)
  })

  test("a client of the standard may add to it or replace it, in _meta", async () => {
    const content = [{ type: "text", text: "Speak Latin." }]
    const own = (systemPrompt: object) => ({ _meta: { "com.kodadev": { systemPrompt } } })
    const added = await systemFor(own({ mode: "append", content }), STANDARD)
    const replaced = await systemFor(own({ mode: "override", content }), STANDARD)
    expect([added.startsWith("You are Koda"), added.endsWith("Speak Latin.")]).toEqual([true, true])
    expect(replaced).toMatch(/^Speak Latin\./)
  })

  test("any other mode is refused", async () => {
    const { client, cwd } = await workshop()
    const params = { cwd, systemPrompt: { mode: "prepend", content: [] } }
    expect(await (await client()).answerTo("session/new", params)).toMatchObject({ error: { code: -32602 } })
  })
})

describe("which tools a session has", () => {
  const toolsWith = async (settings: object, params: object) => {
    const { session, provider } = await workshop({ settings })
    provider.script(says("hi"))
    const { client, sessionId } = await session({}, params)
    await client.request("session/prompt", { sessionId, prompt: text("hi") })
    const tools = (provider.asked[0]!.body["tools"] ?? []) as Loose[]
    return tools.map(({ function: { name } }) => name)
  }

  test("R-032 the client's exclusions are added to the user's", async () => {
    const tools = await toolsWith({ excludeTools: ["write_file"] }, { excludeTools: ["run_shell_command", "edit"] })
    expect(tools).toContain("read_file")
    for (const gone of ["write_file", "run_shell_command", "replace"]) expect(tools).not.toContain(gone)
  })

  test("R-033 the client's list only narrows the user's", async () => {
    const tools = await toolsWith(
      { coreTools: ["read_file", "glob"] },
      { coreTools: ["glob", "write_file"], excludeTools: [] },
    )
    expect(tools).toEqual(["glob"])
  })

  test("R-034 the names may be those that other agents use", async () => {
    const coreTools = ["read_file", "search_file_content", "replace", "glob", "list_directory", "shell", "grep", "ls"]
    expect((await toolsWith({}, { coreTools })).sort()).toEqual([
      "glob",
      "list_directory",
      "read_file",
      "replace",
      "run_shell_command",
      "search_file_content",
    ])
  })

  test("an empty list leaves none; null is no list", async () => {
    expect(await toolsWith({}, { coreTools: [] })).toEqual([])
    expect((await toolsWith({}, { coreTools: null, excludeTools: null })).length).toBeGreaterThan(8)
  })
})

test("two sessions have two ids, and closing one ends it alone", async () => {
  const { session, cwd, provider } = await workshop()
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  const other = await client.request("session/new", { cwd, mcpServers: [] })
  expect(other.sessionId).not.toBe(sessionId)

  expect(await client.request("session/close", { sessionId })).toEqual({})

  const prompt = text("hi")
  expect(await client.answerTo("session/prompt", { sessionId, prompt })).toEqual({
    error: {
      code: -32002,
      message: `There is no open session "${sessionId}"`,
      data: { details: `There is no open session "${sessionId}"`, reason: "not_found", sessionId },
    },
  })
  expect(await client.request("session/prompt", { sessionId: other.sessionId, prompt })).toMatchObject({
    stopReason: "end_turn",
  })
})
