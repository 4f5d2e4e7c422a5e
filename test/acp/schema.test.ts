import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { type Client, STANDARD, unanswered, workshop } from "../support/client.ts"
import { refuses, says } from "../support/provider.ts"
import { calls, costs, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"
import { faultsIn, faultsOf } from "../support/standard.ts"

// Some editors end a session at the first field that is missing. So all that we say is held against the schema.

const EVERYTHING = { fs: { readTextFile: true, writeTextFile: true }, terminal: true, auth: { terminal: true } }

function faults(client: Client): string[] {
  return faultsIn(client.received, client.methods)
}

/** A client that does what it is asked. */
function obliging(client: Client): void {
  client.on("fs/read_text_file", async ({ path }) => ({ content: await readFile(path, "utf8") }))
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  client.on("terminal/create", () => ({ terminalId: "t1" }))
  client.on("terminal/wait_for_exit", () => ({ exitCode: 0 }))
  client.on("terminal/output", () => ({ output: "out", truncated: false }))
  client.on("terminal/release", () => ({}))
}

test("the schema is one that finds faults", () => {
  expect(
    faultsOf("SessionNotification", { sessionId: "s", update: { sessionUpdate: "usage_update", used: 1 } }),
  ).not.toEqual([])
  expect(faultsOf("NewSessionResponse", {})).not.toEqual([])
})

test.for([
  ["the standard", STANDARD],
  ["the standard, with all an editor can have", { ...STANDARD, capabilities: EVERYTHING }],
  ["the standard, with a view for terminals", { ...STANDARD, capabilities: { _meta: { terminal_output: true } } }],
] as const)(
  "R-126 to a client of %s every message of a day's work is as the protocol's own schema says",
  async ([, options]) => {
    const { session, provider, cwd } = await workshop({
      files: { "a.txt": "old\n", ".koda/settings.json": '{"approvalMode":"yolo"}' },
      settings: { contextWindow: { m: 100_000 } },
    })
    const { client, sessionId } = await session(options)
    obliging(client)
    provider.script(
      calls({ id: "c1", name: "read_file", input: { path: "a.txt" } }, { id: "c2", name: "nobody_knows", input: {} }),
      calls({ id: "c3", name: "replace", input: { path: "a.txt", old_string: "old", new_string: "new" } }),
      calls({
        id: "c4",
        name: "run_shell_command",
        input: { command: "touch b.txt; echo out", description: "Touches" },
      }),
      calls({
        id: "c5",
        name: "todo_write",
        input: { entries: [{ content: "x", status: "pending" }], explanation: "y" },
      }),
      calls({ id: "c6", name: "write_file", input: { path: "new/c.txt", content: "c" } }),
      costs("done", { prompt_tokens: 10, completion_tokens: 5 }),
    )
    await client.request("authenticate", { methodId: "without_auth" })
    await client.request("session/set_config_option", { sessionId, configId: "mode", value: "debug" })
    await client.request("session/set_mode", { sessionId, modeId: "code" })
    const answer = await client.request("session/prompt", { sessionId, prompt: text("go") })
    provider.script(refuses(400, "no"))
    await client.answerTo("session/prompt", { sessionId, prompt: text("go") })
    await client.answerTo("session/prompt", { sessionId: "none", prompt: [] })
    provider.script(
      calls({ id: "c7", name: "replace", input: { path: "a.txt", old_string: "new", new_string: "old" } }),
    )
    client.on("session/request_permission", () => unanswered)
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("⇠ session/request_permission", client.story.length - 2)
    client.notify("session/cancel", { sessionId })
    await turn
    await client.request("session/close", { sessionId })

    expect(answer.stopReason).toBe("end_turn")
    expect(await readFile(`${cwd}/new/c.txt`, "utf8")).toBe("c")
    expect(faults(client)).toEqual([])
  },
)

test("saved sessions too: list, load, resume, delete", async () => {
  const store = await temporaryFolder()
  const { session, provider, cwd } = await workshop({
    files: { "a.txt": "x" },
    env: { KODA_ACP_SESSION_STORE_DIR: store },
  })
  provider.script(calls({ name: "read_file", input: { path: "a.txt" } }), says("done"))
  const { client, sessionId } = await session(STANDARD)
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.request("session/close", { sessionId })
  await client.request("session/list", { cwd: cwd })
  await client.request("session/load", { sessionId, cwd: cwd, mcpServers: [] })
  await client.request("session/close", { sessionId })
  await client.request("session/resume", { sessionId, cwd: cwd, mcpServers: [] })
  await client.request("session/delete", { sessionId })
  await client.answerTo("session/load", { sessionId, cwd: cwd, mcpServers: [] })
  expect(client.updates("user_message_chunk").length).toBe(1)
  expect(faults(client)).toEqual([])
})
