import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type ClientOptions, hello, quiet, STANDARD, unanswered, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, costs, pausing, says as text } from "../support/replies.ts"

// Editors as they are. Each test shows what one of them does that others do not.

const EDIT = calls({ name: "replace", input: { path: "a.txt", old_string: "old", new_string: "new" } })

const ZED: ClientOptions = {
  info: { name: "zed", version: "1.18.0" },
  capabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
}

describe("Zed", () => {
  test("has strings for ids, and turns dials in the breath in which it opens a session", async () => {
    const { connect, cwd } = await workshop()
    const client = connect()
    await client.requestAs("6f0c-1", "initialize", hello(ZED))
    const opened = await client.requestAs("6f0c-2", "session/new", {
      cwd,
      mcpServers: [{ name: "x", command: "x", args: [], env: [] }],
    })
    const { sessionId } = opened.result
    client.write(
      { id: "6f0c-3", method: "session/set_mode", params: { sessionId, modeId: "plan" } },
      {
        id: "6f0c-4",
        method: "session/set_config_option",
        params: { sessionId, configId: "models", value: "koda-offline" },
      },
    )
    await client.until("← 6f0c-4")
    const told = client.received.find(({ id }) => id === "6f0c-4")?.result.configOptions
    expect(told.map(({ currentValue }: { currentValue: string }) => currentValue)).toEqual([
      "koda-offline",
      "default",
      "plan",
    ])
  })

  test("registers a session at the answer: no update for it comes before", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session(ZED)
    const answer = client.received.findIndex(({ result }) => result?.sessionId === sessionId)
    const first = client.received.findIndex(({ params }) => params?.sessionId === sessionId)
    expect(first).toBeGreaterThan(answer)
  })

  test("sends a prompt again at once when the user wants it now: cancel, then prompt", async () => {
    const { session, provider } = await workshop()
    provider.script(pausing("thinking", unanswered), says("Now."))
    const { client, sessionId } = await session(ZED)
    const first = client.request("session/prompt", { sessionId, prompt: text("later") })
    await client.until("· agent_message_chunk")
    client.notify("session/cancel", { sessionId })
    const second = client.request("session/prompt", { sessionId, prompt: text("now") })
    expect([(await first).stopReason, (await second).stopReason]).toEqual(["cancelled", "end_turn"])
  })
})

describe("JetBrains", () => {
  const INFO: ClientOptions = {
    info: { name: "JetBrains.IDEA", version: "2026.1" },
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
  }
  const TYPE = { type: "com.agentclientprotocol.rpc.JsonRpcRequest" }

  test("has a member of its own in each message, and sets the model right after session/new", async () => {
    const { connect, cwd, provider } = await workshop()
    provider.script(says("hi"))
    const client = connect()
    await client.requestAs(1, "initialize", hello(INFO), TYPE)
    const { result } = await client.requestAs(2, "session/new", { cwd, mcpServers: [] }, TYPE)
    const { sessionId } = result
    expect(await client.requestAs(3, "session/set_model", { sessionId, modelId: "m" }, TYPE)).toMatchObject({
      result: {},
    })
    expect(await client.requestAs(4, "session/prompt", { sessionId, prompt: text("hi") }, TYPE)).toMatchObject({
      result: { stopReason: "end_turn" },
    })
  })

  test("stops at kinds of update that are not in the specification: it gets none", async () => {
    const { session, provider } = await workshop({
      files: { "a.txt": "old" },
      settings: { contextWindow: { m: 100_000 } },
    })
    provider.script(EDIT, calls({ name: "todo_write", input: { entries: [] } }), costs("done", { prompt_tokens: 1 }))
    const { client, sessionId } = await session(INFO)
    client.on("fs/read_text_file", async ({ path }) => ({ content: await readFile(path, "utf8") }))
    client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
    await client.request("session/set_mode", { sessionId, modeId: "debug" })
    await client.request("session/prompt", { sessionId, prompt: text("go") })

    const STABLE = [
      "user_message_chunk",
      "agent_message_chunk",
      "agent_thought_chunk",
      "tool_call",
      "tool_call_update",
      "plan",
      "available_commands_update",
      "current_mode_update",
      "config_option_update",
      "session_info_update",
      "usage_update",
    ]
    const kinds = new Set(client.updates().map(({ sessionUpdate }) => sessionUpdate))
    expect([...kinds].filter((kind) => !STABLE.includes(kind))).toEqual([])
  })
})

describe("CodeCompanion", () => {
  test("always signs in, with the first way it is offered", async () => {
    const { connect, cwd } = await workshop()
    const client = connect()
    const { authMethods } = await client.request("initialize", hello(STANDARD))
    await client.request("authenticate", { methodId: authMethods[0].id })
    expect(await client.request("session/new", { cwd })).toMatchObject({ sessionId: expect.any(String) })
  })

  test("never answers a question once it has cancelled: the next prompt is served all the same", async () => {
    const { session, provider, cwd } = await workshop({ files: { "a.txt": "old" } })
    provider.script(EDIT, says("Next."))
    const { client, sessionId } = await session(STANDARD)
    client.on("session/request_permission", () => unanswered)
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("⇠ session/request_permission")
    client.notify("session/cancel", { sessionId })
    await turn
    expect(await client.request("session/prompt", { sessionId, prompt: text("on") })).toMatchObject({
      stopReason: "end_turn",
    })
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("old")
  })

  test("has empty content for a file that is not there, and the model is told that there is none", async () => {
    const { session, provider } = await workshop()
    provider.script(calls({ name: "read_file", input: { path: "none.txt" } }), says("done"))
    const { client, sessionId } = await session({ ...STANDARD, capabilities: { fs: { readTextFile: true } } })
    client.on("fs/read_text_file", () => ({ content: "" }))
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    expect(client.updates("tool_call_update").at(-1).status).toBe("failed")
  })
})

test("Toad has integers for ids and takes no others: what we ask has integers", async () => {
  const { session, provider } = await workshop({ files: { "a.txt": "old" } })
  provider.script(EDIT, says("done"))
  const { client, sessionId } = await session({ ...STANDARD, capabilities: { fs: { readTextFile: true } } })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  const ids = client.received.flatMap(({ id, method }) => (method && id != null ? [id] : []))
  expect(ids.length).toBeGreaterThan(1)
  expect(ids.every(Number.isSafeInteger)).toBe(true)
})

test("agent-shell takes any update after a prompt's answer for a fault: none comes, over several turns", async () => {
  const { session, provider, cwd } = await workshop({
    settings: { contextWindow: { m: 100_000 } },
    launch: { policy: "yolo" },
  })
  provider.script(
    calls({ name: "run_shell_command", input: { command: "echo hi" } }),
    costs("one", { prompt_tokens: 5, completion_tokens: 5 }),
  )
  const { client, sessionId } = await session(STANDARD)
  await quiet() // the start-up updates
  let inTurn = false
  const outside: string[] = []
  let seen = client.story.length
  const look = () => {
    const lines = client.story.slice(seen)
    seen = client.story.length
    if (!inTurn) outside.push(...lines.filter((line) => line.startsWith("·")))
  }
  for (let turn = 0; turn < 3; turn++) {
    inTurn = true
    await client.request("session/prompt", { sessionId, prompt: text(`turn ${turn}`) })
    look()
    inTurn = false
    await quiet()
    look()
  }
  expect(outside).toEqual([])
  expect(cwd).not.toBe("")
})

test("a client that ignores all that it is asked, and closes its end in mid-turn, is done with at once", async () => {
  const { session, provider, cwd, server } = await workshop({ files: { "a.txt": "old" } })
  provider.script(EDIT, says("done"))
  const everything = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
  const { client, sessionId } = await session({ capabilities: everything })
  for (const method of ["session/request_permission", "fs/read_text_file"]) client.on(method, () => unanswered)
  client.request("session/prompt", { sessionId, prompt: text("go") }).catch(() => {})
  await client.until("⇠ fs/read_text_file")

  await client.hangUp()
  await server.close()

  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("old")
})

test("two editors on one agent do not see each other's sessions", async () => {
  const { session, provider } = await workshop()
  provider.script(says("hi"))
  const one = await session(STANDARD)
  const two = await session(ZED)
  const before = two.client.received.length
  await one.client.request("session/prompt", { sessionId: one.sessionId, prompt: text("hi") })
  await quiet()
  expect(two.client.received.length).toBe(before)
})
