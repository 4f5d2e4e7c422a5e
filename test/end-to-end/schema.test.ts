import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { choose, type Frame, type Koda, type Loose, startKoda } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { flawsOf } from "./schema.ts"
import { SUBJECTS } from "./subjects.ts"

const ENTRIES = [{ content: "Look", status: "in_progress" }]

/** One after another, something of every kind there is to show. */
const STEPS: readonly (readonly [name: string, input: object])[] = [
  ["todo_write", { entries: ENTRIES, explanation: "because" }],
  ["read_file", { path: "a.txt" }],
  ["read_file", { path: "missing.txt" }],
  ["replace", { path: "a.txt", old_string: "old", new_string: "new" }],
  ["write_file", { path: "b.txt", content: "b\n" }],
  ["run_shell_command", { command: "echo hello; touch c.txt" }],
  ["search_file_content", { pattern: "new" }],
]

describe("the check itself", () => {
  const update = (update: object): Frame => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s", update },
  })

  test("finds nothing in a frame by the letter, and what is wrong in others", () => {
    const content = { type: "text", text: "hello" }
    expect(flawsOf(update({ sessionUpdate: "agent_message_chunk", content }), undefined)).toEqual([])
    expect(flawsOf(update({ sessionUpdate: "agent_message_chunk", content: "hello" }), undefined)).not.toEqual([])
    expect(flawsOf(update({ sessionUpdate: "subagent_update", task: {} }), undefined)).not.toEqual([])
    expect(flawsOf(update({ sessionUpdate: "agent_message_chunk", content, extra: 1 }), undefined)).not.toEqual([])
    expect(flawsOf({ jsonrpc: "2.0", id: 1, result: { stopReason: "done" } }, "session/prompt")).not.toEqual([])
    expect(flawsOf({ jsonrpc: "2.0", id: 1, method: "session/ask", params: {} }, undefined)).not.toEqual([])
  })
})

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("says to a client of the standard only what the protocol knows", async () => {
    const place = await newPlace({ "a.txt": "old\n" }, { "settings.json": '{ "approvalMode": "nonsense" }' })
    const model = await startModel((asked) => {
      const done = asked.messages.filter(({ role }) => role === "tool").length
      const turn = asked.messages.filter(({ role }) => role === "user").length
      if (turn === 1 || lastOf(asked).role === "tool") return STEPS[done] ? calls(STEPS[done]) : words("All ", "done.")
      return { status: 400, type: "application/json", body: '{"error":{"message":"no"}}' }
    })
    const koda = startKoda(subject, place, {
      env: model.env,
      args: ["--acp", "--session-store", join(place.temp, "store")],
    })
    koda.replies["session/request_permission"] = choose("allow_once")
    const asked = new Map<unknown, string>()
    const ask = (method: string, params: object): Promise<Loose> => {
      const answer = koda.request(method, params)
      return answer.then((frame) => {
        asked.set(frame.id, method)
        return frame.result
      })
    }
    await everything(koda, ask, place.workspace)
    expect(koda.frames.flatMap((frame) => flawsOf(frame, asked.get(frame.id)))).toEqual([])
    expect(kindsIn(koda)).toEqual(
      expect.arrayContaining([
        "agent_message_chunk",
        "available_commands_update",
        "config_option_update",
        "current_mode_update",
        "plan",
        "session_info_update",
        "tool_call",
        "tool_call_update",
      ]),
    )
  })
})

/** Calls all methods of the standard that there are, rightly and wrongly. */
async function everything(
  koda: Koda,
  ask: (method: string, params: object) => Promise<Loose>,
  cwd: string,
): Promise<void> {
  const clientCapabilities = {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: true },
  }
  const clientInfo = { name: "end-to-end", version: "1.0.0" }
  await ask("initialize", { protocolVersion: 1, clientInfo, clientCapabilities })
  await ask("authenticate", { methodId: "koda_auth" }) // fails, and no session would be opened now
  await ask("authenticate", { methodId: "without_auth" })
  const { sessionId } = await ask("session/new", { cwd, mcpServers: [] })
  await ask("session/set_mode", { sessionId, modeId: "debug" })
  await ask("session/set_config_option", { sessionId, configId: "mode", value: "code" })
  const text = { type: "text", text: "Do it all." }
  expect((await ask("session/prompt", { sessionId, prompt: [text] })).stopReason).toBe("end_turn")
  await ask("session/prompt", { sessionId, prompt: [text] })
  await ask("session/prompt", { sessionId: "nobody", prompt: [text] })
  await ask("session/list", { cwd })
  await ask("session/close", { sessionId })
  await ask("session/load", { sessionId, cwd, mcpServers: [] })
  await ask("session/resume", { sessionId, cwd, mcpServers: [] })
  await ask("session/load", { sessionId: "nobody", cwd, mcpServers: [] })
  await ask("session/delete", { sessionId })
  await ask("logout", {})
  await koda.hangUp()
}

function kindsIn({ frames }: Koda): string[] {
  return [...new Set(frames.flatMap(({ params }) => params?.update?.sessionUpdate ?? []))]
}
