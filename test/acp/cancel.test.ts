import { describe, expect, test } from "vitest"
import { quiet, STANDARD, workshop } from "../support/client.ts"
import { chunk, says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"

const FOREVER = new Promise<never>(() => {})

test("R-070 R-071 CX-01 a cancel has no answer of its own: the request to the model is dropped, and the prompt answers cancelled", async () => {
  const { session, provider } = await workshop()
  provider.script(pausing("thinking", FOREVER), says("Here again."))
  const { client, sessionId } = await session()
  const from = client.story.length
  const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· agent_message_chunk thinking")

  client.notify("session/cancel", { sessionId })

  expect(await turn).toEqual({ stopReason: "cancelled", _meta: { "com.kodadev.promptId": expect.any(String) } })
  await provider.asked[0]!.closed
  expect(client.story.slice(from)).toEqual([
    "→ session/prompt",
    "· session_info_update",
    "· agent_message_chunk thinking",
    "→ session/cancel",
    "← session/prompt cancelled",
  ])
  expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject({
    stopReason: "end_turn",
  })
})

test("CX-02 a cancel in the same write as its prompt counts: no request is made", async () => {
  const { session, provider } = await workshop()
  const { client, sessionId } = await session()

  client.write(
    { id: "p", method: "session/prompt", params: { sessionId, prompt: text("go") } },
    { method: "session/cancel", params: { sessionId } },
  )

  expect(await client.until("← p")).toBe("← p cancelled")
  expect(provider.asked).toEqual([])
})

test("CX-02 a cancel reaches every prompt that waits", async () => {
  const { session, provider } = await workshop()
  const { client, sessionId } = await session()
  const prompt = (id: string) => ({ id, method: "session/prompt", params: { sessionId, prompt: text(id) } })

  client.write(prompt("p1"), prompt("p2"), { method: "session/cancel", params: { sessionId } })

  expect([await client.until("← p1"), await client.until("← p2")]).toEqual(["← p1 cancelled", "← p2 cancelled"])
  expect(provider.asked).toEqual([])
})

test("R-072 a cancel with nothing to cancel is harmless, and does not reach the next prompt", async () => {
  const { session, provider } = await workshop()
  provider.script(says("hi"))
  const { client, sessionId } = await session()
  const before = client.received.length
  client.notify("session/cancel", { sessionId })
  await quiet()
  expect(client.received.length).toBe(before)
  expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject({
    stopReason: "end_turn",
  })
})

test("CX-05 what ends by itself is no cancel, and a cancelled turn shows no usage of zeros", async () => {
  const { session, provider } = await workshop()
  provider.script(says("hi"), pausing("one", FOREVER))
  const { client, sessionId } = await session()
  const whole = await client.request("session/prompt", { sessionId, prompt: text("go") })
  const cut = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· agent_message_chunk one")
  client.notify("session/cancel", { sessionId })
  expect([whole.stopReason, (await cut).stopReason, "usage" in (await cut)]).toEqual(["end_turn", "cancelled", false])
})

test("R-128 CX-07 a cancelled command's card is closed before the answer, and nothing follows it", async () => {
  const { session, provider } = await workshop({ launch: { policy: "yolo" } })
  const command = "while :; do echo tick; sleep 0.01; done"
  provider.script(calls({ name: "run_shell_command", input: { command } }))
  const { client, sessionId } = await session()
  const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· tool_call_update call-1 …") // it prints

  client.notify("session/cancel", { sessionId })
  await turn
  const after = client.story.length
  await quiet()

  expect(client.story.slice(after - 2)).toEqual(["· tool_call_update call-1 failed", "← session/prompt cancelled"])
  expect(client.story.length).toBe(after)
})

test("CX-10 every update of a turn leaves before its answer, however many come at once", async () => {
  const { session, provider } = await workshop({ settings: { contextWindow: { m: 100_000 } } })
  const words = Array.from({ length: 300 }, (_, at) => chunk({ content: `${at} ` }))
  const usage = { prompt_tokens: 1, completion_tokens: 1 }
  provider.script({ steps: [words.join("") + chunk({}, { finish: "stop", usage }) + says("").steps!.at(-1)] })
  for (const dialect of [{}, STANDARD]) {
    const { client, sessionId } = await session(dialect)
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    await quiet()
    expect(client.story.at(-1)).toBe("← session/prompt end_turn")
    const said = client.updates("agent_message_chunk").map(({ content }) => content.text)
    expect(said.join("")).toBe(Array.from({ length: 300 }, (_, at) => `${at} `).join(""))
  }
})

test("CX-01 a cancel does not wait for an editor that owes us a file", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "old" } })
  provider.script(calls({ name: "read_file", input: { path: "a.txt" } }))
  const { client, sessionId } = await session({ capabilities: { fs: { readTextFile: true } } })
  client.on("fs/read_text_file", () => FOREVER)
  const from = client.story.length
  const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("⇠ fs/read_text_file")

  client.notify("session/cancel", { sessionId })

  expect(await turn).toMatchObject({ stopReason: "cancelled" })
  expect(client.story.slice(from)).toEqual([
    "→ session/prompt",
    "· session_info_update",
    "· tool_call pending: Read a.txt",
    "· tool_call_update call-1 in_progress",
    "⇠ fs/read_text_file",
    "→ session/cancel",
    "· $/cancel_request",
    "· tool_call_update call-1 failed",
    "← session/prompt cancelled",
  ])
})

test("CX-02 a cancel while the files of a prompt are read asks no model, and the prompt was said", async () => {
  const { session, provider, cwd } = await workshop({ files: { "a.txt": "old" } })
  provider.script(says("hi"))
  const { client, sessionId } = await session({ capabilities: { fs: { readTextFile: true } } })
  client.on("fs/read_text_file", () => FOREVER)
  const link = { type: "resource_link", name: "a.txt", uri: `file://${cwd}/a.txt` }
  const turn = client.request("session/prompt", { sessionId, prompt: [...text("Look at "), link] })
  await client.until("⇠ fs/read_text_file")

  client.notify("session/cancel", { sessionId })

  expect(await turn).toMatchObject({ stopReason: "cancelled" })
  expect(provider.asked).toEqual([])
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  const said = provider.asked[0]!.body["messages"] as { content: string }[]
  expect(said.slice(1).map(({ content }) => content.replaceAll(cwd, ""))).toEqual([
    "Look at [@a.txt](file:///a.txt)",
    "go",
  ])
})

describe("JR-15 $/cancel_request", () => {
  test("of a prompt ends it", async () => {
    const { session, provider } = await workshop()
    provider.script(pausing("thinking", FOREVER), says("Here again."))
    const { client, sessionId } = await session()
    const turn = client.requestAs("p", "session/prompt", { sessionId, prompt: text("go") })
    await client.until("· agent_message_chunk")

    client.notify("$/cancel_request", { requestId: "p" })

    const { result, error } = await turn
    expect(result?.stopReason ?? error?.code).toBe("cancelled")
    expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject({
      stopReason: "end_turn",
    })
  })

  test("of what is done or was never asked is passed over", async () => {
    const { client } = await workshop()
    const koda = await client()
    const before = koda.received.length
    for (const requestId of [1, 99, "x"]) koda.notify("$/cancel_request", { requestId })
    await quiet()
    expect(koda.received.length).toBe(before)
  })
})

describe("R-014 a client that goes away", () => {
  test("in the middle of a turn: the request to the model is dropped, and the agent can be closed", async () => {
    const { session, provider, server } = await workshop()
    provider.script(pausing("thinking", FOREVER))
    const { client, sessionId } = await session()
    client.request("session/prompt", { sessionId, prompt: text("go") }).catch(() => {})
    await client.until("· agent_message_chunk")

    await client.hangUp()
    await provider.asked[0]!.closed
    await server.close()
  })

  test("while it owes us an answer", async () => {
    const { session, provider, server } = await workshop({ files: { "a.txt": "old" } })
    provider.script(calls({ name: "replace", input: { path: "a.txt", old_string: "old", new_string: "new" } }))
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => FOREVER)
    client.request("session/prompt", { sessionId, prompt: text("go") }).catch(() => {})
    await client.until("⇠ session/request_permission")
    await client.hangUp()
    await server.close()
  })
})

test("session/close in the middle of a turn ends the turn first: both are answered", async () => {
  const { session, provider } = await workshop()
  provider.script(pausing("thinking", FOREVER))
  const { client, sessionId } = await session()
  const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· agent_message_chunk")

  expect(await client.request("session/close", { sessionId })).toEqual({})

  expect(await turn).toMatchObject({ stopReason: "cancelled" })
  expect(client.story.slice(-2)).toEqual(["← session/prompt cancelled", "← session/close"])
})
