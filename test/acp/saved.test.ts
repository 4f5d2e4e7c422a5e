import { mkdir, readdir, rm, stat, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Client, type Loose, quiet, STANDARD, type WorkshopOptions, workshop } from "../support/client.ts"
import { chunk, says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const LABEL = "com.kodadev.desktopEntryId"
const UNKNOWN = "00000000-0000-4000-8000-000000000000"

/** A place where sessions are kept. */
async function keeping(options: WorkshopOptions = {}) {
  const store = `${await temporaryFolder()}/sessions`
  const env = { KODA_ACP_SESSION_STORE_DIR: store, ...options.env }
  return { store, ...(await workshop({ files: { "a.txt": "AAA" }, ...options, env })) }
}

const prompt = (client: Client, sessionId: string, words: string, label?: string) =>
  client.request("session/prompt", { sessionId, prompt: text(words), ...(label && { _meta: { [LABEL]: label } }) })

/** A session of two turns, one with a call, whose prompts are labelled "one" and "two". */
async function kept(options: WorkshopOptions = {}) {
  const place = await keeping(options)
  const thinking = chunk({ reasoning_content: "Hm." })
  const looking = calls({ name: "read_file", input: { path: "a.txt" } })
  place.provider.script({ steps: [thinking, ...looking.steps!] }, says("It is AAA."), says("Welcome."))
  const { client, sessionId } = await place.session()
  await prompt(client, sessionId, "What is in a.txt?", "one")
  await prompt(client, sessionId, "Thanks", "two")
  return { ...place, first: client, sessionId }
}

/** What the model is sent of the conversation: role and text. */
const conversation = (request: Loose) =>
  request.body.messages.slice(1).map(({ role, content }: Loose) => `${role}: ${content ?? ""}`)

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

describe("session/load", () => {
  test("R-051 R-053 R-056 R-057 in another process: the history, then the answer, then the start-up updates", async () => {
    const { again, cwd, sessionId } = await kept()
    const client = await again().client()
    const from = client.story.length

    const answer = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    await client.until("· context_usage_update")

    expect(answer).toBe(null)
    expect(client.story.slice(from)).toEqual([
      "→ session/load",
      "· user_message_chunk What is in a.txt?",
      "· agent_thought_chunk Hm.",
      "· tool_call pending: Read a.txt",
      "· tool_call_update call-1 completed",
      "· agent_message_chunk It is AAA.",
      "· user_message_chunk Thanks",
      "· agent_message_chunk Welcome.",
      "← session/load",
      "· config_option_update",
      "· available_commands_update",
      "· mcp_state_update",
      "· session_info_update",
      "· context_usage_update",
    ])
    expect(client.updates("session_info_update").at(-1)).toMatchObject({ title: "What is in a.txt?" })
    expect(client.updates("user_message_chunk").map(({ _meta }) => _meta?.[LABEL])).toEqual(["one", "two"])
  })

  test("R-057 the session goes on where it was", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    provider.script(says("On we go."))

    expect(await prompt(client, sessionId, "And now?")).toMatchObject({ stopReason: "end_turn" })

    expect(conversation(provider.asked.at(-1)).map((line: string) => line.split("\n")[0])).toEqual([
      "user: What is in a.txt?",
      "assistant: ",
      expect.stringMatching(/^tool: /),
      "assistant: It is AAA.",
      "user: Thanks",
      "assistant: Welcome.",
      "user: And now?",
    ])
  })

  test("the same system text and tools as before, so that what a server has cached holds", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    await prompt(client, sessionId, "And now?")
    const [before, after] = [provider.asked.at(-2)!.body as Loose, provider.asked.at(-1)!.body as Loose]
    expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools))
    expect(JSON.stringify(after.messages.slice(0, before.messages.length))).toBe(JSON.stringify(before.messages))
  })

  test("in the standard the answer is the modes and the options", async () => {
    const { again, cwd, sessionId } = await kept()
    const client = await again().client(STANDARD)
    const answer = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    expect(Object.keys(answer).sort()).toEqual(["configOptions", "modes"])
    expect(answer.modes.currentModeId).toBe("code")
  })

  test("without the history, if the client keeps it itself; and so for session/resume", async () => {
    const { again, cwd, sessionId } = await kept()
    const load = await again().client(STANDARD)
    await load.request("session/load", { sessionId, cwd, mcpServers: [], _meta: { "com.kodadev.replay": false } })
    const resume = await again().client(STANDARD)
    await resume.request("session/resume", { sessionId, cwd, mcpServers: [] })
    expect([load, resume].map((client) => client.updates("user_message_chunk").length)).toEqual([0, 0])
  })

  test("R-054 R-055 in another folder is refused", async () => {
    const { again, sessionId } = await kept()
    const client = await again().client()
    const elsewhere = await temporaryFolder()
    expect(await client.answerTo("session/load", { sessionId, cwd: elsewhere, mcpServers: [] })).toMatchObject({
      error: {
        code: -32001,
        message: expect.stringMatching(/^session restore unavailable/i),
        data: { reason: "cwd_mismatch", sessionId },
      },
    })
  })

  test("R-054 a trailing slash or a link leads to the same folder", async () => {
    const { again, cwd, sessionId } = await kept()
    const link = `${await temporaryFolder()}/link`
    await symlink(cwd, link)
    for (const path of [`${cwd}/`, link]) {
      const client = await again().client()
      expect(await client.request("session/load", { sessionId, cwd: path, mcpServers: [] })).toBe(null)
    }
  })

  test.for([UNKNOWN, "../../etc/passwd", ""])(
    "of %j, which is not there, is told as each dialect has it",
    async (sessionId) => {
      const { client, cwd } = await keeping()
      const params = { sessionId, cwd, mcpServers: [] }
      expect(await (await client()).answerTo("session/load", params)).toMatchObject({
        error: { code: -32001, data: { reason: "not_found" } },
      })
      expect(await (await client(STANDARD)).answerTo("session/load", params)).toMatchObject({
        error: { code: -32002, data: { reason: "not_found" } },
      })
    },
  )

  test("R-143 R-144 begins with the policy of the command line, and with the mode and the model it had", async () => {
    const { again, first, cwd, sessionId } = await kept()
    for (const [configId, value] of [
      ["access_policy", "yolo"],
      ["mode", "debug"],
      ["models", "koda-offline"],
    ]) {
      await first.request("session/set_config_option", { sessionId, configId, value })
    }
    const client = await again({ policy: "read_only" }).client(STANDARD)
    const { configOptions } = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    expect(configOptions.map(({ currentValue }: Loose) => currentValue)).toEqual(["koda-offline", "read_only", "debug"])
  })

  test("keeps what the client had narrowed, if it does not say it again", async () => {
    const place = await keeping()
    place.provider.script(says("hi"))
    const narrowed = {
      excludeTools: ["run_shell_command"],
      coreTools: ["read_file", "shell"],
      systemPrompt: "A pirate.",
    }
    const { client, sessionId } = await place.session({}, narrowed)
    await prompt(client, sessionId, "hi")
    const other = await place.again().client()
    await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
    await prompt(other, sessionId, "hi")
    const { tools, messages } = place.provider.asked.at(-1)!.body as Loose
    expect(tools.map(({ function: { name } }: Loose) => name)).toEqual(["read_file"])
    expect(messages[0].content).toMatch(/^A pirate\./)
  })

  test("twice at once is answered twice, and a close in between does no harm", async () => {
    const { again, cwd, sessionId } = await kept()
    const client = await again().client()
    const params = { sessionId, cwd, mcpServers: [] }
    const answers = await Promise.all([
      client.answerTo("session/load", params),
      client.answerTo("session/load", params),
      client.answerTo("session/close", { sessionId }),
    ])
    expect(answers.map((answer) => "result" in answer)).toEqual([true, true, true])
    const from = client.story.length
    await quiet()
    expect(client.story.slice(from).filter((line) => line.startsWith("· user"))).toEqual([])
  })

  test("a prompt behind a load, in one write, waits for it", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    provider.script(says("Here."))
    const client = await again().client()
    client.write(
      { id: "l", method: "session/load", params: { sessionId, cwd, mcpServers: [] } },
      { id: "p", method: "session/prompt", params: { sessionId, prompt: text("go") } },
    )
    expect(await client.until("← p")).toBe("← p end_turn")
    expect(client.story.indexOf("← l")).toBeLessThan(client.story.indexOf("← p end_turn"))
  })

  test("a session whose folder is gone says so", async () => {
    const { again, cwd, sessionId } = await kept()
    await rm(cwd, { recursive: true })
    const client = await again().client()
    const answer = await client.answerTo("session/load", { sessionId, cwd, mcpServers: [] })
    expect(answer).toMatchObject({ error: { data: { details: expect.stringContaining(cwd) } } })
    await mkdir(cwd)
  })
})

describe("session/fork", () => {
  const fork = (client: Client, cwd: string, sessionId: string, label?: string) =>
    client.answerTo("session/fork", { sessionId, cwd, mcpServers: [], ...(label && { _meta: { [LABEL]: label } }) })

  test("R-043 R-044 R-045 R-050 R-059 goes on before the message that is named, and leaves the source as it is", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    const created = first.received.find(({ result }) => result?.sessionId === sessionId)?.result

    const { result } = (await fork(first, cwd, sessionId, "two")) as Loose
    provider.script(says("Forked."))
    await prompt(first, result.sessionId, "Otherwise?")
    const forked = conversation(provider.asked.at(-1))
    await prompt(first, sessionId, "And here?")

    expect(result.sessionId).not.toBe(sessionId)
    expect(Object.keys(result).sort()).toEqual(Object.keys(created).sort())
    expect([forked[0], ...forked.slice(-2)]).toEqual([
      "user: What is in a.txt?",
      "assistant: It is AAA.",
      "user: Otherwise?",
    ])
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual([
      "user: Thanks",
      "assistant: Welcome.",
      "user: And here?",
    ])
  })

  test("R-045 R-059 at the first message is a session without one, also after a restart", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    const { result } = (await fork(client, cwd, sessionId, "one")) as Loose
    provider.script(says("Fresh."))
    await prompt(client, result.sessionId, "Begin")
    expect(conversation(provider.asked.at(-1))).toEqual(["user: Begin"])
  })

  test("its updates come after its answer, without the history", async () => {
    const { first, cwd, sessionId } = await kept()
    const from = first.story.length
    await fork(first, cwd, sessionId, "two")
    await first.until("· context_usage_update", from)
    expect(first.story.slice(from)).toEqual([
      "→ session/fork",
      "← session/fork",
      "· available_commands_update",
      "· mcp_state_update",
      "· session_info_update",
      "· context_usage_update",
    ])
  })

  test.for<[string, string, (p: { cwd: string; other: string }) => string, string | undefined]>([
    ["R-046 R-049 without the label", "boundary_missing", ({ cwd }) => cwd, undefined],
    ["R-047 with a label nobody has", "boundary_not_found", ({ cwd }) => cwd, "three"],
    ["R-048 for another folder", "cwd_mismatch", ({ other }) => other, "two"],
  ])("%s is refused as %s", async ([, reason, folder, label]) => {
    const { first, cwd, sessionId } = await kept()
    const other = await temporaryFolder()
    expect(await fork(first, folder({ cwd, other }), sessionId, label)).toMatchObject({
      error: {
        code: -32002,
        message: expect.stringMatching(/^session fork unavailable/i),
        data: { reason, sessionId },
      },
    })
  })

  test("of a session that is not there is refused", async () => {
    const { client, cwd } = await keeping()
    expect(await fork(await client(), cwd, UNKNOWN, "one")).toMatchObject({
      error: { code: -32002, data: { reason: "not_found" } },
    })
  })

  test("in the standard without a label goes on at the end", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client(STANDARD)
    const { result } = (await fork(client, cwd, sessionId)) as Loose
    provider.script(says("On."))
    await prompt(client, result.sessionId, "On?")
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual(["user: Thanks", "assistant: Welcome.", "user: On?"])
  })

  test("R-144 has the policy of the command line; mode and model are the source's", async () => {
    const { first, cwd, sessionId } = await kept()
    await first.request("session/set_config_option", { sessionId, configId: "access_policy", value: "yolo" })
    await first.request("session/set_mode", { sessionId, modeId: "ask" })
    const { result } = (await fork(first, cwd, sessionId, "two")) as Loose
    expect(result.configOptions.map(({ currentValue }: Loose) => currentValue)).toEqual(["m", "default", "ask"])
  })

  test("of a session at work goes on from its last whole step", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    provider.script(pausing("thinking", new Promise(() => {})))
    const turn = prompt(first, sessionId, "More", "three")
    await first.until("· agent_message_chunk thinking")
    const { result } = (await fork(first, cwd, sessionId, "three")) as Loose
    first.notify("session/cancel", { sessionId })
    await turn
    provider.script(says("On."))
    await prompt(first, result.sessionId, "On?")
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual(["user: Thanks", "assistant: Welcome.", "user: On?"])
  })
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

test("a page of a list that is none is refused", async () => {
  const { first } = await kept()
  expect(await first.answerTo("session/list", { cursor: "nonsense" })).toMatchObject({
    error: { code: -32602, data: { reason: "bad_cursor" } },
  })
})
