import { expect, test } from "vitest"
import { type Client, type Loose, quiet } from "../support/client.ts"
import { conversation, keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"

const answersOf = (client: Client, ...ids: string[]): Promise<Loose[]> =>
  Promise.all(
    ids.map(async (id) => {
      await client.until(`← ${id}`)
      return client.received.find((message) => message.id === id && message.method === undefined)
    }),
  )

test("what is asked of a session behind its load, in one write, waits for it and is done in order", async () => {
  const { again, cwd, sessionId, provider } = await kept()
  provider.script(says("Here."))
  const client = await again().client()
  client.write(
    { id: "load", method: "session/load", params: { sessionId, cwd, mcpServers: [] } },
    { id: "mode", method: "session/set_mode", params: { sessionId, modeId: "ask" } },
    { id: "plan", method: "session/set_plan", params: { sessionId, entries: [] } },
    { id: "prompt", method: "session/prompt", params: { sessionId, prompt: text("go") } },
  )
  const answers = await answersOf(client, "load", "mode", "plan", "prompt")
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined])
  const order = client.story.filter((line) => line.startsWith("← ")).map((line) => line.split(" ")[1])
  expect([order.at(-4), order.at(-1)]).toEqual(["load", "prompt"])
  const tools = (provider.asked.at(-1)!.body as Loose).tools.map((tool: Loose) => tool.function.name)
  expect(tools).not.toContain("write_file") // the mode holds for the prompt behind it
  expect(client.story.indexOf("· agent_message_chunk Here.")).toBeGreaterThan(client.story.indexOf("← load"))
})

test("what waits for a load that fails is told that there is no such session", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  client.write(
    { id: "load", method: "session/load", params: { sessionId, cwd: "/", mcpServers: [] } },
    { id: "prompt", method: "session/prompt", params: { sessionId, prompt: text("go") } },
  )
  const [load, waited] = await answersOf(client, "load", "prompt")
  expect(load.error).toMatchObject({ code: -32001, data: { reason: "cwd_mismatch" } })
  expect(waited.error).toMatchObject({ code: -32002, data: { reason: "not_found" } })
  expect(await client.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
})

test("SL-09 a close cancels the load before it: both are answered, and nothing is told after the close", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  client.write(
    { id: "load", method: "session/load", params: { sessionId, cwd, mcpServers: [] } },
    { id: "close", method: "session/close", params: { sessionId } },
    { id: "prompt", method: "session/prompt", params: { sessionId, prompt: text("go") } },
  )
  const [load, close, late] = await answersOf(client, "load", "close", "prompt")
  await quiet()

  expect(load.error).toMatchObject({ code: -32800 })
  expect(close.result).toEqual({})
  expect(late.error).toMatchObject({ code: -32002, data: { reason: "not_found" } })
  const closed = client.story.indexOf("← close")
  expect(client.story.slice(closed).filter((line) => line.startsWith("·"))).toEqual([])
  expect(await client.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
})

test("SL-09 twice at once: both are answered, each after its own history", async () => {
  const { again, cwd, sessionId, provider } = await kept()
  const client = await again().client()
  const from = client.story.length
  const params = { sessionId, cwd, mcpServers: [] }
  const answers = await Promise.all([client.answerTo("session/load", params), client.answerTo("session/load", params)])
  expect(answers).toEqual([{ result: null }, { result: null }])
  const told = client.story.slice(from).filter((line) => /user_message_chunk|← session/.test(line))
  const history = ["· user_message_chunk What is in a.txt?", "· user_message_chunk Thanks"]
  expect(told).toEqual([...history, "← session/load", ...history, "← session/load"])
  provider.script(says("Once."))
  await prompt(client, sessionId, "How often?")
  expect(client.story.filter((line) => line === "· agent_message_chunk Once.")).toHaveLength(1)
})

test("SL-09 twice at once and closed: all three are answered, and the session is not open", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  const params = { sessionId, cwd, mcpServers: [] }
  const [one, two, close] = await Promise.all([
    client.answerTo("session/load", params),
    client.answerTo("session/load", params),
    client.answerTo("session/close", { sessionId }),
  ])
  expect([one, two]).toMatchObject([{ error: { code: -32800 } }, { error: { code: -32800 } }])
  expect(close).toEqual({ result: {} })
  expect(await client.answerTo("session/close", { sessionId })).toMatchObject({
    error: { code: -32002, data: { reason: "not_found" } },
  })
})

test("a load that the client cancels ends, and can be asked for again", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  client.write(
    { id: "load", method: "session/load", params: { sessionId, cwd, mcpServers: [] } },
    { method: "$/cancel_request", params: { requestId: "load" } },
  )
  const [load] = await answersOf(client, "load")
  expect(load.error).toMatchObject({ code: -32800 })
  expect(client.updates("user_message_chunk")).toEqual([])
  expect(await client.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
})

test("a delete behind a load ends it, and the session is gone", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  const params = { sessionId, cwd, mcpServers: [] }
  const [load, gone] = await Promise.all([
    client.answerTo("session/load", params),
    client.answerTo("session/delete", { sessionId }),
  ])
  expect(load).toMatchObject({ error: { code: -32800 } })
  expect(gone).toEqual({ result: {} })
  expect(await client.answerTo("session/load", params)).toMatchObject({ error: { data: { reason: "not_found" } } })
})

test("a session that is loaded again in the middle of a turn shows what was said, and the turn goes on", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  const go = Promise.withResolvers<void>()
  provider.script(pausing("thinking", go.promise, " done"))
  const turn = prompt(first, sessionId, "More", "three")
  await first.until("· agent_message_chunk thinking")
  const from = first.story.length
  await first.request("session/load", { sessionId, cwd, mcpServers: [] })
  go.resolve()
  expect(await turn).toMatchObject({ stopReason: "end_turn" })
  const told = first.story.slice(from).filter((line) => /_message_chunk|←/.test(line))
  expect(told).toEqual([
    "· user_message_chunk What is in a.txt?",
    "· agent_message_chunk It is AAA.",
    "· user_message_chunk Thanks",
    "· agent_message_chunk Welcome.",
    "· user_message_chunk More",
    "← session/load",
    "· agent_message_chunk done",
    "← session/prompt end_turn",
  ])
})

test("a second process that loads it in the middle of a turn owns it: the first one's turn ends and says why", async () => {
  const { first, again, cwd, sessionId, provider } = await kept()
  const go = Promise.withResolvers<void>()
  provider.script(pausing("thinking", go.promise))
  const turn = first.answerTo("session/prompt", {
    sessionId,
    prompt: text("More"),
    _meta: { [LABEL]: "three" },
  })
  await first.until("· agent_message_chunk thinking")

  const other = await again().client()
  expect(await other.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
  go.resolve()
  expect(await turn).toMatchObject({ error: { code: -32002, data: { reason: "taken_over" } } })
  for (const [method, params] of [
    ["session/set_mode", { modeId: "ask" }],
    ["session/set_plan", { entries: [] }],
    ["session/prompt", { prompt: text("still?") }],
  ] as const) {
    expect(await first.answerTo(method, { sessionId, ...params })).toMatchObject({
      error: { code: -32002, data: { reason: "taken_over" } },
    })
  }

  provider.script(says("There."))
  expect(await prompt(other, sessionId, "there?")).toMatchObject({ stopReason: "end_turn" })
  const heard = conversation(provider.asked.at(-1))
  expect(heard.at(-3)).toBe("user: More") // it was received, and is not lost
  expect(heard.at(-2)).toMatch(/^user: .*stopped in the middle/)
  expect(heard.at(-1)).toBe("user: there?")
})

test("requests of two loads of different sessions do not wait for each other", async () => {
  const place = await keeping()
  place.provider.script(says("hi"))
  const { client, sessionId: one } = await place.session()
  await prompt(client, one, "one")
  const { sessionId: two } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
  await prompt(client, two, "two")
  const other = await place.again().client()
  const answers = await Promise.all(
    [one, two].map((sessionId) => other.answerTo("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })),
  )
  expect(answers).toEqual([{ result: null }, { result: null }])
})

test("SA-09 a subagent at work when another process takes the session ends with it, and the session can be closed", async () => {
  const place = await keeping()
  const go = Promise.withResolvers<void>()
  place.provider.script(
    calls({ id: "sub", name: "run_subagent", input: { description: "Look", prompt: "Look into a.txt" } }),
    pausing("The child looks", go.promise, " and is done."),
    says("Never said here."),
  )
  const { client, sessionId } = await place.session({ capabilities: { subagents: true } })
  const turn = client.answerTo("session/prompt", { sessionId, prompt: text("Send somebody") })
  await client.until("· subagent_update")
  while (place.provider.asked.length < 2) await quiet()

  const other = await place.again().client({ capabilities: { subagents: true } })
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  go.resolve()
  expect(await turn).toMatchObject({ error: { code: -32002, data: { reason: "taken_over" } } })
  expect(await client.request("session/close", { sessionId })).toEqual({})

  const { tasks } = await other.request("session/subagent_list", { sessionId })
  expect(tasks.map(({ description, status }: Loose) => [description, status])).toEqual([["Look", "interrupted"]])
  place.provider.script(says("There."))
  expect(await prompt(other, sessionId, "there?")).toMatchObject({ stopReason: "end_turn" })
})
