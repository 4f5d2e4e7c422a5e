import { describe, expect, test } from "vitest"
import { type ClientOptions, type Loose, STANDARD, workshop } from "../support/client.ts"

/** How a client that has introduced itself so is spoken to. */
async function spokenTo(options: ClientOptions, dialect?: "koda" | "standard") {
  const { client, cwd } = await workshop(dialect ? { launch: { dialect } } : {})
  const answer = await (await client(options)).request("session/new", { cwd, mcpServers: [] })
  return "models" in answer ? "koda" : "standard"
}

test("who gives no name, says that it knows subagents, or sends our _meta is spoken to in Koda's wire", async () => {
  const info = { name: "zed", version: "1" }
  expect({
    "no name": await spokenTo({}),
    "subagents: true": await spokenTo({ info, capabilities: { subagents: true } }),
    "_meta of the params": await spokenTo({ info, more: { _meta: { "com.kodadev": {} } } }),
    "_meta of the capabilities": await spokenTo({ info, capabilities: { _meta: { "com.kodadev": {} } } }),
    "a name alone": await spokenTo({ info }),
    "the standard's subagents": await spokenTo({ info, capabilities: { subagents: {} } }),
    "somebody else's _meta": await spokenTo({ info, capabilities: { _meta: { terminal_output: true } } }),
  }).toEqual({
    "no name": "koda",
    "subagents: true": "koda",
    "_meta of the params": "koda",
    "_meta of the capabilities": "koda",
    "a name alone": "standard",
    "the standard's subagents": "standard",
    "somebody else's _meta": "standard",
  })
})

test("--dialect decides, whatever a client says", async () => {
  expect(await spokenTo({}, "standard")).toBe("standard")
  expect(await spokenTo(STANDARD, "koda")).toBe("koda")
})

describe("a client of the standard that turns out to know Koda's wire", () => {
  /** Which dialect `session/new` is answered in after this call. */
  const dialectAfter = async (method: string, params: object, dialect?: "standard") => {
    const { client, cwd } = await workshop(dialect ? { launch: { dialect } } : {})
    const standard = await client(STANDARD)
    const { sessionId } = await standard.request("session/new", { cwd, mcpServers: [] })
    await standard.answerTo(method, { sessionId, ...params })
    const answer = await standard.request("session/new", { cwd, mcpServers: [] })
    return "models" in answer ? "koda" : "standard"
  }

  test.for([
    ["koda/custom_models/list", {}],
    ["session/set_reasoning_effort", { effort: "low" }],
    ["session/compact", {}],
    ["session/set_plan", { entries: [] }],
    ["session/subagent_list", {}],
    ["session/new", { cwd: "/", mcpServers: [], systemPrompt: "x" }],
    ["session/new", { cwd: "/", mcpServers: [], coreTools: [] }],
  ] as const)("%s %j raises the dialect", async ([method, params]) => {
    expect(await dialectAfter(method, params)).toBe("koda")
  })

  test.for([
    ["session/set_model", { modelId: "m" }],
    ["session/fork", { cwd: "/", mcpServers: [] }],
    ["_kodadev/koda/custom_models/list", {}],
    ["_kodadev/session/set_reasoning_effort", { effort: "low" }],
    ["session/new", { cwd: "/", mcpServers: [], _meta: { "com.kodadev": { systemPrompt: "x", coreTools: [] } } }],
    ["session/new", { cwd: "/", mcpServers: [], systemPrompt: { mode: "append", content: [] } }],
    ["session/new", { cwd: "/", mcpServers: [], systemPrompt: null, coreTools: null, allowedSkills: null }],
  ] as const)("%s %j does not", async ([method, params]) => {
    expect(await dialectAfter(method, params)).toBe("standard")
  })

  test("--dialect standard is never raised", async () => {
    expect(await dialectAfter("koda/custom_models/list", {}, "standard")).toBe("standard")
  })

  test("the very session/new that shows it is answered in Koda's wire", async () => {
    const { client, cwd } = await workshop()
    const standard = await client(STANDARD)
    const answer = await standard.request("session/new", { cwd, mcpServers: [], excludeTools: [] })
    await standard.until("· context_usage_update")
    expect(answer).toMatchObject({ models: { currentModelId: "m" } })
  })
})

test("each of Koda's methods is understood under _kodadev/, in either dialect", async () => {
  const { client, cwd } = await workshop()
  for (const options of [STANDARD, {}]) {
    const connected = await client(options)
    const { sessionId } = await connected.request("session/new", { cwd, mcpServers: [] })
    const results = [
      await connected.request("_kodadev/koda/custom_models/list", {}),
      await connected.request("_kodadev/session/set_model", { sessionId, modelId: "koda-offline" }),
    ]
    expect(results).toEqual([{ models: [] }, {}])
  }
})

test("one agent speaks to each of its clients in the client's own dialect", async () => {
  const { session } = await workshop()
  const koda = await session()
  const standard = await session(STANDARD)

  const kinds = ({ client }: { client: Loose }) => client.updates().map(({ sessionUpdate }: Loose) => sessionUpdate)

  expect(kinds(koda)).toContain("context_usage_update")
  expect(kinds(standard)).not.toContain("context_usage_update")
})
