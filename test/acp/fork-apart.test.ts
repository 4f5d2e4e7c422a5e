import { symlink } from "node:fs/promises"
import { expect, test } from "vitest"
import { type Client, type Loose, STANDARD } from "../support/client.ts"
import { conversation, keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { calls, pausing } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const fork = (client: Client, cwd: string, sessionId: string, label?: string, more: object = {}): Promise<Loose> =>
  client.request("session/fork", {
    sessionId,
    cwd,
    mcpServers: [],
    ...(label && { _meta: { [LABEL]: label } }),
    ...more,
  })

const historyOf = async (client: Client, sessionId: string, cwd: string): Promise<string[]> => {
  const from = client.story.length
  await client.request("session/load", { sessionId, cwd, mcpServers: [] })
  return client.story.slice(from).filter((line) => /_chunk|tool_call/.test(line))
}

const wordsIn = (provider: Loose): string[] =>
  conversation(provider.asked.at(-1)).filter((line) => !line.startsWith("tool: "))

test("R-043 neither session can change the other, whatever is said in either", async () => {
  const { first, again, cwd, sessionId, provider } = await kept()
  const before = await historyOf(await again().client(), sessionId, cwd)
  await first.request("session/load", { sessionId, cwd, mcpServers: [] })
  const { sessionId: branch } = await fork(first, cwd, sessionId, "two")

  provider.script(says("In the branch."))
  await prompt(first, branch, "Otherwise", "two")
  expect(await historyOf(await again().client(), sessionId, cwd)).toEqual(before)
  const branched = await historyOf(await again().client(), branch, cwd)
  expect(branched).toEqual([
    ...before.slice(0, before.indexOf("· user_message_chunk Thanks")),
    "· user_message_chunk Otherwise",
    "· agent_message_chunk In the branch.",
  ])

  const other = await again().client()
  await other.request("session/delete", { sessionId })
  expect(await historyOf(await again().client(), branch, cwd)).toEqual(branched)
})

test("R-045 a label that two messages bear names the later one", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  provider.script(says("Again."))
  await prompt(first, sessionId, "Once more", "one")
  const { sessionId: branch } = await fork(first, cwd, sessionId, "one")
  provider.script(says("ok"))
  await prompt(first, branch, "Go")
  expect(wordsIn(provider).slice(-3)).toEqual(["user: Thanks", "assistant: Welcome.", "user: Go"])
})

test("R-045 the label works in the standard too, and in a branch of a branch", async () => {
  const { again, cwd, sessionId, provider } = await kept()
  const client = await again().client(STANDARD)
  const { sessionId: branch } = await fork(client, cwd, sessionId)
  const { sessionId: twig } = await fork(client, cwd, branch, "two")
  provider.script(says("ok"))
  await prompt(client, twig, "Go")
  expect(wordsIn(provider)).toEqual(["user: What is in a.txt?", "assistant: ", "assistant: It is AAA.", "user: Go"])
})

test("R-050 the answer is that of session/new in each dialect, with an id of its own", async () => {
  const { again, cwd, sessionId } = await kept()
  for (const dialect of [{}, STANDARD]) {
    const client = await again().client(dialect)
    const created = await client.request("session/new", { cwd, mcpServers: [] })
    const forked = await fork(client, cwd, sessionId, "two")
    expect(forked).toEqual({ ...created, sessionId: forked.sessionId })
    expect([sessionId, created.sessionId]).not.toContain(forked.sessionId)
    expect(forked.sessionId).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test("R-025 R-046 R-049 without the label the standard forks at the end, and Koda's own clients are refused", async () => {
  const { again, cwd, sessionId } = await kept()
  const koda = await again().client()
  for (const _meta of [undefined, {}, { [LABEL]: null }]) {
    expect(await koda.answerTo("session/fork", { sessionId, cwd, mcpServers: [], ...(_meta && { _meta }) })).toEqual({
      error: {
        code: -32002,
        message: expect.stringMatching(/^Session fork unavailable: /),
        data: { details: expect.stringContaining(LABEL), reason: "boundary_missing", sessionId },
      },
    })
  }
  const standard = await again().client(STANDARD)
  expect(await fork(standard, cwd, sessionId)).toHaveProperty("sessionId")
  expect(
    await standard.answerTo("session/fork", { sessionId, cwd, mcpServers: [], _meta: { [LABEL]: 7 } }),
  ).toMatchObject({
    error: { code: -32602 },
  })
})

test("R-048 a trailing slash or a link leads to the same folder", async () => {
  const { first, cwd, sessionId } = await kept()
  const link = `${await temporaryFolder()}/link`
  await symlink(cwd, link)
  for (const path of [`${cwd}/`, link]) expect(await fork(first, path, sessionId, "two")).toHaveProperty("sessionId")
  expect(
    await first.answerTo("session/fork", { sessionId, cwd: ".", mcpServers: [], _meta: { [LABEL]: "two" } }),
  ).toMatchObject({
    error: { code: -32602 },
  })
})

test("a session in a running turn is forked up to its last whole step: calls that run are not taken, what they follow is", async () => {
  const place = await keeping({ launch: { policy: "yolo" } })
  const { provider, cwd } = place
  const go = Promise.withResolvers<void>()
  provider.script(
    calls({ id: "c1", name: "read_file", input: { path: "a.txt" } }),
    calls({ id: "c2", name: "run_shell_command", input: { command: "sleep 600" } }),
  )
  const { client, sessionId } = await place.session(STANDARD)
  const turn = client.answerTo("session/prompt", { sessionId, prompt: [{ type: "text", text: "Work" }] })
  await client.until("· tool_call_update c2 in_progress")

  const { sessionId: branch } = await fork(client, cwd, sessionId)
  provider.script(says("Branch."))
  expect(await prompt(client, branch, "Go")).toMatchObject({ stopReason: "end_turn" })
  const { messages } = provider.asked.at(-1)!.body as Loose
  expect(messages.slice(1).map(({ role, tool_call_id }: Loose) => tool_call_id ?? role)).toEqual([
    "user",
    "assistant",
    "c1",
    "user",
  ])
  client.notify("session/cancel", { sessionId })
  expect(await turn).toMatchObject({ result: { stopReason: "cancelled" } })
  go.resolve()
})

test("a fork keeps title, plan, mode, model and what narrows the source; what the params say comes on top", async () => {
  const place = await keeping()
  const { provider, cwd } = place
  provider.script(says("hi"))
  const { client, sessionId } = await place.session(
    {},
    { excludeTools: ["run_shell_command"], systemPrompt: "A pirate." },
  )
  await prompt(client, sessionId, "Name of it", "one")
  await prompt(client, sessionId, "More", "two")
  const entries = [{ content: "Sail", status: "pending", priority: "high" }]
  await client.request("session/set_plan", { sessionId, entries })
  await client.request("session/set_mode", { sessionId, modeId: "debug" })

  const other = await place.again().client()
  const from = other.story.length
  const forked = await fork(other, cwd, sessionId, "two", { coreTools: ["read_file", "shell"] })
  await other.until("· session_info_update", from)
  expect(forked.configOptions.find(({ id }: Loose) => id === "mode").currentValue).toBe("debug")
  expect(other.updates("session_info_update").at(-1)).toMatchObject({ title: "Name of it" })
  expect(other.updates("plan").map((update) => update.entries)).toEqual([entries])
  await prompt(other, forked.sessionId, "Go")
  const { tools, messages } = provider.asked.at(-1)!.body as Loose
  expect(tools.map(({ function: { name } }: Loose) => name)).toEqual(["read_file"])
  expect(messages[0].content).toMatch(/^A pirate\./)

  const third = await place.again().client()
  await third.request("session/load", { sessionId: forked.sessionId, cwd, mcpServers: [] })
  expect(third.updates("plan").at(-1)?.entries).toEqual(entries)
})

test("a fork before the first message shows in the list once something was said in it", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  const { sessionId: branch } = await fork(first, cwd, sessionId, "one")
  const listed = async () => (await first.request("session/list", { cwd })).sessions.map((one: Loose) => one.sessionId)
  expect(await listed()).toEqual([sessionId])
  provider.script(says("ok"))
  await prompt(first, branch, "Begin anew")
  expect(await listed()).toEqual([branch, sessionId])
})

test("a source whose reply is being written is left alone by a fork: its turn goes on to its end", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  const go = Promise.withResolvers<void>()
  provider.script(pausing("thinking", go.promise, " done"))
  const turn = prompt(first, sessionId, "More", "three")
  await first.until("· agent_message_chunk thinking")
  await fork(first, cwd, sessionId, "two")
  go.resolve()
  expect(await turn).toMatchObject({ stopReason: "end_turn" })
  expect(first.story).toContain("· agent_message_chunk done")
})

test("subagents stay with the source", async () => {
  const place = await keeping()
  place.provider.script(
    calls({ id: "sub", name: "run_subagent", input: { description: "Look", prompt: "Look into a.txt" } }),
    says("The child has looked."),
    says("Parent is done."),
  )
  const { client, sessionId } = await place.session({ capabilities: { subagents: true } })
  await prompt(client, sessionId, "Send somebody", "one")
  await prompt(client, sessionId, "Thanks", "two")
  const { sessionId: branch } = await fork(client, place.cwd, sessionId, "two")
  const tasksOf = async (id: string) => (await client.request("session/subagent_list", { sessionId: id })).tasks
  expect(await tasksOf(sessionId)).toHaveLength(1)
  expect(await tasksOf(branch)).toEqual([])
  expect(await prompt(client, branch, "Go on")).toMatchObject({ stopReason: "end_turn" })
  expect(JSON.stringify(place.provider.asked.at(-1)!.body)).toContain("The child has looked.") // what it reported was said
})
