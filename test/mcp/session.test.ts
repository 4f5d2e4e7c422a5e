import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Client, type Loose, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"
import { isAlive, NODE, notes, program, untilTrue } from "./servers.ts"

const calling = (name: string, input: object = {}) => `!${name} ${JSON.stringify(input)}`
const prompt = (text: string) => [{ type: "text", text }]
const offline = { model: "none" } as const
const hung = { name: "hung", command: NODE, args: ["-e", "setInterval(() => {}, 1000)"], env: [] }

/** Resolves when each server is there, or is known not to be. */
async function settled(client: Client): Promise<void> {
  await untilTrue(() => client.updates("mcp_state_update").at(-1)?.discoveryState === "completed")
}

test("R-041 MC-01 session/new is answered before any server is started; how each stands is told after it", async () => {
  const { client, cwd } = await workshop(offline)
  const editor = await client()
  const result = await editor.request("session/new", { cwd, mcpServers: [program("s"), hung] })
  expect(result.mcpState).toEqual({
    discoveryState: "not_started",
    servers: [
      { name: "s", status: "connecting" },
      { name: "hung", status: "connecting" },
    ],
  })
  const states = () =>
    editor.updates("mcp_state_update").map(({ servers }) => servers.find(({ name }: { name: string }) => name === "s"))
  await untilTrue(() => states().some(({ status }) => status === "connected"))
  expect(states().at(-1)).toEqual({ name: "s", status: "connected", tools: 3 })
  expect(editor.updates("mcp_state_update").at(-1).discoveryState).toBe("in_progress")
})

test("R-035 the first prompt waits for servers that are still connecting, asks before a call, and the call runs", async () => {
  const { session } = await workshop(offline)
  const { client, sessionId } = await session({}, { mcpServers: [program("s")] })
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  await client.request("session/prompt", { sessionId, prompt: prompt(calling("mcp__s__echo", { text: "hello" })) })
  const [asked] = client.asked("session/request_permission")
  expect(asked.toolCall.title).toBe("s: echo")
  const ended = client.updates("tool_call_update").at(-1)
  expect(ended).toMatchObject({
    status: "completed",
    content: [{ type: "content", content: { type: "text", text: "hello" } }],
  })
})

test("R-139 under read_only no tool of a server is offered or run", async () => {
  const { session, provider } = await workshop({ launch: { policy: "read_only" } })
  const { client, sessionId } = await session({}, { mcpServers: [program("s")] })
  provider.script(calls({ name: "mcp__s__echo", input: { text: "x" } }), says("done"))
  await settled(client)
  await client.request("session/prompt", { sessionId, prompt: prompt("go") })
  const { tools } = provider.asked[0]!.body as Loose
  const names: string[] = tools.map(({ function: { name } }: Loose) => name)
  expect(names.filter((name) => name.startsWith("mcp__"))).toEqual([])
  expect(client.updates("tool_call_update").at(-1).status).toBe("failed")
})

test("MC-03 variables and servers come in every shape, and a bad entry costs only itself", async () => {
  const file = join(await temporaryFolder(), "notes")
  const { session } = await workshop(offline)
  const mcpServers = [
    { ...program("map", "good", file), env: { A: "1", B: 2 } },
    { ...program("none"), env: undefined, type: "stdio" },
    { name: "odd", type: "carrier pigeon", command: "x" },
    { name: "empty" },
    { name: "args", command: "x", args: "not a list" },
    "no server",
    program("none"),
  ]
  const { client, sessionId } = await session({}, { mcpServers })
  await settled(client)
  await client.request("session/prompt", { sessionId, prompt: prompt('!list_directory {"path": "."}') })
  const last = client.updates("mcp_state_update").at(-1)
  const rows = last.servers.map(({ name, status, error }: { name: string; status: string; error?: string }) => [
    name,
    status,
    error,
  ])
  expect(rows).toEqual([
    ["map", "connected", undefined],
    ["none", "connected", undefined],
    ["odd", "disconnected", 'Its type "carrier pigeon" is not known; it can be stdio, http or sse'],
    ["empty", "disconnected", "It has neither a command nor a url"],
    ["args", "disconnected", 'Its entry can\'t be read: "args" must be a list'],
    ["server 6", "disconnected", "Its entry can't be read: it must be an object"],
    ["none", "disconnected", 'Another server is called "none", too; only the first is used'],
  ])
  const [{ env }] = await notes(file)
  expect([env.A, env.B]).toEqual(["1", "2"])
  const told = client.updates("agent_thought_chunk").map(({ content }) => content.text)
  expect(told.join("").split("\n")).toContain(
    'The MCP server "odd" is not there: Its type "carrier pigeon" is not known; it can be stdio, http or sse',
  )
})

test("the model hears once that a server is not there", async () => {
  const { session, provider } = await workshop()
  const { client, sessionId } = await session({}, { mcpServers: [program("bad", "exits")] })
  provider.script(says("first"))
  await settled(client)
  await client.request("session/prompt", { sessionId, prompt: prompt("go") })
  const sent = JSON.stringify(provider.asked[0]?.body["messages"])
  expect(sent).toContain('The MCP server \\"bad\\" is not there')
})

test("the model hears once what a server says of how it is used, and who has written that", async () => {
  const { session, provider } = await workshop()
  const { client, sessionId } = await session({}, { mcpServers: [program("s", "speaks")] })
  provider.script(says("first"), says("second"))
  await settled(client)
  await client.request("session/prompt", { sessionId, prompt: prompt("go") })
  await client.request("session/prompt", { sessionId, prompt: prompt("go on") })
  const sent = JSON.stringify(provider.asked.at(-1)?.body["messages"])
  expect(sent.match(/The MCP server \\"s\\" says how it is used; its authors have written that/g)).toHaveLength(1)
  expect(sent).toMatch(/Echo twice\.x{1900,2000}…/)
})

test("MC-10 the form of a server is shown by the client that has forms", async () => {
  const { session } = await workshop({ ...offline, launch: { policy: "yolo" } })
  const { client, sessionId } = await session(
    { capabilities: { elicitation: { form: {} } } },
    { mcpServers: [program("s")] },
  )
  client.on("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }))
  await settled(client)
  await client.request("session/prompt", { sessionId, prompt: prompt(calling("mcp__s__echo", { do: "elicit" })) })
  expect(client.asked("elicitation/create")).toEqual([
    {
      sessionId,
      mode: "form",
      message: "s: Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  ])
  const ended = client.updates("tool_call_update").at(-1)
  expect(ended.content[0].content.text).toBe('{"action":"accept","content":{"name":"Ada"}}')
})

test("a server of the user's settings is started, and one of a workspace that is not trusted is not", async () => {
  const file = join(await temporaryFolder(), "notes")
  const theirs = { mcpServers: { evil: program("evil", "good", file) } }
  const { cwd, client } = await workshop({
    ...offline,
    files: { ".koda/settings.json": JSON.stringify(theirs) },
    settings: { mcpServers: { mine: program("mine") } },
  })
  const editor = await client()
  const { mcpState, sessionId } = await editor.request("session/new", { cwd })
  expect(mcpState.servers).toEqual([{ name: "mine", status: "connecting" }])
  await settled(editor)
  await editor.request("session/prompt", { sessionId, prompt: prompt('!list_directory {"path": "."}') })
  expect(await notes(file)).toEqual([])
})

test("MC-12 servers end with their session, and with the connection", async () => {
  const file = join(await temporaryFolder(), "notes")
  const { session, server } = await workshop(offline)
  const { client, sessionId } = await session({}, { mcpServers: [program("s", "stubborn", file)] })
  await untilTrue(async () => (await notes(file)).length > 1)
  await client.request("session/close", { sessionId })
  const [{ started }] = await notes(file)
  await untilTrue(() => !isAlive(started))

  await writeFile(file, "")
  const { cwd } = await workshop(offline)
  await client.request("session/new", { cwd, mcpServers: [program("s", "stubborn", file)] })
  await untilTrue(async () => (await notes(file)).length > 1)
  await server.close()
  const [{ started: second }] = await notes(file)
  await untilTrue(() => !isAlive(second))
})

test("a client of the standard is told in words alone", async () => {
  const { session } = await workshop(offline)
  const { client, sessionId } = await session(STANDARD, { mcpServers: [{ name: "bad", type: "pigeon" }] })
  await client.request("session/prompt", { sessionId, prompt: prompt('!list_directory {"path": "."}') })
  expect(client.updates("mcp_state_update")).toEqual([])
  const told = client.updates("agent_thought_chunk").map(({ content }) => content.text.trim())
  expect(told).toContain(
    'The MCP server "bad" is not there: Its type "pigeon" is not known; it can be stdio, http or sse',
  )
})

test("a server that the user trusts is not asked about, and lists of tools may name it whole", async () => {
  const { client, cwd } = await workshop({
    ...offline,
    settings: { mcpServers: { s: { ...program("s"), trust: true, excludeTools: ["fail"] }, t: program("t") } },
  })
  const editor = await client()
  const { sessionId } = await editor.request("session/new", { cwd, excludeTools: ["mcp__t"] })
  await settled(editor)
  await editor.request("session/prompt", { sessionId, prompt: prompt(calling("mcp__s__echo", { text: "hello" })) })
  expect(editor.asked("session/request_permission")).toEqual([])
  expect(editor.updates("tool_call_update").at(-1).content[0].content.text).toBe("hello")
  for (const name of ["mcp__t__echo", "mcp__s__fail"]) {
    await editor.request("session/prompt", { sessionId, prompt: prompt(calling(name)) })
    expect(editor.updates("tool_call_update").at(-1).content[0].content.text).toContain(
      `There is no tool named "${name}"`,
    )
  }
})

test("a session that is open already takes in the servers of whoever loads it", async () => {
  const folder = await temporaryFolder()
  const { session, cwd } = await workshop({ ...offline, env: { KODA_ACP_SESSION_STORE_DIR: folder } })
  const { client, sessionId } = await session({}, { mcpServers: [program("s")] })
  await client.request("session/load", { sessionId, cwd, mcpServers: [program("s"), program("t")] })
  await untilTrue(() => {
    const states: Loose[] = client.updates("mcp_state_update").at(-1).servers
    return states.length === 2 && states.every(({ status }) => status === "connected")
  })
})
