import assert from "node:assert/strict"
import { test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import { messagesForModel, Transcript } from "../../src/agent/transcript.ts"
import { runTurn } from "../../src/agent/turn.ts"
import { lines, read } from "../support/lines.ts"
import { agentWith, fakeTool, never, scriptedModel, soon } from "../support/scripted.ts"

test("MS-15 calls run side by side: each result is an entry when it comes, and is read in the order of the calls", async () => {
  const wait = fakeTool("wait", ({ ms }: { ms: number }) => soon(ms).then(() => ms))
  const model = scriptedModel(
    {
      calls: [
        ["wait", { ms: 60 }],
        ["wait", { ms: 10 }],
      ],
    },
    { text: "ok" },
  )
  const { agent } = agentWith(model, { tools: () => [wait] })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries).slice(2, 4), ["ok: 10", "ok: 60"])
  assert.deepEqual(read(messagesForModel(agent.transcript.entries))[2], "tools: 60 | 10")
})

test("a result is written before it is shown, with all that was shown of it", async () => {
  const story: string[] = []
  const transcript = new Transcript([], ({ role }) => void (role === "result" && story.push("written")))
  const { agent } = agentWith(scriptedModel({ calls: [["look", {}]] }, { text: "ok" }), {
    transcript,
    tools: () => [fakeTool("look", () => "seen")],
    emit: ({ type }) => void (type === "call_ended" && story.push("shown")),
  })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(story, ["written", "shown"])
  const { id: _, ...entry } = transcript.entries[2] as { id: string }
  assert.deepEqual(entry, {
    role: "result",
    name: "look",
    status: "ok",
    content: [{ type: "text", text: "seen" }],
    shown: { title: "look", kind: "read", locations: [], display: [{ type: "text", text: "seen" }] },
  })
})

test("a call that can't be done is shown for what it is, and nobody is asked about it", async () => {
  const asked: string[] = []
  const cannot = new Error("There is no such text in a.ts")
  const mend = fakeTool("mend", () => "mended")
  const tool = {
    ...mend,
    prepare: async (input: unknown, signal: AbortSignal) => ({
      ...(await mend.prepare(input, signal)),
      title: "Edit a.ts",
      locations: [{ path: "/w/a.ts" }],
      cannot,
    }),
  }
  const { agent } = agentWith(scriptedModel({ calls: [["mend", {}]] }, { text: "ok" }), {
    tools: () => [tool],
    gate: {
      offers: () => true,
      admit: async ({ name }) => {
        asked.push(name)
        return { allowed: true }
      },
    },
  })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  const { id: _, ...entry } = agent.transcript.entries[2] as { id: string }
  const content = [{ type: "text", text: cannot.message }]
  const shown = { title: "Edit a.ts", kind: "read", locations: [{ path: "/w/a.ts" }], display: content }
  assert.deepEqual([asked, entry], [[], { role: "result", name: "mend", status: "failed", content, shown }])
})

test("a tool that must be alone puts the whole reply in order", async () => {
  const slow = fakeTool("slow", () => soon(30).then(() => "slow"))
  const quick = { ...fakeTool("quick", () => "quick"), alone: true as const }
  const { agent } = agentWith(
    scriptedModel(
      {
        calls: [
          ["slow", {}],
          ["quick", {}],
        ],
      },
      {},
    ),
    { tools: () => [slow, quick] },
  )
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries).slice(2, 4), ["ok: slow", "ok: quick"])
})

test("a failing tool and an unknown tool are results, not crashes; a known alias is the tool", async () => {
  const broken = fakeTool("broken", () => Promise.reject(new Error("no such file: a.ts")))
  const grep = fakeTool("search_file_content", () => "found")
  const model = scriptedModel(
    {
      calls: [
        ["broken", {}],
        ["nothing", {}],
        ["grep", {}],
      ],
    },
    { text: "sorry" },
  )
  const { agent } = agentWith(model, { tools: () => [broken, grep] })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(
    read(messagesForModel(agent.transcript.entries))[2],
    'tools: no such file: a.ts | There is no tool named "nothing". The tools are: broken, search_file_content. | found',
  )
})

test("R-128 cancel while tools run: every call gets a result, also that of a tool deaf to the signal", async () => {
  const stop = new AbortController()
  const tools = [fakeTool("deaf", () => new Promise(() => {})), fakeTool("quick", () => "done")]
  const { agent } = agentWith(
    scriptedModel({
      calls: [
        ["deaf", {}],
        ["quick", {}],
      ],
    }),
    { tools: () => tools },
  )
  agent.inbox.post(userText("go"))
  setTimeout(() => stop.abort(), 20)
  assert.equal(await runTurn(agent, stop.signal), "cancelled")
  assert.deepEqual(lines(agent.transcript.entries).slice(2), ["ok: done", "cancelled: The user cancelled this call."])
})

test("arguments that are not JSON are told to the model, and nothing runs", async () => {
  const call = { id: "a", name: "look", input: undefined, broken: '{"path": "a' }
  const usage = { input: 1, output: 1, cached: 0, thought: 0 }
  const model = scriptedModel(
    {
      events: [
        { type: "call", call },
        { type: "end", stop: "tool_use", usage },
      ],
    },
    { text: "ok" },
  )
  const { agent } = agentWith(model, { tools: () => [fakeTool("look", () => assert.fail("must not run"))] })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(lines(agent.transcript.entries)[2], 'failed: The arguments are not JSON: {"path": "a')
})

test("PE-12 a call is shown before the gate is asked, and started once it is allowed", async () => {
  const story: string[] = []
  const { agent } = agentWith(
    scriptedModel(
      {
        calls: [
          ["look", {}],
          ["write", {}],
        ],
      },
      { text: "ok" },
    ),
    {
      tools: () => [
        fakeTool("look", () => story.push("look ran")),
        fakeTool("write", () => assert.fail("denied"), "edit"),
      ],
      gate: {
        offers: () => true,
        async admit(tool) {
          story.push(`gate: ${tool.name}`)
          return tool.name === "look" ? { allowed: true } : { allowed: false, reason: "not here" }
        },
      },
      emit(event) {
        if (event.type === "call_made") story.push(`made: ${event.shown.title}`)
        if (event.type === "call_started") story.push("started")
        if (event.type === "call_ended") story.push(`ended: ${event.result.status}`)
      },
    },
  )
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  assert.deepEqual(story.toSorted(), [
    "ended: denied",
    "ended: ok",
    "gate: look",
    "gate: write",
    "look ran",
    "made: look",
    "made: write",
    "started",
  ])
  assert.ok(story.indexOf("made: look") < story.indexOf("gate: look"))
  assert.ok(story.indexOf("started") < story.indexOf("look ran"))
})

test("a call that can't be understood is shown with what it was about", async () => {
  const model = scriptedModel(
    {
      calls: [
        ["nosuch", { file_path: "src/a.ts", old: "x" }],
        ["gone", { command: `make\n${"all ".repeat(50)}` }],
        ["bare", 7],
      ],
    },
    { text: "ok" },
  )
  const { agent, events } = agentWith(model, { tools: () => [] })
  agent.inbox.post(userText("go"))
  await runTurn(agent, never)
  const titles = events.flatMap((event) => (event.type === "call_ended" ? [event.result.shown.title] : []))
  assert.deepEqual(titles.sort(), ["bare", "gone make", "nosuch src/a.ts"])
})
