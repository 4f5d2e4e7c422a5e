import { describe, expect, test } from "vitest"
import { type Client, type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"

/** What came after a place in the story. */
const since = (client: Client, from: number) => client.story.slice(from)

test("R-012 R-060 R-063 R-126 R-127 a turn: what the agent says and does, in order, and then the answer", async () => {
  const { session, provider, cwd } = await workshop({ files: { "a.txt": "one\n" } })
  provider.script(calls({ name: "read_file", input: { path: "a.txt" } }), says("It says one."))
  const { client, sessionId } = await session()
  const from = client.story.length

  const answer = await client.request("session/prompt", { sessionId, prompt: text("What does a.txt say?") })

  expect(since(client, from)).toEqual([
    "→ session/prompt",
    "· session_info_update",
    "· tool_call pending: Read a.txt",
    "· tool_call_update call-1 in_progress",
    "· tool_call_update call-1 completed",
    "· agent_message_chunk It says one.",
    "← session/prompt end_turn",
  ])
  expect(answer).toEqual({ stopReason: "end_turn", _meta: { "com.kodadev.promptId": expect.any(String) } })
  expect(client.updates("tool_call")).toEqual([
    {
      sessionUpdate: "tool_call",
      toolCallId: "call-1",
      status: "pending",
      title: "Read a.txt",
      kind: "read",
      locations: [{ path: `${cwd}/a.txt` }],
      content: [],
      rawInput: { path: "a.txt" },
    },
  ])
  expect(client.updates("tool_call_update").at(-1)).toEqual({
    sessionUpdate: "tool_call_update",
    toolCallId: "call-1",
    status: "completed",
    title: "Read a.txt",
    kind: "read",
    locations: [{ path: `${cwd}/a.txt` }],
    content: [{ type: "content", content: { type: "text", text: expect.stringContaining("one") } }],
  })
})

test("R-058 R-301 a prompt that says nothing is refused", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session()
  for (const prompt of [[], text(""), text(" \n"), "hello", undefined]) {
    const answer = await client.answerTo("session/prompt", { sessionId, prompt })
    expect(answer).toMatchObject({ error: { code: -32602, data: { issues: [{ path: "prompt" }] } } })
  }
})

test("R-061 CX-08 of prompts to one session the last one counts: the others are cancelled, each with its answer", async () => {
  const { session, provider } = await workshop()
  provider.script(pausing("one", new Promise(() => {})), says("three"))
  const { client, sessionId } = await session()
  const ask = (words: string) => client.request("session/prompt", { sessionId, prompt: text(words) })

  const first = ask("1")
  await client.until("· agent_message_chunk")
  const [second, third] = [ask("2"), ask("3")]

  expect((await Promise.all([first, second, third])).map(({ stopReason }) => stopReason)).toEqual([
    "cancelled",
    "cancelled",
    "end_turn",
  ])
  const said = provider.asked.at(-1)!.body["messages"] as Loose[]
  expect(said.slice(1).map(({ role, content }) => `${role}: ${content}`)).toEqual([
    "user: 1",
    "assistant: one",
    "user: 2",
    "user: 3",
  ])
})

test("R-062 a prompt in another session goes on, and each session's updates carry its id", async () => {
  const { session, provider, cwd } = await workshop()
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.script(pausing("first", promise), says("second"))
  const { client, sessionId } = await session()
  const other = await client.request("session/new", { cwd })

  const first = client.request("session/prompt", { sessionId, prompt: text("a") })
  await client.until("· agent_message_chunk first")
  const second = await client.request("session/prompt", { sessionId: other.sessionId, prompt: text("b") })
  resolve()

  expect([second.stopReason, (await first).stopReason]).toEqual(["end_turn", "end_turn"])
  const chunks = client.received.filter(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk")
  expect(chunks.map(({ params }) => [params.sessionId === sessionId, params.update.content.text])).toEqual([
    [true, "first"],
    [false, "second"],
    [true, "done"],
  ])
})

describe("R-064…R-067 a model that goes round in circles", () => {
  const LOOP = { stopReason: "end_turn", _meta: { "com.kodadev.stopDetail": "loop_detected" } }

  test("in its calls is stopped, and the user told why", async () => {
    const { session, provider } = await workshop({ files: { "a.txt": "" } })
    provider.script(calls({ name: "read_file", input: { path: "a.txt" } }))
    const { client, sessionId } = await session()

    const answer = await client.request("session/prompt", { sessionId, prompt: text("go") })

    expect(answer).toMatchObject(LOOP)
    expect(client.story.at(-2)).toMatch(/agent_message_chunk I stopped because I was making the same call/)
    expect(provider.asked.length).toBe(5)
  })

  test("in its words is stopped too", async () => {
    const { session, provider } = await workshop()
    const block = "The quick brown fox jumps over the lazy dog, and then it rests for a while.\n"
    provider.script(says(block.repeat(40)))
    const { client, sessionId } = await session()
    expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject(LOOP)
    expect(client.story.at(-2)).toMatch(/I stopped because I was writing the same text/)
  })
})

test("R-068 R-069 too many requests in a turn end it; what the tools answered stays, and the next prompt goes on", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "AAA" }, settings: { maxTurnRequests: 2 } })
  provider.script(
    calls({ id: "c1", name: "read_file", input: { path: "a.txt" } }),
    calls({ id: "c2", name: "list_directory", input: { path: "." } }),
    says("done"),
  )
  const { client, sessionId } = await session()

  const stopped = await client.request("session/prompt", { sessionId, prompt: text("go") })
  const next = await client.request("session/prompt", { sessionId, prompt: text("go on") })

  expect([stopped.stopReason, next.stopReason]).toEqual(["max_turn_requests", "end_turn"])
  const said = provider.asked[2]!.body["messages"] as Loose[]
  expect(said.slice(1).map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
    "user",
    "assistant",
    "c1",
    "assistant",
    "c2",
    "user",
  ])
})

test("a reply that is cut off or refused is answered with the reason", async () => {
  const { session, provider } = await workshop()
  const ending = (finish: string) => ({
    steps: [
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "so" }, finish_reason: finish }] })}\n\n`,
    ],
  })
  provider.script(ending("length"), ending("content_filter"))
  const { client, sessionId } = await session()
  const ask = async () => (await client.request("session/prompt", { sessionId, prompt: text("go") })).stopReason
  expect([await ask(), await ask()]).toEqual(["max_tokens", "refusal"])
})

describe("steering", () => {
  test("words for the turn that runs are read before its next reply", async () => {
    const { session, provider } = await workshop({ files: { "a.txt": "" } })
    const { promise, resolve } = Promise.withResolvers<void>()
    provider.script(pausing("working", promise), says("With tabs."))
    const { client, sessionId } = await session()

    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("· agent_message_chunk working")
    const steered = await client.request("_session/steering", { sessionId, prompt: text("use tabs") })
    resolve()

    expect(steered).toEqual({ outcome: "injected" })
    expect(await turn).toMatchObject({ stopReason: "end_turn" })
    expect((provider.asked[1]!.body["messages"] as Loose[]).at(-1)).toEqual({ role: "user", content: "use tabs" })
    expect(client.story.filter((line) => line.startsWith("← session/prompt"))).toEqual(["← session/prompt end_turn"])
  })

  test("a file that they link to is read, as in a prompt, and keys are not", async () => {
    const { session, provider, cwd } = await workshop({ files: { "a.txt": "seen\n" } })
    const { promise, resolve } = Promise.withResolvers<void>()
    provider.script(pausing("working", promise), says("I see."))
    const { client, sessionId } = await session()
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("· agent_message_chunk working")
    const links = [`${cwd}/a.txt`, "/proc/self/environ"].map((path) => {
      return { type: "resource_link", name: path, uri: `file://${path}` }
    })
    await client.request("_session/steering", { sessionId, prompt: [...text("look"), ...links] })
    resolve()
    await turn
    const { content } = (provider.asked[1]!.body["messages"] as Loose[]).at(-1)
    expect(content).toContain(`<resource uri="file://${cwd}/a.txt">\nseen\n</resource>`)
    expect(content).toContain("[file:///proc/self/environ: it holds secrets and was not included]")
  })

  test("with no turn to steer the client is told to prompt", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    expect(await client.request("_session/steering", { sessionId, prompt: text("use tabs") })).toEqual({
      outcome: "promptRequired",
    })
  })
})

test("MS-15 calls of one reply run side by side; one failure drops none; results go back in the order of the calls", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "AAA", "b.txt": "BBB" } })
  provider.script(
    calls(
      { id: "c1", name: "read_file", input: { path: "a.txt" } },
      { id: "c2", name: "read_file", input: { path: "none.txt" } },
      { id: "c3", name: "read_file", input: { path: "b.txt" } },
    ),
    says("done"),
  )
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })

  const ends = client.updates("tool_call_update").filter(({ status }) => status !== "in_progress")
  expect(Object.fromEntries(ends.map(({ toolCallId, status }) => [toolCallId, status]))).toEqual({
    c1: "completed",
    c2: "failed",
    c3: "completed",
  })
  const results = (provider.asked[1]!.body["messages"] as Loose[]).filter(({ role }) => role === "tool")
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(["c1", "c2", "c3"])
})
