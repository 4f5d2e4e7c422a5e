import assert from "node:assert/strict"
import { test } from "vitest"
import { hiddenText, scriptedReply, userText } from "../../src/agent/message.ts"
import { runTurn } from "../../src/agent/turn.ts"
import { lines } from "../support/lines.ts"
import { agentWith, fakeTool, never, scriptedModel } from "../support/scripted.ts"

test("a turn without calls ends with the reply, streamed", async () => {
  const { agent, events } = agentWith(scriptedModel({ text: "hello there" }))
  agent.inbox.post(userText("hi"))
  assert.equal(await runTurn(agent, never), "end_turn")
  assert.deepEqual(lines(agent.transcript.entries), ["user: hi", "model: hello there"])
  assert.deepEqual(
    events.map(({ type }) => type),
    ["read", "text", "text", "used"],
  )
})

test("a steering message that comes while tools run is read before the next reply", async () => {
  const model = scriptedModel({ calls: [["work", {}]] }, { text: "as you wish" })
  const work = fakeTool("work", () => {
    agent.inbox.post(userText("use tabs"), hiddenText("the file changed on disk"))
    return "done"
  })
  const { agent } = agentWith(model, { tools: () => [work] })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries), [
    "user: go",
    "model: →work",
    "ok: done",
    "user: use tabs",
    "hidden: the file changed on disk",
    "model: as you wish",
  ])
})

test("a steering message that comes during the last reply is answered in the same turn", async () => {
  const model = scriptedModel(
    { text: "done", before: () => agent.inbox.post(userText("and the tests?")) },
    { text: "those too" },
  )
  const { agent } = agentWith(model)
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries).slice(2), ["user: and the tests?", "model: those too"])
})

test("model, instructions and tools are those of the moment, at every step", async () => {
  const second = scriptedModel({ text: "I am the second" })
  const first = scriptedModel({ calls: [["switch", {}]] })
  const later = { model: second, words: "be thorough", tools: [fakeTool("late", () => "")] }
  let now = { model: first, words: "be brief", tools: [fakeTool("switch", () => void (now = later))] }
  const { agent } = agentWith(first, { model: () => now.model, instructions: () => now.words, tools: () => now.tools })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  const [request] = second.requests
  assert.deepEqual([request!.instructions, request!.tools.map(({ name }) => name)], ["be thorough", ["late"]])
})

test("roles that the client started run before the model's first reply, the ordinary way", async () => {
  const model = scriptedModel({ text: "both looked" })
  const { agent, events } = agentWith(model, { tools: () => [fakeTool("look", ({ at }: { at: string }) => at)] })
  const calls = ["a", "b"].map((at) => ({ id: at, name: "look", input: { at } }))
  agent.inbox.post(userText("go"))
  agent.inbox.script(scriptedReply(calls))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries), [
    "user: go",
    "client: →look →look",
    "ok: a",
    "ok: b",
    "model: both looked",
  ])
  assert.equal(model.requests.length, 1)
  assert.equal(events.filter(({ type }) => type === "call_made").length, 2)
})

test("cancel while the model speaks: what it said is kept, its calls are not", async () => {
  const stop = new AbortController()
  const model = scriptedModel({ text: "one two", calls: [["look", {}]] })
  const { agent } = agentWith(model, { emit: ({ type }) => type === "text" && stop.abort() })
  agent.inbox.post(userText("go"))
  assert.equal(await runTurn(agent, stop.signal), "cancelled")
  assert.deepEqual(lines(agent.transcript.entries), ["user: go", "model: one "])
})

test("a reply cut off by the token limit ends the turn; its half-written calls do not run", async () => {
  const model = scriptedModel({ text: "so", calls: [["look", {}]], stop: "max_tokens" })
  const { agent } = agentWith(model, { tools: () => [fakeTool("look", () => assert.fail("must not run"))] })
  agent.inbox.post(userText("go"))
  assert.equal(await runTurn(agent, never), "max_tokens")
})

test("R-064 MS-16 the same call with the same result gets a reminder the third time, and ends the turn the fifth; in earlier turns it does not count", async () => {
  const again = { calls: [["look", { at: 1 }]] as [string, unknown][] }
  const model = scriptedModel(
    again,
    again,
    again,
    again,
    { text: "done" },
    again,
    { text: "ok" },
    again,
    again,
    again,
    again,
    again,
  )
  const { agent } = agentWith(model, { tools: () => [fakeTool("look", () => "same")] })
  const stops = []
  for (const word of ["one", "two", "three"]) {
    agent.inbox.post(userText(word))
    stops.push(await runTurn(agent, never))
  }
  assert.deepEqual(stops, ["end_turn", "end_turn", "repeating"])
  const third = lines(agent.transcript.entries).slice(-11)
  assert.deepEqual(third, [
    "ok: same",
    "model: →look",
    "ok: same",
    "model: →look",
    "ok: same",
    "hidden: This call has now brought the same result three times. Do something else, or say what is in the way.",
    "model: →look",
    "ok: same",
    "model: →look",
    "ok: same",
    "client: \n\nI stopped because I was making the same call again and again, with the same result.",
  ])
})

test("R-068 equal calls with changing results are not a circle; too many steps end the turn", async () => {
  let count = 0
  const model = scriptedModel(...Array.from({ length: 9 }, () => ({ calls: [["poll", {}]] as [string, unknown][] })))
  const { agent } = agentWith(model, { tools: () => [fakeTool("poll", () => ++count)], maxSteps: 7 })
  agent.inbox.post(userText("go"))
  assert.equal(await runTurn(agent, never), "max_turn_requests")
})

test("a failing model rejects the turn", async () => {
  const { agent } = agentWith(scriptedModel({ before: () => Promise.reject(new Error("overloaded")) }))
  agent.inbox.post(userText("go"))
  await assert.rejects(runTurn(agent, never), /overloaded/)
})

test("R-065 R-066 the same block of text five times in a row ends the turn, and the user is told why", async () => {
  const block = "Let me look at the file once more, to be sure of what it says there. "
  const events = Array.from({ length: 40 }, () => ({ type: "text", delta: block }) as const)
  const { agent, events: told } = agentWith(scriptedModel({ events }))
  agent.inbox.post(userText("go"))
  assert.equal(await runTurn(agent, never), "repeating")
  assert.deepEqual(told.at(-1), {
    type: "text",
    message: (agent.transcript.entries.at(-1) as { id: string }).id,
    delta: "\n\nI stopped because I was writing the same text again and again.",
  })
})

test("MP-07 a reply that begins anew is a new message, and what came before is not kept", async () => {
  const usage = { input: 1, output: 1, cached: 0, thought: 0 }
  const model = scriptedModel({
    events: [
      { type: "text", delta: "half an ans" },
      { type: "notice", text: "the connection broke" },
      { type: "restart" },
      { type: "text", delta: "a whole answer" },
      { type: "end", stop: "end_turn", usage },
    ],
  })
  const { agent, events } = agentWith(model)
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries), ["user: go", "model: a whole answer"])
  const messages = events.flatMap((event) => (event.type === "text" ? [event.message] : []))
  assert.equal(new Set(messages).size, 2)
})

test("CX-01 a model that is deaf to the signal is left", async () => {
  const stop = new AbortController()
  const model = scriptedModel({ before: () => new Promise(() => setTimeout(() => stop.abort(), 5)) })
  const deaf = { ...model, stream: (request: never) => model.stream(request, never) }
  const { agent } = agentWith(deaf)
  agent.inbox.post(userText("go"))
  assert.equal(await runTurn(agent, stop.signal), "cancelled")
})

test("what was shown before a model failed is kept", async () => {
  async function* failing() {
    yield { type: "text", delta: "I see that" } as const
    throw new Error("the server is gone")
  }
  const { agent } = agentWith({ ...scriptedModel(), stream: failing })
  agent.inbox.post(userText("go"))
  await assert.rejects(runTurn(agent, never), /the server is gone/)
  assert.deepEqual(lines(agent.transcript.entries), ["user: go", "model: I see that"])
})
