import { describe, expect, test } from "vitest"
import { type Client, type ClientOptions, type Loose, STANDARD, type Workshop, workshop } from "../support/client.ts"
import { refuses, type Script, says } from "../support/provider.ts"
import { costs, pausing, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const FIRST = "Translate the manual, and never touch x.ts."
const long = (name: string) => Array.from({ length: 300 }, (_, at) => `${name}${at}`).join(" ")

/** A session in which a few things were said. */
async function talked(
  options: ClientOptions = {},
  settings: object = {},
): Promise<Omit<Workshop, "client"> & { client: Client; sessionId: string }> {
  const place = await workshop({ settings })
  const { client, sessionId } = await place.session(options)
  for (const [at, prompt] of [FIRST, "Page two.", "Page three."].entries()) {
    place.provider.script(says(long(`page${at}word`)))
    await client.request("session/prompt", { sessionId, prompt: text(prompt) })
  }
  return { ...place, client, sessionId }
}

const bodyOf = ({ provider }: Pick<Workshop, "provider">) => provider.asked.at(-1)!.text
const kinds = /compaction|usage/
const told = (client: Client, from: number): Loose[] =>
  client
    .updates()
    .slice(from)
    .filter(({ sessionUpdate }) => kinds.test(sessionUpdate))

test("R-073 R-075 session/compact answers what it came to, and tells of it as it goes", async () => {
  const place = await talked({}, { contextWindow: { m: 50_000 } })
  const { client, sessionId, provider } = place
  const from = client.updates().length
  provider.script(costs("Pages one to three are done.", { prompt_tokens: 900, completion_tokens: 30 }))

  const answer = await client.request("session/compact", { sessionId })

  const { originalTokenCount, newTokenCount } = answer
  expect(answer).toEqual({ compacted: true, originalTokenCount, newTokenCount })
  expect(newTokenCount).toBeLessThan(originalTokenCount)
  expect(told(client, from)).toEqual([
    {
      sessionUpdate: "context_compaction_update",
      status: "started",
      originalTokenCount,
      newTokenCount: originalTokenCount,
    },
    { sessionUpdate: "context_compaction_update", status: "completed", originalTokenCount, newTokenCount },
    { sessionUpdate: "usage_update", used: newTokenCount, size: 50_000 },
    { sessionUpdate: "context_usage_update", usedTokens: newTokenCount, maxTokens: 50_000 },
  ])
  expect(provider.asked.at(-1)!.body["tools"]).toBeUndefined()

  provider.script(says("Done."))
  await client.request("session/prompt", { sessionId, prompt: text("Page four.") })
  expect(bodyOf(place)).toContain(FIRST)
  expect(bodyOf(place)).toContain("Pages one to three are done.")
  expect(bodyOf(place)).not.toContain("page0word7")
})

test("R-073 there may be nothing to compact", async () => {
  const { session, provider } = await workshop()
  const { client, sessionId } = await session()
  const { originalTokenCount: count, ...answer } = await client.request("session/compact", { sessionId })
  expect(answer).toEqual({ compacted: false, newTokenCount: count })
  expect(provider.asked).toEqual([])
  expect(client.updates("context_compaction_update")).toEqual([])
})

test("R-074 session/compact is refused while a prompt is answered", async () => {
  const { client, sessionId, provider } = await talked()
  const go = Promise.withResolvers<void>()
  provider.script(pausing("one ", go.promise))
  const turn = client.request("session/prompt", { sessionId, prompt: text("Page four.") })
  await client.until("· agent_message_chunk one")
  expect(await client.answerTo("session/compact", { sessionId })).toEqual({
    error: {
      code: -32602,
      message: expect.stringMatching(/^Invalid params: a prompt of this session is being answered/),
      data: { details: expect.any(String), reason: "prompt_in_progress" },
    },
  })
  go.resolve()
  expect(await turn).toMatchObject({ stopReason: "end_turn" })
})

test("a prompt that comes while the session is compacted waits for it", async () => {
  const { client, sessionId, provider } = await talked()
  const go = Promise.withResolvers<void>()
  provider.script(pausing("Pages ", go.promise, "one to three."), says("Done."))
  const from = client.story.length
  const compacted = client.request("session/compact", { sessionId })
  await client.until("· context_compaction_update")
  const turn = client.request("session/prompt", { sessionId, prompt: text("Page four.") })
  go.resolve()
  expect(await compacted).toMatchObject({ compacted: true })
  expect(await turn).toMatchObject({ stopReason: "end_turn" })
  expect(client.story.slice(from).filter((line) => !line.includes("usage"))).toEqual([
    "→ session/compact",
    "· context_compaction_update",
    "→ session/prompt",
    "· context_compaction_update",
    "← session/compact",
    "· agent_message_chunk Done.",
    "← session/prompt end_turn",
  ])
})

describe("CP-05 compaction that comes to nothing", () => {
  test("because the model fails: the client is told twice, and the session goes on as it was", async () => {
    const place = await talked()
    const { client, sessionId, provider } = place
    provider.script(refuses(401, { error: { message: "no such key" } }))
    const from = client.updates().length
    expect(await client.answerTo("session/compact", { sessionId })).toMatchObject({ error: { code: -32000 } })
    expect(told(client, from).map(({ status, error }) => [status, error])).toEqual([
      ["started", undefined],
      ["failed", expect.stringContaining("refused the key")],
    ])
    provider.script(says("Done."))
    await client.request("session/prompt", { sessionId, prompt: text("Page four.") })
    expect(bodyOf(place)).toContain("page0word7")
  })

  test.each([
    [
      "session/cancel",
      (client: Client, sessionId: string) => client.notify("session/cancel", { sessionId }),
      {
        result: { compacted: false },
      },
    ],
    [
      "$/cancel_request",
      (client: Client) => client.notify("$/cancel_request", { requestId: 77 }),
      {
        error: { code: -32800 },
      },
    ],
  ])("because it is cancelled with %s", async (_, cancel, answer) => {
    const place = await talked()
    const { client, sessionId, provider } = place
    provider.script(pausing("Pages ", new Promise(() => {})))
    const from = client.updates().length
    const compacted = client.requestAs(77, "session/compact", { sessionId })
    await client.until("· context_compaction_update")
    cancel(client, sessionId)
    expect(await compacted).toMatchObject(answer)
    expect(told(client, from).map(({ status, error }) => [status, error])).toEqual([
      ["started", undefined],
      ["failed", "cancelled"],
    ])
    provider.script(says("Done."))
    await client.request("session/prompt", { sessionId, prompt: text("Page four.") })
    expect(bodyOf(place)).toContain("page0word7")
  })
})

describe("by itself, before the window overflows", () => {
  /** Says so many tokens are full, and then is asked for the notes. */
  const full: Script[] = [
    costs(long("page3word"), { prompt_tokens: 45_000, completion_tokens: 600 }),
    costs("Pages one to four are done.", { prompt_tokens: 900, completion_tokens: 30 }),
    costs("Done.", { prompt_tokens: 2000, completion_tokens: 10 }),
  ]

  async function overfull(options: ClientOptions): Promise<{ client: Client; from: number; answer: Loose }> {
    const { client, sessionId, provider } = await talked(options, { contextWindow: { m: 50_000 } })
    provider.script(...full)
    await client.request("session/prompt", { sessionId, prompt: text("Page four.") })
    const from = client.updates().length
    const answer = await client.request("session/prompt", { sessionId, prompt: text("Page five.") })
    return { client, from, answer }
  }

  test("the turn goes on, and its cost holds that of the summary", async () => {
    const { client, from, answer } = await overfull({})
    expect(answer).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: 2900, outputTokens: 40 } })
    const updates = told(client, from)
    expect(updates.map(({ sessionUpdate, status, used }) => status ?? used ?? sessionUpdate)).toEqual([
      "started",
      "completed",
      updates[1].newTokenCount,
      "context_usage_update",
      2010,
      "context_usage_update",
    ])
    expect(updates[0].originalTokenCount).toBeGreaterThan(45_600)
  })

  test("a client that knows the standard's compaction gets that, with one id", async () => {
    const { client, from } = await overfull({ ...STANDARD, capabilities: { session: { compaction: {} } } })
    const [started, completed] = told(client, from)
    const compactionId = started.compactionId
    expect([started, completed]).toEqual([
      { sessionUpdate: "compaction_update", compactionId, status: "in_progress" },
      { sessionUpdate: "compaction_update", compactionId, status: "completed" },
    ])
    expect(compactionId).toEqual(expect.any(String))
  })

  test("a client that knows neither is told in a line", async () => {
    const { client, from } = await overfull(STANDARD)
    const thoughts = client
      .updates()
      .slice(from)
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk")
    expect(thoughts.map(({ content }) => content.text)).toEqual([
      "Making room: what came before is put in few words.\n\n",
      expect.stringMatching(/^Room was made: the conversation takes about \d+ tokens, and took \d+\.\n\n$/),
    ])
    expect(client.updates("context_compaction_update")).toEqual([])
  })
})

test("MP-04 a request that is too long for a server is made once more, shorter", async () => {
  const place = await talked()
  const { client, sessionId, provider } = place
  provider.script(
    refuses(400, {
      error: { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" },
    }),
    says("Pages one to three are done."),
    says("Done."),
  )
  const answer = await client.request("session/prompt", { sessionId, prompt: text("Page four.") })
  expect(answer).toMatchObject({ stopReason: "end_turn" })
  expect(bodyOf(place)).toContain("Pages one to three are done.")
  expect(client.updates("usage_update").at(-1)).toMatchObject({ size: 8192 })
})

test("CP-07 a compacted session replays all that was said, and goes on from the summary", async () => {
  const store = await temporaryFolder()
  const place = await workshop({ launch: { store } as Loose, env: { KODA_ACP_SESSION_STORE_DIR: store } })
  const { client, sessionId } = await place.session()
  for (const [at, prompt] of [FIRST, "Page two.", "Page three."].entries()) {
    place.provider.script(says(long(`page${at}word`)))
    await client.request("session/prompt", { sessionId, prompt: text(prompt) })
  }
  place.provider.script(says("Pages one to three are done."))
  const { newTokenCount } = await client.request("session/compact", { sessionId })
  await client.request("session/close", { sessionId })

  const later = await place.client()
  await later.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  await later.until("· context_usage_update")
  expect(later.updates("user_message_chunk").map(({ content }) => content.text)).toEqual([
    FIRST,
    "Page two.",
    "Page three.",
  ])
  expect(later.updates("agent_message_chunk").length).toBe(3)
  expect(later.updates("context_usage_update")).toEqual([
    { sessionUpdate: "context_usage_update", usedTokens: newTokenCount, maxTokens: null },
  ])
  place.provider.script(says("Done."))
  await later.request("session/prompt", { sessionId, prompt: text("Page four.") })
  expect(bodyOf(place)).toContain("Pages one to three are done.")
  expect(bodyOf(place)).not.toContain("page0word7")
  expect(bodyOf(place)).not.toContain("was stopped in the middle")
})
