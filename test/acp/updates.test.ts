import { describe, expect, test } from "vitest"
import { STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, costs, pausing, says as text } from "../support/replies.ts"

test("PC-04 a session gets its title from the first prompt, before the answer, and keeps it", async () => {
  const { session, provider } = await workshop()
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("# Mend the  parser\nIt fails on tabs.") })
  await client.request("session/prompt", { sessionId, prompt: text("Now the tests") })

  const titled = client.updates("session_info_update").filter(({ title }) => title !== undefined)
  expect(titled).toEqual([
    {
      sessionUpdate: "session_info_update",
      title: "Mend the parser",
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ])
  expect(provider.asked.length).toBe(2) // no request that the user's turns do not need
})

describe("what a turn costs", () => {
  const USAGE = {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 5 },
  }

  test("is told after each reply, and summed in the answer", async () => {
    const { session, provider } = await workshop({
      files: { "a.txt": "" },
      settings: { contextWindow: { m: 100_000 } },
    })
    const call = calls({ name: "read_file", input: { path: "a.txt" } })
    call.steps!.splice(-1, 0, costs("", USAGE).steps![2]!)
    provider.script(call, costs("done", { ...USAGE, prompt_tokens: 200 }))
    const { client, sessionId } = await session()
    const from = client.updates().length

    const answer = await client.request("session/prompt", { sessionId, prompt: text("go") })

    expect(answer.usage).toEqual({
      totalTokens: 340,
      inputTokens: 300,
      outputTokens: 40,
      thoughtTokens: 10,
      cachedReadTokens: 120,
    })
    const told = client.updates().slice(from)
    expect(told.filter(({ sessionUpdate }) => sessionUpdate.includes("usage"))).toEqual([
      { sessionUpdate: "usage_update", used: 120, size: 100_000 },
      { sessionUpdate: "context_usage_update", usedTokens: 120, maxTokens: 100_000 },
      { sessionUpdate: "usage_update", used: 220, size: 100_000 },
      { sessionUpdate: "context_usage_update", usedTokens: 220, maxTokens: 100_000 },
    ])
  })

  test("is told to a client of the standard in the standard's words", async () => {
    const { session, provider } = await workshop({ settings: { contextWindow: { m: 100_000 } } })
    provider.script(costs("done", USAGE))
    const { client, sessionId } = await session(STANDARD)
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    expect(client.updates("usage_update").at(-1)).toEqual({ sessionUpdate: "usage_update", used: 120, size: 100_000 })
    expect(client.updates("context_usage_update")).toEqual([])
  })

  test("CX-05 is left out where nothing was counted", async () => {
    const { session, provider } = await workshop()
    provider.script(says("done"))
    const { client, sessionId } = await session()
    expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).not.toHaveProperty("usage")
  })
})

test("the plan that the model writes down is an update of its own", async () => {
  const { session, provider } = await workshop()
  const entries = [
    { content: "Look", status: "completed" },
    { content: "Mend", status: "in_progress", priority: "high" },
  ]
  provider.script(calls({ name: "todo_write", input: { entries, explanation: "short" } }), says("done"))
  const koda = await session()
  const plan = [
    { content: "Look", status: "completed", priority: "medium" },
    { content: "Mend", status: "in_progress", priority: "high" },
  ]
  await koda.client.request("session/prompt", { sessionId: koda.sessionId, prompt: text("go") })
  expect(koda.client.updates("plan")).toEqual([
    { sessionUpdate: "plan", entries: plan, explanation: "short", _meta: { "com.kodadev.explanation": "short" } },
  ])

  provider.script(calls({ name: "todo_write", input: { entries, explanation: "short" } }), says("done"))
  const standard = await session(STANDARD)
  await standard.client.request("session/prompt", { sessionId: standard.sessionId, prompt: text("go") })
  expect(standard.client.updates("plan")).toEqual([
    { sessionUpdate: "plan", entries: plan, _meta: { "com.kodadev.explanation": "short" } },
  ])
})

test("chunks of one message carry its id, and another message has another", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "" } })
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.script(pausing("one ", promise, "two"), says("three"))
  const { client, sessionId } = await session()
  const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· agent_message_chunk one")
  resolve()
  await turn
  await client.request("session/prompt", { sessionId, prompt: text("go on") })

  const ids = client.updates("agent_message_chunk").map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(2)
  expect(ids[0]).toBe(ids[1])
})

test("thoughts are shown as thoughts", async () => {
  const { session, provider } = await workshop()
  const thought = { choices: [{ index: 0, delta: { reasoning_content: "Hm." }, finish_reason: null }] }
  provider.script({ steps: [`data: ${JSON.stringify(thought)}\n\n`, ...says("Yes.").steps!] })
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(client.story.slice(-3)).toEqual([
    "· agent_thought_chunk Hm.",
    "· agent_message_chunk Yes.",
    "← session/prompt end_turn",
  ])
})

test("what was left out of an untrusted workspace's settings is told once, within the first turn", async () => {
  const files = { ".koda/settings.json": JSON.stringify({ approvalMode: "yolo", hooks: {}, model: "m" }) }
  const { session, provider } = await workshop({ files })
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  const before = client.story.length
  await client.request("session/prompt", { sessionId, prompt: text("one") })
  await client.request("session/prompt", { sessionId, prompt: text("two") })

  const remarks = client.story.flatMap((line, at) => (line.startsWith("· agent_thought_chunk") ? [[at, line]] : []))
  expect(remarks).toEqual([[expect.any(Number), expect.stringMatching(/not trusted.*approvalMode, hooks/)]])
  expect(remarks[0]![0]).toBeGreaterThan(before)
})

test("a client that shows notices gets such remarks as notices", async () => {
  const files = { ".koda/settings.json": JSON.stringify({ approvalMode: "yolo" }) }
  const { session, provider } = await workshop({ files })
  provider.script(says("hi"))
  const { client, sessionId } = await session({ capabilities: { session: { notices: {} } } })
  await client.request("session/prompt", { sessionId, prompt: text("one") })
  expect(client.updates("notice")).toEqual([
    { sessionUpdate: "notice", severity: "info", title: expect.stringContaining("approvalMode") },
  ])
})
