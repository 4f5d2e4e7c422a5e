import assert from "node:assert/strict"
import { describe, test } from "vitest"
import type { Agent } from "../../src/agent/agent.ts"
import { compact } from "../../src/agent/compaction.ts"
import type { AgentEvent } from "../../src/agent/event.ts"
import { type Message, textOf, userText } from "../../src/agent/message.ts"
import { ModelFailure, type ModelRequest } from "../../src/agent/model.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"
import { runTurn } from "../../src/agent/turn.ts"
import { agentWith, fakeTool, modelWith, never, type Reply, type ScriptedModel } from "../support/scripted.ts"

const WINDOW = 8192
const FIRST = "Translate the manual, and never touch x.ts."

/** Whether this is the request for the notes, and not one of the agent's own. */
const isForNotes = ({ messages }: ModelRequest) => messages[0]?.role === "user" && messages[0].id === "summary"

/** About what a server counts: less exact than we, and another way. */
const counted = (request: ModelRequest) => Math.ceil(wordsOf(request).length / 3.6)

const wordsOf = ({ instructions, messages, tools }: ModelRequest) =>
  instructions + messages.map(textsOf).join("") + JSON.stringify(tools)

const textsOf = (message: Message): string =>
  message.role === "tool"
    ? message.results.map(({ content }) => textOf(content)).join("")
    : textOf(message.content) + (message.role === "assistant" ? JSON.stringify(message.calls) : "")

/** A server with a window, which counts, or does not. */
function server(
  reply: (request: ModelRequest, at: number) => Reply,
  {
    window = WINDOW,
    told = window,
    counts = true,
  }: { window?: number; told?: number | undefined; counts?: boolean } = {},
): ScriptedModel {
  const model = modelWith(told as number, (request, at) => {
    const tokens = counted(request)
    if (tokens > window) return { before: () => Promise.reject(new ModelFailure("too_long", "prompt is too long")) }
    return { tokens: counts ? tokens : 0, ...(isForNotes(request) ? { text: "It went on." } : reply(request, at)) }
  })
  return model
}

const notes = (model: ScriptedModel) => model.requests.filter(isForNotes)
const asked = (model: ScriptedModel) => model.requests.filter((request) => !isForNotes(request))
const statuses = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "compaction" ? [event.status] : []))
/** A text of so many tokens that says nothing twice. */
const filler = (tokens: number) => Array.from({ length: Math.ceil(tokens / 2) }, (_, at) => `word${at}`).join(" ")

async function say(agent: Agent, text: string, signal: AbortSignal = never): Promise<string> {
  agent.inbox.post(userText(text))
  return await runTurn(agent, signal)
}

describe("by itself", () => {
  for (const [how, options] of [
    ["counts", {}],
    ["counts nothing", { counts: false }],
    ["tells its window only by refusing", { told: undefined }],
  ] as const) {
    test(`CP-04 a conversation of 200 turns in a window of 8k keeps its first instruction and never fails, if the server ${how}`, async () => {
      const model = server((_, at) => ({ text: `Answer ${at}. ${filler(300)}` }), options)
      const { agent, events } = agentWith(model, { instructions: () => filler(1500) })
      await say(agent, FIRST)
      for (let turn = 2; turn <= 200; turn++) assert.equal(await say(agent, `Go on with page ${turn}.`), "end_turn")

      assert.ok(notes(model).length > 5 && notes(model).length < 100, `${notes(model).length} summaries`)
      assert.ok(asked(model).every((request) => wordsOf(request).includes(FIRST)))
      assert.ok(
        asked(model).every(({ messages }, at) => at === 0 || textsOf(messages.at(-1)!).startsWith("Go on with page")),
      )
      assert.equal(statuses(events).includes("failed"), false)
      assert.equal(agent.transcript.entries.filter(({ role }) => role === "user").length, 200)
    })
  }

  test("CP-04 in a long turn of calls the task stays, word for word, with the plan and the files that were changed", async () => {
    const model = server((_, at) => (at < 60 ? { text: "next", calls: [["rework", { at }]] } : { text: "done" }))
    const edit = fakeTool("rework", ({ at }: { at: number }) => `${at} ${filler(400)}`, "edit")
    const prepare = edit.prepare
    const tool = {
      ...edit,
      prepare: async (input: unknown, signal: AbortSignal) => ({
        ...(await prepare(input, signal)),
        locations: [{ path: `/project/page-${(input as { at: number }).at % 4}.md` }],
      }),
    }
    const { agent } = agentWith(model, { tools: () => [tool], lasting: () => ["Plan:\n- [>] page 7"], maxSteps: 100 })
    await say(agent, FIRST)
    assert.equal(await say(agent, "Now the other pages."), "end_turn")

    const last = wordsOf(asked(model).at(-1)!)
    for (const words of [FIRST, "Now the other pages.", "- [>] page 7", "/project/page-3.md", "It went on."]) {
      assert.ok(last.includes(words), words)
    }
    assert.ok(notes(model).length > 2)
  })

  test("one huge result in the middle of a turn is read shortened, and the turn goes on", async () => {
    const model = server((_, at) => (at === 0 ? { calls: [["read", {}]] } : { text: "I see" }))
    const { agent } = agentWith(model, { tools: () => [fakeTool("read", () => `begin ${filler(20_000)} end`)] })
    assert.equal(await say(agent, FIRST), "end_turn")

    const result = textsOf(asked(model)[1]!.messages.at(-1)!)
    assert.match(result, /^begin .*characters left out to save room.* end$/s)
    assert.ok(asked(model).every((request) => wordsOf(request).includes(FIRST)))
    assert.equal(await say(agent, "And?"), "end_turn")
    const prefix = (request: ModelRequest) => request.messages.slice(0, 3).map(textsOf)
    assert.deepEqual(prefix(asked(model)[2]!), prefix(asked(model)[1]!))
  })

  test("CP-02 a server that says it is full whatever is done is asked for no more than two summaries in a turn", async () => {
    const model = modelWith(WINDOW, (request, at) => {
      if (isForNotes(request)) return { text: "short", tokens: WINDOW }
      return at < 30 ? { text: filler(300), calls: [["look", { at }]], tokens: WINDOW } : { text: "done" }
    })
    const { agent } = agentWith(model, {
      tools: () => [fakeTool("look", ({ at }: { at: number }) => at)],
      maxSteps: 100,
    })
    assert.equal(await say(agent, FIRST), "end_turn")
    assert.equal(notes(model).length, 2)
  })

  test("CP-02 a window that instructions and tools fill alone is left to the server: no summary would make room", async () => {
    const model = server((_, at) => ({ text: `Answer ${at}. ${filler(300)}` }), { window: 100_000, told: 1000 })
    const { agent } = agentWith(model, { instructions: () => filler(2000) })
    for (let turn = 1; turn <= 10; turn++) assert.equal(await say(agent, FIRST), "end_turn")
    assert.deepEqual(notes(model), [])
  })

  test("CP-02 notes that are longer than what they stand for are cut", async () => {
    const model = modelWith(WINDOW, (request) =>
      isForNotes(request) ? { text: `Notes: ${filler(9000)}` } : { text: filler(700), tokens: counted(request) },
    )
    const { agent } = agentWith(model)
    for (let turn = 1; turn <= 30; turn++) assert.equal(await say(agent, `${turn} ${FIRST}`), "end_turn")
    assert.ok(notes(model).length > 0)
    assert.ok(asked(model).every((request) => counted(request) < WINDOW))
  })

  test("CP-05 when the summary fails, what was said stays as it was, the user is told, and the turn goes on", async () => {
    const model = modelWith(WINDOW, (request) =>
      isForNotes(request)
        ? { before: () => Promise.reject(new ModelFailure("rate_limit", "Slow down.")) }
        : { text: filler(700), tokens: counted(request) },
    )
    const { agent, events } = agentWith(model)
    while (notes(model).length === 0) assert.equal(await say(agent, FIRST), "end_turn")
    assert.deepEqual(statuses(events), ["started", "failed"])
    assert.equal(events.find((event) => event.type === "compaction" && event.error)?.type, "compaction")
    assert.ok(agent.transcript.entries.every(({ role }) => role !== "summary"))
  })

  test("CP-05 an empty summary is a failure, and so is one that is nothing but a call", async () => {
    for (const empty of [{ text: " " }, { calls: [["look", {}]] as [string, unknown][] }]) {
      const model = modelWith(WINDOW, (request) =>
        isForNotes(request) ? empty : { text: filler(700), tokens: counted(request) },
      )
      const { agent, events } = agentWith(model)
      while (notes(model).length === 0) await say(agent, FIRST)
      assert.deepEqual(statuses(events), ["started", "failed"])
      assert.deepEqual(notes(model)[0]!.tools, [])
    }
  })

  test("CP-05 cancelled while it makes room, the turn is cancelled and nothing has changed", async () => {
    const stop = new AbortController()
    const model = modelWith(WINDOW, (request) =>
      isForNotes(request)
        ? { before: () => stop.abort(), text: "late" }
        : { text: filler(700), tokens: counted(request) },
    )
    const { agent, events } = agentWith(model)
    let end = "end_turn"
    while (end === "end_turn") end = await say(agent, FIRST, stop.signal)
    assert.equal(end, "cancelled")
    assert.deepEqual(statuses(events), ["started", "cancelled"])
    assert.ok(agent.transcript.entries.every(({ role }) => role !== "summary"))
  })

  test("CP-05 a request for the summary that is too long itself is shortened until it fits", async () => {
    const model = modelWith(WINDOW, (request) => {
      const most = isForNotes(request) ? 2000 : WINDOW
      if (counted(request) > most) return { before: () => Promise.reject(new ModelFailure("too_long", "too long")) }
      return { text: isForNotes(request) ? "It went on." : filler(700), tokens: counted(request) }
    })
    const { agent, events } = agentWith(model)
    while (!statuses(events).includes("completed")) assert.equal(await say(agent, FIRST), "end_turn")
    assert.ok(notes(model).length > 1)
  })
})

describe("MP-04 when the provider says that it is too long", () => {
  test("the request is made once more, shorter, and what failed is not kept", async () => {
    const model = server(() => ({ text: filler(700) }), { told: 100_000, counts: false })
    const { agent } = agentWith(model)
    while (notes(model).length === 0) assert.equal(await say(agent, FIRST), "end_turn")
    const roles = agent.transcript.entries.map(({ role }) => role)
    assert.deepEqual(roles.slice(-3), ["user", "summary", "assistant"])
    assert.equal(roles.filter((role) => role === "user").length, roles.filter((role) => role === "assistant").length)
  })

  test("and nothing helps, it says what to do; the next, shorter prompt is answered", async () => {
    const model = server(() => ({ text: "yes" }))
    const { agent } = agentWith(model)
    await assert.rejects(say(agent, `Read this: ${filler(10_000)}`), {
      kind: "too_long",
      message:
        'This conversation does not fit into the window of 8192 tokens of model "scripted", even shortened. Say it in fewer words, choose a model with a larger window, or begin a new session. (prompt is too long)',
    })
    assert.equal(await say(agent, "Only this, then."), "end_turn")
    assert.ok(wordsOf(model.requests.at(-1)!).includes("Read this: "))
  })
})

describe("when it is asked for", () => {
  test("R-073 it says what the conversation took, and what it takes now", async () => {
    const model = server(() => ({ text: filler(200) }), { window: 100_000 })
    const { agent, events } = agentWith(model)
    for (let turn = 0; turn < 20; turn++) await say(agent, `${turn} ${FIRST}`)
    const { compacted, before, after } = await compact(agent, never)

    assert.equal(compacted, true)
    await say(agent, "x") // which the server counts, too
    assert.ok(Math.abs(after - counted(asked(model).at(-1)!)) < after / 10, `${after} was told`)
    assert.ok(after < before / 2, `${before} → ${after}`)
    const told = events.filter((event) => event.type === "compaction")
    assert.deepEqual(
      told.map(({ status, before, after }) => [status, before, after]),
      [
        ["started", before, before],
        ["completed", before, after],
      ],
    )
    assert.equal(told[0]!.id, told[1]!.id)
  })

  test("R-073 of a server that counts less than we do the conversation takes less than it took all the same", async () => {
    const model = modelWith(100_000, (request) => ({
      tokens: 400,
      text: isForNotes(request) ? "It went on." : filler(60),
    }))
    const { agent } = agentWith(model, { instructions: () => filler(3000) })
    for (let turn = 0; turn < 10; turn++) await say(agent, `${turn} ${FIRST}`)
    const { compacted, before, after } = await compact(agent, never)
    assert.equal(compacted, true)
    assert.ok(after < before, `${before} → ${after}`)
  })

  test("there may be nothing to put in few words", async () => {
    const model = server(() => ({ text: "hello" }))
    const { agent, events } = agentWith(model)
    assert.equal((await compact(agent, never)).compacted, false)
    await say(agent, "hi")
    const { compacted, before, after } = await compact(agent, never)
    assert.deepEqual([compacted, after], [false, before])
    assert.deepEqual(statuses(events), [])
  })

  test("a second summary stands in for the first", async () => {
    const model = server(() => ({ text: filler(200) }), { window: 100_000 })
    const { agent } = agentWith(model)
    for (let round = 0; round < 3; round++) {
      for (let turn = 0; turn < 20; turn++) await say(agent, `${turn} ${FIRST}`)
      assert.equal((await compact(agent, never)).compacted, true)
    }
    assert.match(wordsOf(notes(model).at(-1)!), /\[note\] The conversation before this point/)
    assert.equal(
      messagesForModel(agent.transcript.entries).filter((message) => message.role === "user" && message.hidden).length,
      1,
    )
  })
})
