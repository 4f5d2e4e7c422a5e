import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Database } from "../../src/runtime.ts"
import { type Loose, SECRET, STANDARD } from "../support/client.ts"
import { conversation, keeping, kept, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"
import { testRuntime } from "../support/runtime.ts"
import { databaseIn } from "../support/store.ts"

const STOPPED = /^user: .*stopped in the middle of its work/

/** A session whose process is gone in the middle of a turn: one call has come to its end, and one runs. */
async function torn() {
  const place = await keeping({ launch: { policy: "yolo" } })
  place.provider.script(
    calls({ id: "read", name: "read_file", input: { path: "a.txt" } }),
    calls(
      { id: "made", name: "write_file", input: { path: "b.txt", content: "b\n" } },
      { id: "long", name: "run_shell_command", input: { command: "sleep 600" } },
    ),
    says("never"),
  )
  const { client, sessionId } = await place.session()
  void client.answerTo("session/prompt", { sessionId, prompt: text("Work") })
  await client.until("· tool_call_update long in_progress")
  await client.until("· tool_call_update made completed")
  return { ...place, first: client, sessionId }
}

describe("a session that was killed in the middle of a turn", () => {
  test("SL-07 shows the call that was running as failed, and what came to its end as it did", async () => {
    const { again, cwd, sessionId } = await torn()
    const client = await again().client()
    const from = client.story.length
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    expect(client.story.slice(from, client.story.indexOf("← session/load"))).toEqual([
      "→ session/load",
      "· user_message_chunk Work",
      "· tool_call pending: Read a.txt",
      "· tool_call_update read completed",
      "· tool_call pending: Create b.txt",
      "· tool_call_update made completed",
      "· tool_call pending: run_shell_command",
      "· tool_call_update long failed",
    ])
  })

  test("SL-03 SL-07 goes on with a valid request in which each call has its result, and one line that tells the model", async () => {
    const { again, cwd, sessionId, provider } = await torn()
    const client = await again().client()
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    provider.script(says("On we go."))
    expect(await prompt(client, sessionId, "And?")).toMatchObject({ stopReason: "end_turn" })
    expect(client.story).toContain("· agent_message_chunk On we go.")

    const { messages } = provider.asked.at(-1)!.body as Loose
    expect(messages.slice(1).map(({ role, tool_call_id }: Loose) => tool_call_id ?? role)).toEqual([
      "user",
      "assistant",
      "read",
      "assistant",
      "made",
      "long",
      "user",
      "user",
    ])
    const heard = conversation(provider.asked.at(-1))
    expect(heard.at(-3)).toMatch(/interrupted.*look before you repeat it/)
    expect(heard.filter((line) => STOPPED.test(line))).toHaveLength(1)
    expect(heard.at(-1)).toBe("user: And?")
  })

  test("is mended once: loading it again changes nothing", async () => {
    const { again, cwd, sessionId, provider } = await torn()
    const params = { sessionId, cwd, mcpServers: [] }
    const histories: string[][] = []
    for (let time = 0; time < 3; time++) {
      const client = await again().client()
      await client.request("session/load", params)
      histories.push(
        client
          .updates()
          .map((update) => JSON.stringify(update))
          .filter((line) => /chunk|tool_call/.test(line)),
      )
    }
    expect(histories[1]).toEqual(histories[0])
    expect(histories[2]).toEqual(histories[0])
    const client = await again().client()
    await client.request("session/load", params)
    provider.script(says("ok"))
    await prompt(client, sessionId, "And?")
    expect(conversation(provider.asked.at(-1)).filter((line) => STOPPED.test(line))).toHaveLength(1)
  })
})

test("a row that is damaged costs what it held: the rest is replayed, and user and model are told", async () => {
  const { again, store, cwd, sessionId, provider } = await kept()
  const db = await databaseIn(store)
  db.run("UPDATE entry SET json = '{torn' WHERE session = ? AND seq = 3", sessionId) // "It is AAA."
  const client = await again().client(STANDARD)
  expect(await client.request("session/load", { sessionId, cwd, mcpServers: [] })).toHaveProperty("modes")
  expect(client.story.filter((line) => /_chunk/.test(line))).toEqual([
    "· user_message_chunk What is in a.txt?",
    "· agent_thought_chunk Hm.",
    "· user_message_chunk Thanks",
    "· agent_message_chunk Welcome.",
  ])
  provider.script(says("ok"))
  await prompt(client, sessionId, "And?")
  expect(client.story.filter((line) => /One message or result of this session can't be read/.test(line))).toHaveLength(
    1,
  )
  expect(conversation(provider.asked.at(-1))).toContainEqual(
    expect.stringMatching(/^user: A part of the conversation.*damaged/),
  )
})

test("a session whose limits are damaged is refused, and the others are untouched", async () => {
  const { first, again, store, cwd, sessionId, provider } = await kept()
  const { sessionId: other } = await first.request("session/new", { cwd, mcpServers: [] })
  provider.script(says("ok"))
  await prompt(first, other, "Another")
  const db = await databaseIn(store)
  db.run("UPDATE session SET asked = '{' WHERE id = ?", sessionId)
  const client = await again().client()
  expect(await client.answerTo("session/load", { sessionId, cwd, mcpServers: [] })).toMatchObject({
    error: { code: -32603, data: { reason: "store_damaged", details: expect.stringContaining(sessionId) } },
  })
  expect(await client.request("session/load", { sessionId: other, cwd, mcpServers: [] })).toBe(null)
  const { sessions } = await client.request("session/list", {})
  expect(sessions).toHaveLength(2)
})

test("what a newer koda wrote is refused in words and left as it is, and works again when it is out of the way", async () => {
  const { again, store, cwd, sessionId } = await kept()
  const db = await databaseIn(store)
  const [{ user_version: version }] = db.all<{ user_version: number }>("PRAGMA user_version") as [
    { user_version: number },
  ]
  db.run("PRAGMA user_version = 99")
  const before = db.all("SELECT * FROM session")
  const client = await again().client()
  const params = { sessionId, cwd, mcpServers: [] }
  for (const method of ["session/load", "session/list", "session/new"]) {
    expect(await client.answerTo(method, params)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("newer koda"), data: { reason: "store_newer" } },
    })
  }
  expect(db.all("PRAGMA user_version")).toEqual([{ user_version: 99 }])
  expect(db.all("SELECT * FROM session")).toEqual(before)
  db.run(`PRAGMA user_version = ${version}`)
  expect(await client.request("session/load", params)).toBe(null)
})

test("a session whose model is gone takes the one there is, and says so", async () => {
  const { again, store, cwd, sessionId, provider } = await kept()
  const db = await databaseIn(store)
  db.run("UPDATE session SET model = 'gone-1' WHERE id = ?", sessionId)
  const client = await again().client(STANDARD)
  const { configOptions } = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
  expect(configOptions[0]).toMatchObject({ id: "models", currentValue: "m" })
  provider.script(says("ok"))
  expect(await prompt(client, sessionId, "And?")).toMatchObject({ stopReason: "end_turn" })
  expect(client.story).toContainEqual(expect.stringMatching(/"gone-1" is not there any more; this session uses m/))
})

test("a disk that is full refuses a prompt in words, and nothing is lost or half done when there is room again", async () => {
  let room = true
  const { openDatabase } = testRuntime()
  const place = await keeping({ openDatabase: async (path) => filling(await openDatabase(path), () => room) })
  place.provider.script(says("one"))
  const { client, sessionId } = await place.session()
  await prompt(client, sessionId, "First")
  room = false
  expect(await client.answerTo("session/prompt", { sessionId, prompt: text("Second") })).toMatchObject({
    error: { code: -32603, message: expect.stringMatching(/full; make room/), data: { reason: "store_full" } },
  })
  expect(place.provider.asked).toHaveLength(1)
  room = true
  place.provider.script(says("three"))
  expect(await prompt(client, sessionId, "Third")).toMatchObject({ stopReason: "end_turn" })
  const heard = ["user: First", "assistant: one", "user: Third"]
  expect(conversation(place.provider.asked.at(-1))).toEqual(heard)

  const other = await place.again().client()
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  await prompt(other, sessionId, "Fourth")
  expect(conversation(place.provider.asked.at(-1))).toEqual([...heard, "assistant: three", "user: Fourth"])
})

test("a disk that gets full while a tool runs ends the turn in words; later requests are valid", async () => {
  let room = true
  const { openDatabase } = testRuntime()
  const place = await keeping({
    launch: { policy: "yolo" },
    openDatabase: async (path) => filling(await openDatabase(path), () => room),
  })
  place.provider.script(calls({ id: "c1", name: "run_shell_command", input: { command: "sleep 0.3" } }), says("later"))
  const { client, sessionId } = await place.session()
  const turn = client.answerTo("session/prompt", { sessionId, prompt: text("First") })
  await client.until("· tool_call_update c1 in_progress")
  room = false
  expect(await turn).toMatchObject({ error: { data: { reason: "store_full" } } })
  room = true
  await prompt(client, sessionId, "Second")
  const ids = (request: Loose) =>
    request.body.messages.slice(1).map(({ role, tool_call_id }: Loose) => tool_call_id ?? role)
  expect(ids(place.provider.asked.at(-1))).toEqual(["user", "assistant", "c1", "user"])

  const other = await place.again().client()
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  await prompt(other, sessionId, "Third")
  expect(ids(place.provider.asked.at(-1)).slice(0, 4)).toEqual(["user", "assistant", "c1", "user"])
})

test("no key, and nothing of a server's environment or headers, is in the files of the store", async () => {
  const place = await keeping({ env: { KODA_API_KEY: "sk-gateway-77777" } })
  place.provider.script(says("hi"))
  const mcpServers = [
    { name: "s", command: "true", args: [], env: [{ name: "TOKEN", value: "sk-server-11111" }] },
    {
      type: "http",
      name: "h",
      url: "http://127.0.0.1:1/",
      headers: [{ name: "Authorization", value: "Bearer sk-head-22222" }],
    },
  ]
  const { client, sessionId } = await place.session({}, { mcpServers })
  await client.request("koda/custom_models/upsert", {
    modelId: "own",
    baseUrl: place.provider.url,
    apiKey: "sk-custom-33333",
  })
  await client.request("session/set_model", { sessionId, modelId: "own" })
  await prompt(client, sessionId, "hello")
  const files = await readdir(place.store)
  const bytes = (await Promise.all(files.map((name) => readFile(join(place.store, name)))))
    .map((all) => all.toString("latin1"))
    .join("")
  expect(bytes).toContain("hello")
  for (const secret of [SECRET, "sk-gateway", "sk-server", "sk-head", "sk-custom"]) expect(bytes).not.toContain(secret)
})

/** A database that writes only while there is room. */
function filling(db: Database, hasRoom: () => boolean): Database {
  return {
    ...db,
    run(sql, ...values) {
      if (!hasRoom()) throw new Error("database or disk is full")
      db.run(sql, ...values)
    },
  }
}
