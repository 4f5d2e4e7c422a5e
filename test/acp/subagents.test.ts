import { describe, expect, test } from "vitest"
import { type Client, type ClientOptions, type Loose, STANDARD, workshop } from "../support/client.ts"
import { refuses, says } from "../support/provider.ts"
import { calls, costs, pausing, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const KODA: ClientOptions = { capabilities: { subagents: true } }
const BLOCK = {
  maxConcurrentRange: { min: 1, max: 10 },
  maxSteps: 80,
  releaseWait: true,
  liveEnable: true,
  roles: true,
}
const research = (description: string, more: object = {}) =>
  calls({ name: "run_subagent", input: { description, prompt: description, ...more } })
const KINDS = ["subagent_update", "subagent_turn", "subagent_settings_update", "subagent_definitions_update"]
const tasksOf = (client: Client): Loose[] => client.updates("subagent_update").map(({ task }) => task)

/** A session in which one task has ended, as a client that knows of such things saw it. */
async function oneTask(options: ClientOptions = KODA, more: Parameters<typeof workshop>[0] = {}) {
  const shop = await workshop(more)
  shop.provider.script(research("look"), costs("seen", { prompt_tokens: 30, completion_tokens: 4 }), says("so it is"))
  const { client, sessionId } = await shop.session(options)
  const answer = await client.request("session/prompt", { sessionId, prompt: text("go") })
  const { tasks } = await client.request("session/subagent_list", { sessionId })
  return { ...shop, client, sessionId, answer, task: tasks[0], taskId: tasks[0].taskId as string }
}

describe("what is announced", () => {
  test("R-149 R-150 R-151 R-152 R-153 R-154 R-155 in initialize, also while they are switched off", async () => {
    const { client, connect } = await workshop({ settings: { subagents: { enabled: false } } })
    await client()
    const koda = await connect().request("initialize", { protocolVersion: 1, clientCapabilities: { subagents: true } })
    expect(koda.agentCapabilities.sessionCapabilities.subagents).toEqual(BLOCK)
    const standard = await connect().request("initialize", { protocolVersion: 1, clientInfo: STANDARD.info })
    expect(standard.agentCapabilities.sessionCapabilities.subagents).toBeUndefined()
    expect(standard.agentCapabilities.sessionCapabilities._meta["com.kodadev"].subagents).toEqual(BLOCK)
    expect(standard.agentCapabilities._meta["com.kodadev"].methods).toContain("session/subagent_release_wait")
  })

  test("R-145 R-156 a new session says what tasks and settings there are, in _meta to clients of the standard", async () => {
    const { client, cwd } = await workshop()
    const block = {
      tasks: [],
      settings: {
        enabled: true,
        maxConcurrent: 4,
        allowParentToContinue: false,
        model: null,
        reasoningEffort: null,
        tools: null,
        disabledAgentNames: [],
      },
      availableTools: expect.arrayContaining(["read_file", "list_directory", "glob", "search_file_content"]),
    }
    const koda = await client()
    expect((await koda.request("session/new", { cwd, mcpServers: [] })).subagents).toEqual(block)
    const standard = await client(STANDARD)
    const answer = await standard.request("session/new", { cwd, mcpServers: [] })
    expect(answer.subagents).toBeUndefined()
    expect(answer._meta["com.kodadev"].subagents).toEqual(block)
  })
})

describe("what a client hears", () => {
  test("R-145 R-146 R-147 R-159 R-162 R-163 R-164 one that knows of subagents hears of the task from call to delivery", async () => {
    const { client, answer } = await oneTask()
    const all = client.updates("subagent_update")
    expect(all[2]).toMatchObject({ task: { status: "running" }, activity: { kind: "model" } })
    const updates = all.filter(({ activity }) => !activity) // its steps are told at a pace of their own
    expect(updates.map(({ task, deliveryId }) => [task.status, typeof deliveryId])).toEqual([
      ["queued", "undefined"],
      ["running", "undefined"],
      ["completed", "undefined"],
      ["completed", "string"],
    ])
    expect(updates.at(-1)!.task).toMatchObject({ acpToolCallId: "call-1", result: "seen", kind: "run_subagent" })
    const promptId = answer._meta["com.kodadev.promptId"]
    expect(client.updates("subagent_turn")).toEqual([
      { sessionUpdate: "subagent_turn", state: "waiting", promptId, taskIds: [updates[0].task.taskId] },
      { sessionUpdate: "subagent_turn", state: "resumed", promptId },
    ])
  })

  test("R-148 R-158 SA-02 to one that does not, the call shows the child's steps, and the model gets the report", async () => {
    const { session, provider } = await workshop({ files: { "a.txt": "one" } })
    provider.script(
      research("look"),
      calls({ id: "read", name: "read_file", input: { path: "a.txt" } }),
      says("It says one."),
      says("so it is"),
    )
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("go") })

    expect(client.updates().filter(({ sessionUpdate }) => KINDS.includes(sessionUpdate))).toEqual([])
    const steps = client
      .updates("tool_call_update")
      .filter(({ toolCallId, status }) => toolCallId === "call-1" && !status)
    const shown = steps.map(({ content }) => content[0].content.text)
    const last = steps.at(-1)!["content"]
    expect(steps.filter(({ content }) => content.length === 2).length).toBe(1)
    expect(shown[0]).toBe("- … Read a.txt")
    expect(last.map(({ content }: { content: { text: string } }) => content.text)).toEqual([
      "- ✓ Read a.txt",
      "It says one.",
    ])
    expect(client.story).toContain("· agent_thought_chunk A subagent has reported: look")
    expect(provider.asked.at(-1)!.text).toContain("It says one.")
    expect(client.updates("tool_call").map(({ toolCallId }) => toolCallId)).toEqual(["call-1"]) // none of the child's
  })

  test("R-148 why a subagent did not come to its end is shown in its call", async () => {
    const { session, provider } = await workshop()
    provider.script(research("look"), refuses(400, "no"), says("so it is"))
    const { client, sessionId } = await session(STANDARD)
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    const shown = client.updates("tool_call_update").filter(({ status }) => !status)
    expect(shown.map(({ content }) => content.map((part: Loose) => part.content.text))).toEqual([
      [expect.stringMatching(/^It did not come to its end: .*did not accept the request for model "m" \(400\): no$/)],
    ])
  })

  test("R-057 SL-01 what a subagent found is shown again in its call when the session is loaded", async () => {
    const launch = { sessionStore: await temporaryFolder() }
    const { sessionId, again, cwd } = await oneTask(STANDARD, { launch })
    const client = await again(launch).client(STANDARD)
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    const [last] = client.updates("tool_call_update").slice(-1)
    expect(last).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: "call-1",
      content: [{ type: "content", content: { type: "text", text: "seen" } }],
    })
  })

  test("to one with the unstable standard's capability a subagent is a session, announced before what it does", async () => {
    const { session, provider, cwd } = await workshop({ files: { "a.txt": "one" } })
    provider.script(
      research("look"),
      calls({ id: "read", name: "read_file", input: { path: "a.txt" } }),
      says("It says one."),
      says("so it is"),
    )
    const { client, sessionId } = await session({ ...STANDARD, capabilities: { subagents: {} } })
    await client.request("session/prompt", { sessionId, prompt: text("go") })

    const child = client.updates("subagent_update")[0].task.taskId
    const states = client.updates("subagent_update").map(({ sessionId, title, state, capabilities, task }) => {
      return [sessionId === child, title, state?.state, state?.stopReason, capabilities?.cancel, task.status]
    })
    expect(states).toEqual([
      [true, "look", undefined, undefined, {}, "queued"],
      [true, "look", "running", undefined, {}, "running"],
      [true, "look", "idle", "end_turn", undefined, "completed"],
      [true, "look", "idle", "end_turn", undefined, "completed"],
    ])
    const about = client.received.flatMap(({ method, params }) => (method === "session/update" ? [params] : []))
    const childs = about.filter((params) => params.sessionId === child).map(({ update }) => update.sessionUpdate)
    expect(childs).toEqual(["tool_call", "tool_call_update", "tool_call_update", "agent_message_chunk"])
    const announced = about.findIndex(({ update }) => update.sessionUpdate === "subagent_update")
    expect(about.findIndex((params) => params.sessionId === child)).toBeGreaterThan(announced)
    expect(client.updates("subagent_turn")).toEqual([])
    expect(cwd).toBeTruthy()
  })

  test("such a client cancels it as a session", async () => {
    const { session, provider } = await workshop()
    provider.script(research("look"), pausing("hm", new Promise(() => {})), says("a pity"))
    const { client, sessionId } = await session({ ...STANDARD, capabilities: { subagents: {} } })
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("· agent_message_chunk hm")
    client.notify("session/cancel", { sessionId: client.updates("subagent_update")[0].sessionId })
    expect((await turn).stopReason).toBe("end_turn")
    expect(client.updates("subagent_update").at(-1).state).toEqual({ state: "idle", stopReason: "cancelled" })
  })

  test("R-168 R-190 R-195 a report after the turn comes in a turn of its own, between marks with a name of their own", async () => {
    const found = Promise.withResolvers<void>()
    const { session, provider } = await workshop()
    provider.script(research("look"), pausing("I look", found.promise, " and see"), says("going on"), says("so it is"))
    const { client, sessionId } = await session(KODA)
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    await client.until("· subagent_turn")
    expect(await client.request("session/subagent_release_wait", { sessionId })).toEqual({ released: true })
    expect(await client.request("session/subagent_release_wait", { sessionId })).toEqual({ released: false })
    const { _meta } = await turn
    const from = client.story.length
    found.resolve()
    await client.until("· agent_message_chunk so it is", from)
    await client.until("· subagent_turn", client.story.length - 1)
    const marks = client.updates("subagent_turn").slice(-2)
    expect(marks.map(({ state, stopReason }) => [state, stopReason])).toEqual([
      ["started", undefined],
      ["finished", "end_turn"],
    ])
    expect(marks[0].promptId).toBe(marks[1].promptId)
    expect(marks[0].promptId).not.toBe(_meta["com.kodadev.promptId"])
  })

  test("R-339 the session counts as working until its last agent has ended", async () => {
    const found = Promise.withResolvers<void>()
    const { session, provider } = await workshop()
    const input = { agent: "research", goal: "look", background: true }
    provider.script(
      calls({ name: "sub_agent", input }),
      pausing("I look", found.promise),
      says("going on"),
      says("so it is"),
    )
    const { client, sessionId } = await session(STANDARD)
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    const working = () =>
      client.updates("session_info_update").flatMap(({ _meta }) => _meta?.["com.kodadev"]?.working ?? [])
    expect(working()).toEqual([true])
    const from = client.story.length
    found.resolve()
    await client.until("· session_info_update", from)
    expect(working()).toEqual([true, false])
  })
})

describe("session/subagent_…", () => {
  test("R-337 R-338 the list is the session's own: a client counts what is at work in each, with goal, steps and a way to stop it", async () => {
    const { client, sessionId, cwd, task } = await oneTask()
    expect(task).toMatchObject({ description: "look", steps: 1, progress: "" })
    const other = await client.request("session/new", { cwd, mcpServers: [] })
    const tasks = async (sessionId: string) => (await client.request("session/subagent_list", { sessionId })).tasks
    expect(await tasks(sessionId)).toHaveLength(1)
    expect(await tasks(other.sessionId)).toEqual([])
    const wrong = { sessionId: other.sessionId, taskId: task.taskId }
    expect(((await client.answerTo("session/subagent_cancel", wrong)) as Loose).error.data.reason).toBe(
      "task_not_found",
    )
  })

  test("R-147 R-157 R-266 R-267 R-274 list, details and extend", async () => {
    const { client, sessionId, task, taskId } = await oneTask()
    expect(task).toMatchObject({ taskId, status: "completed", contextUsage: { usedTokens: 34, maxTokens: null } })
    const listed = await client.request("_kodadev/session/subagent_list", { sessionId })
    expect(Object.keys(listed).sort()).toEqual(["availableTools", "settings", "tasks"])
    expect(await client.request("session/subagent_details", { sessionId, taskId })).toEqual({
      task,
      activity: [expect.objectContaining({ kind: "model", status: "completed", text: "seen" })],
      history: [
        { kind: "user", text: "look", at: expect.any(String) },
        { kind: "model", text: "seen", at: expect.any(String) },
      ],
      contextUsage: { usedTokens: 34, maxTokens: null },
    })
    expect(await client.request("session/subagent_extend", { sessionId, taskId })).toEqual({ extended: false, task })
    expect(await client.request("session/subagent_cancel", { sessionId, taskId })).toEqual({ task })
  })

  test("R-186 R-187 cancel ends one that is at work, and says so", async () => {
    const { session, provider } = await workshop()
    provider.script(research("look"), pausing("hm", new Promise(() => {})), says("a pity"))
    const { client, sessionId } = await session(KODA)
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    while (!tasksOf(client).some(({ progress }) => progress === "hm")) {
      await client.until("· subagent_update", client.story.length)
    }
    const { taskId } = tasksOf(client)[0]
    const { task } = await client.request("session/subagent_cancel", { sessionId, taskId })
    expect(task).toMatchObject({ taskId, status: "cancelled", error: "cancelled by the user" })
    await turn
    expect(provider.asked.at(-1)!.text).toContain("It was stopped: cancelled by the user.")
  })

  test("R-276 R-278 R-284 prompt, as text or as blocks, and what is wrong with others", async () => {
    const { client, sessionId, taskId, provider } = await oneTask()
    provider.script(says("b too"))
    const from = client.updates("subagent_update").length
    const { task } = await client.request("session/subagent_prompt", { sessionId, taskId, prompt: "and b?" })
    expect(task).toMatchObject({ taskId, status: "running" })
    await client.until("· subagent_update", client.story.length)
    while (tasksOf(client).at(-1).status !== "completed") await client.until("· subagent_update", client.story.length)
    const after = client.updates("subagent_update").slice(from)
    expect(after.at(-1)).toMatchObject({ task: { status: "completed", result: "b too" } })
    expect(after.some(({ deliveryId }) => deliveryId)).toBe(false)

    const blocks = { sessionId, taskId, prompt: text("and c?"), policy: "yolo" }
    expect((await client.request("session/subagent_prompt", blocks)).task.status).toBe("running")
    const errors = await Promise.all(
      [
        { prompt: "" },
        { prompt: [] },
        { prompt: "x", policy: "ask" },
        { prompt: "x", taskId: "nobody" },
        { prompt: "x" },
      ].map(async (more) => {
        const { error } = (await client.answerTo("session/subagent_prompt", { sessionId, taskId, ...more })) as Loose
        return [error.code, error.data.reason]
      }),
    )
    expect(errors).toEqual([
      [-32602, "invalid_params"],
      [-32602, "invalid_params"],
      [-32602, "invalid_params"],
      [-32602, "task_not_found"],
      [-32602, "subagent_running"],
    ])
  })

  test("restart begins a completed task anew under its id, and its report comes by itself", async () => {
    const { client, sessionId, taskId, provider } = await oneTask()
    provider.script(says("seen again"), says("thanks"))
    const { task } = await client.request("session/subagent_restart", { sessionId, taskId })
    expect(task).toMatchObject({ taskId, result: null })
    await client.until("· agent_message_chunk thanks")
    expect(tasksOf(client).at(-1)).toMatchObject({ status: "completed", result: "seen again" })
  })

  test("R-226 restart takes a cancelled task up where it was, and its parent hears of its end alone", async () => {
    const { session, provider } = await workshop()
    provider.script(research("look"), pausing("I see", new Promise(() => {})))
    const { client, sessionId } = await session(STANDARD)
    const turn = client.request("session/prompt", { sessionId, prompt: text("go") })
    while (provider.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    client.notify("session/cancel", { sessionId })
    await turn
    const tasks = async () => (await client.request("session/subagent_list", { sessionId })).tasks
    while ((await tasks())[0].progress !== "I see") await new Promise((resolve) => setTimeout(resolve, 1))
    const [{ taskId }] = await tasks()
    await client.request("session/subagent_cancel", { sessionId, taskId })
    provider.script(says("a mouse"), says("a mouse it is"))
    await client.request("session/subagent_restart", { sessionId, taskId })
    const details = () => client.request("session/subagent_details", { sessionId, taskId })
    while ((await details()).task.status !== "completed") await new Promise((resolve) => setTimeout(resolve, 1))
    await client.request("session/prompt", { sessionId, prompt: text("well?") })

    expect((await details()).history.map(({ text }: Loose) => text.slice(0, 20))).toEqual([
      "look",
      "I see",
      "You were interrupted",
      "a mouse",
    ])
    const { messages } = provider.asked.at(-1)!.body as Loose
    const reports = messages.filter(({ content }: Loose) => /^# Subagent/.test(content ?? ""))
    expect(reports.map(({ content }: Loose) => content)).toEqual([expect.stringMatching(/completed\.\n\na mouse$/)])
  })

  test("R-285 R-286 compress tells what it brought; one that is at work must be stopped first", async () => {
    const { client, sessionId, taskId, provider } = await oneTask()
    provider.script(says("I looked and saw."))
    const answer = await client.request("session/subagent_compress", { sessionId, taskId })
    expect(answer).toEqual({
      originalTokenCount: expect.any(Number),
      newTokenCount: expect.any(Number),
      task: expect.objectContaining({ taskId, status: "completed" }),
    })
    const { history } = await client.request("session/subagent_details", { sessionId, taskId })
    expect(history).toEqual([expect.objectContaining({ kind: "summary", text: "I looked and saw." })])
    expect(client.updates("subagent_update").flatMap(({ activity }) => activity?.kind ?? [])).toContain("compression")

    provider.script(pausing("hm", new Promise(() => {})))
    await client.request("session/subagent_prompt", { sessionId, taskId, prompt: "go on" })
    const { error } = (await client.answerTo("session/subagent_compress", { sessionId, taskId })) as Loose
    expect([error.code, error.data.reason]).toEqual([-32602, "subagent_running"])
  })

  test("a compression that its session's end cuts off is cancelled, and the history is as it was", async () => {
    const { client, sessionId, taskId, provider } = await oneTask()
    provider.script(pausing("hm", new Promise(() => {})))
    const compressing = client.answerTo("session/subagent_compress", { sessionId, taskId }) as Promise<Loose>
    while (provider.asked.length < 4) await new Promise((resolve) => setTimeout(resolve, 1))
    await client.request("session/close", { sessionId })
    expect((await compressing).error).toMatchObject({ code: -32800, message: expect.stringContaining("closed") })
  })

  test("R-194 R-196 release_wait needs nothing but the session, and releases nothing where nothing waits", async () => {
    const { client, sessionId } = await oneTask()
    expect(await client.request("session/subagent_release_wait", { sessionId })).toEqual({ released: false })
  })
})

describe("roles that a client starts", () => {
  const ROLE = (name: string) => `---\nname: ${name}\ndescription: d\n---\nYou are ${name}.\n`
  const roles = ["a", "b", "c", "d", "e"]
  const files = Object.fromEntries(roles.map((name) => [`.koda/agents/${name}.md`, ROLE(name)]))

  test("R-231 R-247 R-248 R-249 R-250 R-251 each once, only names that a role can have, four at most, before the model answers", async () => {
    const { session, provider } = await workshop({ files })
    provider.script(says("seen"))
    const { client, sessionId } = await session(KODA)
    await client.request("session/prompt", {
      sessionId,
      prompt: text("look here"),
      _meta: { "com.kodadev.subagentRoles": ["a", "a", "../b", "B", 7, "b", "c", "d", "e"] },
    })
    expect(client.updates("tool_call").map(({ title, rawInput }) => [title, rawInput])).toEqual(
      ["a", "b", "c", "d"].map((agent) => [
        `${agent}: look here`,
        { description: "look here", prompt: "look here", agent },
      ]),
    )
    const tasks = new Map(tasksOf(client).map((task) => [task.agentName, task.status]))
    expect([...tasks.keys()].sort()).toEqual(["a", "b", "c", "d"])
    const { body } = provider.asked.at(-1)! as Loose
    expect(body.messages.filter(({ role }: Loose) => role === "tool")).toHaveLength(4 + 4)
    expect(provider.asked).toHaveLength(4 + 1)
  })

  test("a long prompt is the work of each, and a line of it is what the work is called", async () => {
    const { session, provider } = await workshop({ files })
    provider.script(says("seen"))
    const { client, sessionId } = await session(KODA)
    const prompt = "look ".repeat(1000)
    await client.request("session/prompt", {
      sessionId,
      prompt: text(prompt),
      _meta: { "com.kodadev.subagentRoles": ["a"] },
    })
    const [call] = client.updates("tool_call")
    expect([call.title.length < 160, call.rawInput.prompt]).toEqual([true, prompt])
    expect(tasksOf(client)[0].description).toMatch(/^(look )+lo.*… \[[\d,]+ more characters\]$/)
  })

  test("while subagents are switched off the calls fail, and say so to the client and to the model", async () => {
    const { session, provider } = await workshop({ files, settings: { subagents: { enabled: false } } })
    provider.script(says("I see"))
    const { client, sessionId } = await session(KODA)
    const _meta = { "com.kodadev.subagentRoles": ["a"] }
    await client.request("session/prompt", { sessionId, prompt: text("look here"), _meta })
    const why = /^Subagents are switched off in the user's settings \(`subagents\.enabled`\)\. The tools are: /
    const [ended] = client.updates("tool_call_update")
    expect([ended.status, ended.content[0].content.text]).toEqual(["failed", expect.stringMatching(why)])
    const { body } = provider.asked.at(-1)! as Loose
    expect(body.messages.find(({ role }: Loose) => role === "tool").content).toMatch(why)
    expect(tasksOf(client)).toEqual([])
  })

  test("anything but a list starts none", async () => {
    const { session, provider } = await workshop({ files })
    provider.script(says("hello"))
    const { client, sessionId } = await session(KODA)
    const _meta = { "com.kodadev.subagentRoles": "a" }
    await client.request("session/prompt", { sessionId, prompt: text("hi"), _meta })
    expect(client.updates("tool_call")).toEqual([])
  })
})

describe("a child's question", () => {
  test("R-312 SA-01 comes on the parent's session and says who asks; its call is shown from question to end", async () => {
    const { session, provider } = await workshop()
    provider.script(
      calls({ name: "sub_agent", input: { agent: "research", goal: "write it" } }),
      calls({ id: "w", name: "write_file", input: { path: "a.txt", content: "x" } }),
      says("written"),
      says("done"),
    )
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    const [asked] = client.asked("session/request_permission")
    expect(asked.sessionId).toBe(sessionId)
    expect(asked.toolCall.title).toBe("research: Create a.txt")
    expect(asked.toolCall.toolCallId).toMatch(/^[0-9a-f-]{36}\/w$/)
    const { toolCallId } = asked.toolCall
    expect(client.updates("tool_call").map((update) => [update.toolCallId, update.title])).toEqual([
      ["call-1", "research: write it"],
      [toolCallId, "research: Create a.txt"],
    ])
    const last = client.updates("tool_call_update").findLast((update) => update.toolCallId === toolCallId)
    expect(last.status).toBe("completed")
  })
})

test("R-157 R-272 R-344 a session that is loaded tells of its tasks, and the model of those that were cut off", async () => {
  const sessionStore = await temporaryFolder()
  const { provider, cwd, server, session, connect } = await workshop({ launch: { sessionStore } })
  const input = { agent: "research", goal: "look", background: true }
  provider.script(calls({ name: "sub_agent", input }), pausing("hm", new Promise(() => {})), says("going on"))
  const { client, sessionId } = await session(KODA)
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.hangUp()
  await server.close()
  expect(connect).toBeDefined()

  const next = await workshop({ launch: { sessionStore } })
  const other = await next.client(KODA)
  await other.request("session/load", { sessionId, cwd, mcpServers: [] })
  await other.until("· subagent_update")
  expect(tasksOf(other)).toEqual([expect.objectContaining({ status: "interrupted", description: "look" })])
  next.provider.script(says("I will look again"))
  await other.request("session/prompt", { sessionId, prompt: text("well?") })
  expect(next.provider.asked.at(-1)!.text).toContain("It was cut off: its session ended")
})
