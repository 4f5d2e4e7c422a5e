import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Loose, STANDARD, workshop } from "../support/client.ts"
import { conversation, keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { pausing, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

describe("without a store", () => {
  test("R-023 R-024 R-025 R-052 nothing is kept, and load and fork say so", async () => {
    const { session, cwd, home, provider } = await workshop()
    provider.script(says("hi"))
    const { client, sessionId } = await session()
    await prompt(client, sessionId, "hi", "one")
    const params = { sessionId, cwd, mcpServers: [], _meta: { [LABEL]: "one" } }

    const load = await client.answerTo("session/load", params)
    const fork = await client.answerTo("session/fork", params)

    expect(client.received[0]?.result.agentCapabilities.loadSession).toBe(false)
    expect(load).toMatchObject({
      error: {
        code: -32001,
        message: expect.stringMatching(/^session restore unavailable/i),
        data: { reason: "store_disabled" },
      },
    })
    expect(fork).toMatchObject({
      error: {
        code: -32002,
        message: expect.stringMatching(/^session fork unavailable/i),
        data: { reason: "store_disabled" },
      },
    })
    expect((await readdir(home)).filter((name) => /sqlite|sessions/.test(name))).toEqual([])
  })

  test("list is empty, and is not offered", async () => {
    const { client, cwd } = await workshop()
    const standard = await client(STANDARD)
    const { sessionCapabilities } = standard.received[0]!.result.agentCapabilities
    expect(sessionCapabilities).not.toHaveProperty("list")
    expect(await standard.request("session/list", { cwd })).toEqual({ sessions: [] })
  })
})

test("R-023 with a store loading is offered, in both dialects, and the files are the user's alone", async () => {
  const { client, store } = await keeping()
  const standard = await client(STANDARD)
  const { loadSession, sessionCapabilities } = standard.received[0]!.result.agentCapabilities
  expect(loadSession).toBe(true)
  expect(sessionCapabilities).toMatchObject({ list: {}, resume: {}, delete: {}, fork: {} })
  await standard.request("session/list", {})
  expect((await stat(store)).mode & 0o777).toBe(0o700)
  for (const name of await readdir(store)) expect((await stat(join(store, name))).mode & 0o777).toBe(0o600)
})

describe("session/list and session/delete", () => {
  test("the newest first, with what an editor shows; sessions in which nothing was said are left out", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    provider.script(says("hi"))
    const empty = await first.request("session/new", { cwd, mcpServers: [] })
    const other = await first.request("session/new", { cwd, mcpServers: [] })
    await prompt(first, other.sessionId, "Another one")

    const { sessions, nextCursor } = await first.request("session/list", { cwd })

    expect(sessions).toEqual([
      { sessionId: other.sessionId, cwd, title: "Another one", updatedAt: expect.stringMatching(/Z$/) },
      { sessionId, cwd, title: "What is in a.txt?", updatedAt: expect.stringMatching(/Z$/) },
    ])
    expect(nextCursor).toBe(undefined)
    expect(JSON.stringify(sessions)).not.toContain(empty.sessionId)
  })

  test("a folder's own, or all", async () => {
    const { first, sessionId } = await kept()
    const elsewhere = await temporaryFolder()
    expect(await first.request("session/list", { cwd: elsewhere })).toEqual({ sessions: [] })
    const { sessions } = await first.request("session/list", {})
    expect(sessions.map(({ sessionId }: Loose) => sessionId)).toEqual([sessionId])
  })

  test("what is deleted is gone, also while it is at work", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    provider.script(pausing("thinking", new Promise(() => {})))
    const turn = first.answerTo("session/prompt", { sessionId, prompt: text("More") })
    await first.until("· agent_message_chunk thinking")

    expect(await first.request("session/delete", { sessionId })).toEqual({})

    expect(await turn).toMatchObject({ result: { stopReason: "cancelled" } })
    expect(await first.request("session/list", { cwd })).toEqual({ sessions: [] })
    expect(await first.answerTo("session/load", { sessionId, cwd, mcpServers: [] })).toMatchObject({
      error: { code: -32001 },
    })
    expect(await first.request("session/delete", { sessionId })).toEqual({})
  })
})

test("a session that is opened elsewhere goes on there, and comes back with what was said there", async () => {
  const { first, again, cwd, sessionId, provider } = await kept()
  const other = await again().client()
  await other.request("session/load", { sessionId, cwd, mcpServers: [] })
  provider.script(says("There."))

  const here = await first.answerTo("session/prompt", { sessionId, prompt: text("here?") })
  const there = await prompt(other, sessionId, "there?")

  expect(here).toMatchObject({ error: { code: -32002, data: { reason: "taken_over" } } })
  expect(there.stopReason).toBe("end_turn")
  expect(conversation(provider.asked.at(-1))).not.toContain("user: here?")

  await first.request("session/load", { sessionId, cwd, mcpServers: [] })
  await prompt(first, sessionId, "back")
  expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual(["user: there?", "assistant: There.", "user: back"])
  expect(await other.answerTo("session/prompt", { sessionId, prompt: text("there?") })).toMatchObject({
    error: { data: { reason: "taken_over" } },
  })
})

test("a client that opens a session again sees everything once", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  for (let time = 0; time < 2; time++) await first.request("session/load", { sessionId, cwd, mcpServers: [] })
  provider.script(says("Once."))
  await prompt(first, sessionId, "How often?")
  expect(first.story.filter((line) => line === "· agent_message_chunk Once.")).toHaveLength(1)
  expect(first.story.filter((line) => line === "· user_message_chunk How often?")).toEqual([])
})

test("a page of a list that is none is refused, and that is no fault that users are shown", async () => {
  const logged: unknown[] = []
  const { client } = await keeping({ launch: { log: (level) => logged.push(level) } })
  expect(await (await client()).answerTo("session/list", { cursor: "nonsense" })).toMatchObject({
    error: { code: -32602, data: { reason: "bad_cursor" } },
  })
  expect(logged).toEqual(["info"])
})
