import { expect, test } from "vitest"
import { type Client, type Loose, quiet, STANDARD } from "../support/client.ts"
import { conversation, keeping, LABEL, prompt } from "../support/kept.ts"
import { chunk, type Script, says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

/** What a client has on its screen after these updates: messages with their pieces joined, and calls as they stand. */
function screenOf(updates: readonly Loose[]): Loose[] {
  const screen: Loose[] = []
  const call = (id: string) => screen.find(({ toolCallId }) => toolCallId === id)
  for (const { sessionUpdate, ...update } of updates) {
    const last = screen.at(-1)
    switch (sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        if (last?.kind === sessionUpdate && last.id === update.messageId) last.text += update.content.text
        else screen.push({ kind: sessionUpdate, id: update.messageId, text: update.content.text })
        break
      case "tool_call":
        screen.push({ ...update })
        break
      case "tool_call_update":
        Object.assign(call(update.toolCallId) ?? expect.fail(`an update of no call: ${update.toolCallId}`), update)
        break
    }
  }
  return screen
}

const byName = (screen: readonly Loose[]) => Object.fromEntries(screen.map((one) => [one.toolCallId ?? one.id, one]))

const planOf = (client: Client) => client.updates("plan").at(-1)?.entries

/** A turn with all that a turn can show. */
async function eventful() {
  const place = await keeping({ files: { "a.txt": "AAA\n", "b.txt": "one\n" } })
  const { client, sessionId } = await place.session(STANDARD)
  client.on("session/request_permission", ({ toolCall, options }) => {
    const kind = toolCall.title.includes("c.txt") ? "reject_once" : "allow_once"
    return { outcome: { outcome: "selected", optionId: options.find((one: Loose) => one.kind === kind).optionId } }
  })
  const think = chunk({ reasoning_content: "Let me " })
  const thinkMore = chunk({ reasoning_content: "look." })
  const say = chunk({ content: "I look " })
  const sayMore = chunk({ content: "first." })
  const replies: Script[] = [
    calls(
      { id: "slow", name: "run_shell_command", input: { command: "sleep 0.2; echo slow" } },
      { id: "read", name: "read_file", input: { path: "a.txt" } },
      { id: "lost", name: "read_file", input: { path: "missing.txt" } },
    ),
    calls({ id: "made", name: "write_file", input: { path: "new.txt", content: "new\n" } }),
    calls({ id: "edit", name: "replace", input: { path: "b.txt", old_string: "one", new_string: "two" } }),
    calls({ id: "no", name: "write_file", input: { path: "c.txt", content: "never\n" } }),
    calls({ id: "odd", name: "no_such_tool", input: { a: 1 } }, { id: "bad", name: "read_file", input: "{not json" }),
    calls({
      id: "plan",
      name: "todo_write",
      input: {
        entries: [
          { content: "Look", status: "completed" },
          { content: "Tell", status: "in_progress" },
        ],
      },
    }),
  ]
  replies[0]!.steps!.unshift(think, thinkMore, say, sayMore)
  place.provider.script(...replies, says("That is all."))
  await prompt(client, sessionId, "Do it all", "one")
  return { ...place, first: client, sessionId }
}

test("SL-01 SL-07 R-057 what is replayed is what was seen: words, thoughts, calls with diffs and results in their order, and the plan", async () => {
  const { first, again, cwd, sessionId } = await eventful()
  const other = await again().client(STANDARD)
  await other.request("session/load", { sessionId, cwd, mcpServers: [] })

  const [seen, replayed] = [screenOf(first.updates()), screenOf(other.updates())]
  const calls = ["slow", "read", "lost", "made", "edit", "no", "odd", "bad", "plan"]
  expect(replayed.map(({ toolCallId, kind }) => toolCallId ?? kind)).toEqual([
    "agent_thought_chunk",
    "agent_message_chunk",
    ...calls,
    "agent_message_chunk",
  ])
  expect(byName(replayed)).toEqual(byName(seen)) // calls made at once may have appeared in any order
  expect(seen.find(({ toolCallId }) => toolCallId === "edit").content).toContainEqual({
    type: "diff",
    path: `${cwd}/b.txt`,
    oldText: "one\n",
    newText: "two\n",
  })
  expect(planOf(other)).toEqual(planOf(first))
  const story = other.story.slice(other.story.indexOf("→ session/load"))
  expect(story.indexOf("· plan")).toBeLessThan(story.indexOf("← session/load"))
  expect(story.indexOf("· plan")).toBeGreaterThan(story.findLastIndex((line) => line.startsWith("· agent_message")))
})

test("R-294 SL-01 the user's messages come back whole, with their label and one id each", async () => {
  const place = await keeping()
  place.provider.script(says("Nice."))
  const { client, sessionId } = await place.session()
  const image = { type: "image", data: "aGk=", mimeType: "image/png" }
  const link = { type: "resource_link", uri: `file://${place.cwd}/a.txt`, name: "a.txt" }
  const embedded = { type: "resource", resource: { uri: "file:///b.ts", text: "let b\n</resource>" } }
  await client.request("session/prompt", {
    sessionId,
    prompt: [...text("Look at "), image, link, embedded],
    _meta: { [LABEL]: "one" },
  })
  await prompt(client, sessionId, "And now?")
  const other = await place.again().client()
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })

  const chunks = other.updates("user_message_chunk")
  expect(chunks.map(({ content }) => content)).toEqual([
    ...text("Look at "),
    image,
    link,
    embedded,
    ...text("And now?"),
  ])
  expect(chunks.map(({ _meta }) => _meta)).toEqual([...Array(4).fill({ [LABEL]: "one" }), undefined])
  const ids = chunks.map(({ messageId }) => messageId)
  expect([new Set(ids.slice(0, 4)).size, new Set(ids).size]).toEqual([1, 2])
  expect(JSON.stringify(other.updates())).not.toContain("AAA") // what the link led to was for the model alone
})

test("SL-02 what was hidden stays hidden: notes, reminders, and what a prompt's links lead to", async () => {
  const place = await keeping({ files: { "AGENTS.md": "Only ever whisper.", "a.txt": "AAA" } })
  const same = calls({ name: "read_file", input: { path: "a.txt" } })
  place.provider.script(same, same, same, says("Enough."))
  const { client, sessionId } = await place.session()
  await client.request("session/set_plan", {
    sessionId,
    entries: [{ content: "Mine", status: "pending", priority: "medium" }],
  })
  await prompt(client, sessionId, "Again and again")
  expect(place.provider.asked.at(-1)!.text).toMatch(/same result three times/)
  const other = await place.again().client()
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  expect(other.updates("user_message_chunk").map(({ content }) => content.text)).toEqual(["Again and again"])
  expect(JSON.stringify(other.updates())).not.toMatch(/whisper|same result three times/)
  expect(planOf(other)).toEqual([{ content: "Mine", status: "pending", priority: "medium" }])
})

test("CP-07 after a compaction everything is replayed, the model reads the short of it, and a fork may begin before", async () => {
  const place = await keeping()
  const long = (name: string) => Array.from({ length: 300 }, (_, at) => `${name}${at}`).join(" ")
  const { client, sessionId } = await place.session()
  for (const nth of [1, 2, 3]) {
    place.provider.script(says(long(`page${nth}word`)))
    await prompt(client, sessionId, `Page ${nth}`, `p${nth}`)
  }
  place.provider.script(says("Notes of three pages."))
  expect(await client.request("session/compact", { sessionId })).toMatchObject({ compacted: true })
  for (const nth of [4, 5]) {
    place.provider.script(says(`page ${nth} is done`))
    await prompt(client, sessionId, `Page ${nth}`, `p${nth}`)
  }

  const other = await place.again().client()
  const from = other.story.length
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  await other.until("· context_usage_update", from)
  const asked = [1, 2, 3, 4, 5].map((nth) => `Page ${nth}`)
  expect(other.updates("user_message_chunk").map(({ content }) => content.text)).toEqual(asked)
  expect(JSON.stringify(other.updates("agent_message_chunk"))).toContain("page1word7")
  expect(JSON.stringify(other.updates())).not.toContain("Notes of three pages.")

  place.provider.script(says("ok"))
  await prompt(other, sessionId, "Page 6")
  expect(place.provider.asked.at(-1)!.text).toContain("Notes of three pages.")
  expect(place.provider.asked.at(-1)!.text).not.toContain("page1word7")

  const fork = await other.request("session/fork", {
    sessionId,
    cwd: place.cwd,
    mcpServers: [],
    _meta: { [LABEL]: "p3" },
  })
  await prompt(other, fork.sessionId, "Otherwise")
  const heard = conversation(place.provider.asked.at(-1))
  expect(heard.filter((line) => line.startsWith("user: "))).toEqual(["user: Page 1", "user: Page 2", "user: Otherwise"])
  expect(place.provider.asked.at(-1)!.text).toContain("page1word7")
})

test("what a command printed in the client's terminal is replayed as text: that terminal is gone", async () => {
  const place = await keeping({ launch: { policy: "yolo" } })
  place.provider.script(calls({ name: "run_shell_command", input: { command: "make it" } }), says("Made."))
  const { client, sessionId } = await place.session({ ...STANDARD, capabilities: { terminal: true } })
  client.on("terminal/create", () => ({ terminalId: "t1" }))
  client.on("terminal/wait_for_exit", () => ({ exitCode: 0, signal: null }))
  client.on("terminal/output", () => ({
    output: "made it\n",
    truncated: false,
    exitStatus: { exitCode: 0, signal: null },
  }))
  client.on("terminal/release", () => null)
  await prompt(client, sessionId, "make")
  expect(JSON.stringify(client.updates("tool_call_update"))).toContain('"terminalId":"t1"')

  const other = await place.again().client({ ...STANDARD, capabilities: { terminal: true } })
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  const { content } = other.updates("tool_call_update").at(-1)
  expect(content).toEqual([{ type: "content", content: { type: "text", text: expect.stringContaining("made it") } }])
})

test("R-068 R-069 after too many requests in a turn what the tools did stays, and the next message goes on from there, also after a restart", async () => {
  const place = await keeping({ settings: { maxTurnRequests: 2 } })
  place.provider.script(
    calls({ id: "c1", name: "read_file", input: { path: "a.txt" } }),
    calls({ id: "c2", name: "list_directory", input: { path: "." } }),
    says("I was to read a.txt."),
  )
  const { client, sessionId } = await place.session()
  expect(await prompt(client, sessionId, "Read")).toMatchObject({ stopReason: "max_turn_requests" })

  const other = await place.again().client()
  await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  expect(await prompt(other, sessionId, "Go on")).toMatchObject({ stopReason: "end_turn" })
  const { messages } = place.provider.asked.at(-1)!.body as Loose
  expect(messages.slice(1).map(({ role, tool_call_id }: Loose) => tool_call_id ?? role)).toEqual([
    "user",
    "assistant",
    "c1",
    "assistant",
    "c2",
    "user",
  ])
})

test.each([
  ["Koda's", { capabilities: { subagents: true } }],
  ["the standard's", STANDARD],
] as const)(
  "SL-04 a subagent's work is there after a load for a client of %s, as it was when the turn ended",
  async (_, dialect) => {
    const place = await keeping()
    place.provider.script(
      calls({ id: "sub", name: "sub_agent", input: { agent: "research", goal: "Read a.txt" } }),
      calls({ id: "c1", name: "read_file", input: { path: "a.txt" } }),
      calls({ id: "c2", name: "list_directory", input: { path: "." } }),
      says("It holds AAA."),
      says("The child found AAA."),
    )
    const { client, sessionId } = await place.session(dialect)
    expect(await prompt(client, sessionId, "Find out")).toMatchObject({ stopReason: "end_turn" })
    await client.request("session/close", { sessionId }) // or its last steps are told here while it is loaded there
    const other = await place.again().client(dialect)
    const from = other.story.length
    await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
    await other.until("· session_info_update", from)
    await quiet()

    const callIn = (who: Client) => screenOf(who.updates()).find(({ toolCallId }) => toolCallId === "sub")
    expect(callIn(other)).toEqual(callIn(client))
    expect(JSON.stringify(callIn(other))).toContain("It holds AAA.")
    const taskIn = (who: Client) => who.updates("subagent_update").at(-1)?.task
    expect(taskIn(other)).toEqual(taskIn(client))
  },
)
