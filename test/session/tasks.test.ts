import { describe, expect, test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import { never, type Reply, soon } from "../support/scripted.ts"
import { delegate, family, type Played, research, sessionWith } from "../support/sessions.ts"

/** Children that end when they are told to, in the order in which they began. */
function gated(count: number) {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const children: Record<string, Reply> = Object.fromEntries(
    gates.map(({ promise }, at) => [`t${at}`, { text: `t${at} done`, before: () => promise }]),
  )
  const starts = gates.map((_, at) => research(`t${at}`))
  return { children, starts, end: (at: number) => gates[at]!.resolve() }
}

const task = ({ tasks }: Played, about: string) => tasks.list().find(({ snapshot }) => snapshot.description === about)!

describe("places", () => {
  test("R-183 R-304 so many work side by side as the setting says, the others wait in order", async () => {
    const { children, starts, end } = gated(4)
    const played = await sessionWith(family([{ calls: starts }, { text: "ok" }], children), {
      settings: { maxConcurrent: 2 },
    })
    const { say, until, standing } = played
    const turn = say("go")
    await until(() => Object.keys(standing()).length === 4)
    expect(standing()).toEqual({ t0: "running", t1: "running", t2: "queued", t3: "queued" })
    end(1)
    await until(() => standing()["t2"] === "running")
    expect(standing()["t3"]).toBe("queued")
    played.settings({ maxConcurrent: 3 }) // more places are taken at once
    await until(() => standing()["t3"] === "running")
    for (const at of [0, 2, 3]) end(at)
    await turn
  })

  test("a foreground sub_agent takes none of them, and starts at once", async () => {
    const { children, starts, end } = gated(1)
    const parent = [{ calls: [...starts, delegate("research", "quick")] }, { text: "ok" }]
    const { say, until, standing } = await sessionWith(family(parent, { ...children, quick: { text: "done" } }), {
      settings: { maxConcurrent: 1 },
    })
    const turn = say("go")
    await until(() => standing()["quick"] === "completed")
    expect(standing()["t0"]).toBe("running")
    end(0)
    await turn
  })

  test("SA-04 a session has 100 tasks alive at most; the call that would be one more says so", async () => {
    const starts = Array.from({ length: 101 }, (_, at) => research(`t${at}`))
    const { say, until, entries, tasks, session } = await sessionWith(
      family([{ calls: starts }, { text: "ok" }], { t0: { before: () => new Promise(() => {}) } }),
      { settings: { maxConcurrent: 1 } },
    )
    const turn = say("go")
    await until(() => entries().length === 2 + 101)
    expect(tasks.alive).toHaveLength(100)
    expect(entries().filter((line) => line.startsWith("failed"))).toEqual([
      "failed: 100 subagents are at work or waiting; let some of them end first",
    ])
    session.cancel()
    await turn
  })

  test("a task that waits for its place is cancelled before it begins", async () => {
    const { children, starts, end } = gated(2)
    const played = await sessionWith(family([{ calls: starts }, { text: "ok" }], children), {
      settings: { maxConcurrent: 1 },
    })
    const turn = played.say("go")
    await played.until(() => played.standing()["t1"] === "queued")
    await played.tasks.cancel(task(played, "t1").id)
    expect(played.standing()["t1"]).toBe("cancelled")
    end(0)
    await turn
    expect(played.modelReads().filter((line) => line.includes("cancelled"))).toHaveLength(1)
  })
})

describe("what a snapshot says", () => {
  test("R-160 R-162 R-164 R-273 R-274 from call to report, each later than the one before", async () => {
    const model = family([{ calls: [research("look", "scout")] }, { text: "ok" }], {
      look: [
        { calls: [["list_directory", { path: "." }]], tokens: 40 },
        { text: "seen", tokens: 70 },
      ],
    })
    const { say, told, session } = await sessionWith(model, {
      roles: [{ name: "scout", reasoningEffort: "high" }],
      models: { scripted: { reasoning: { supportedEfforts: ["low", "high"], defaultEffort: "low" } } },
    })
    await say("go")
    const last = told().at(-1)!
    const call = session.entries.flatMap((entry) => (entry.role === "assistant" ? entry.calls : []))[0]!
    expect(last).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: "run_subagent",
      description: "look",
      status: "completed",
      agentName: "scout",
      background: true,
      model: "scripted",
      reasoningEffort: "high",
      steps: 2,
      maxSteps: 80,
      progress: "",
      contextUsage: { usedTokens: 70, maxTokens: 100_000 },
      acpToolCallId: call.id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      startedAt: expect.any(String),
      updatedAt: expect.any(String),
      finishedAt: expect.any(String),
      result: "seen",
      error: null,
    })
    const times = told().map(({ updatedAt }) => updatedAt)
    expect(times).toEqual([...new Set(times)].sort())
  })

  test("R-186 its activity is told ten times a second at most, whatever the subagent does", async () => {
    const words = { text: "word ".repeat(5000) }
    const { say, events } = await sessionWith(family([{ calls: [research("talk")] }, { text: "ok" }], { talk: words }))
    const begin = Date.now()
    await say("go")
    const activities = events.filter((event) => event.type === "task" && event.activity).length
    expect(activities).toBeGreaterThan(0)
    expect(activities).toBeLessThanOrEqual(2 + (Date.now() - begin) / 100)
  })
})

describe("what a client asks of a task", () => {
  const looking: Reply[] = [{ calls: [["list_directory", { path: "." }]] }, { text: "seen" }]

  /** A session with one task that has ended. */
  async function done(children: Reply | Reply[], more: Parameters<typeof sessionWith>[1] = {}) {
    const model = family([{ calls: [research("look")] }, { text: "ok" }], {
      look: children,
      "and b?": { text: "b too" },
    })
    const played = await sessionWith(model, more)
    await played.say("go")
    return { ...played, model, one: task(played, "look") }
  }

  test("R-267 R-268 R-272 R-275 details: steps, conversation, and how full its window is", async () => {
    const { one } = await done(looking)
    expect(one.history.map(({ kind, text, toolName, status }) => ({ kind, text, toolName, status }))).toEqual([
      { kind: "user", text: "look", toolName: undefined, status: undefined },
      { kind: "tool", text: expect.any(String), toolName: "list_directory", status: "completed" },
      { kind: "model", text: "seen", toolName: undefined, status: undefined },
    ])
    expect(one.history.every(({ at }) => at !== undefined)).toBe(true)
    expect(one.activity.entries.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      "tool completed",
      "model completed",
    ])
  })

  test("R-276 R-277 R-278 R-284 a person goes on with it; its history stays, and its parent does not hear of it", async () => {
    const { one, tasks, until, say, modelReads, told } = await done(looking)
    const before = modelReads()
    const { snapshot } = tasks.continue(one.id, userText("and b?"), "read_only")
    expect(snapshot).toMatchObject({ status: "running", description: "look", result: null })
    await until(() => one.snapshot.status === "completed")
    expect(one.snapshot.result).toBe("b too")
    expect(one.history.map(({ kind, policy }) => [kind, policy])).toEqual([
      ["user", undefined],
      ["tool", undefined],
      ["model", undefined],
      ["user", "read_only"],
      ["model", undefined],
    ])
    await soon()
    expect(modelReads()).toEqual(before)
    expect(told().at(-1)).toMatchObject({ status: "completed", result: "b too" })
    await say("hm")
    expect(modelReads().some((line) => line.includes("b too"))).toBe(false)
  })

  test("R-279 also while the setting keeps the model from starting any", async () => {
    const { one, tasks, until, settings } = await done(looking)
    settings({ enabled: false })
    tasks.continue(one.id, userText("and b?"), "read_only")
    await until(() => one.snapshot.result === "b too")
  })

  test("R-280 R-281 R-282 R-283 what it may do then is what the person says: nobody is asked", async () => {
    const children = [
      { text: "seen" },
      { calls: [["write_file", { path: "new.txt", content: "x" }]] as [string, unknown][] },
      { text: "tried" },
    ]
    const model = family([{ calls: [research("look")] }, { text: "ok" }], { look: children, "write it": children[1]! })
    const played = await sessionWith(model, { excludeTools: ["todo_write"] })
    await played.say("go")
    const one = task(played, "look")
    const offered: Record<string, string[]> = {}
    for (const policy of ["read_only", "auto_edit", "yolo"] as const) {
      played.tasks.continue(one.id, userText(`go, ${policy}`), policy)
      await played.until(() => !one.isAlive)
      offered[policy] = model.requests.at(-1)!.tools.map(({ name }) => name)
    }
    const reading = offered["read_only"]!
    const editing = ["replace", "edit_files", "write_file", "edit_notebook"]
    expect(reading).toEqual(model.requests[1]!.tools.map(({ name }) => name)) // as in research
    played.session.change({ mode: "ask", policy: "read_only" }) // which is for the parent
    played.tasks.continue(one.id, userText("write it"), "auto_edit")
    await played.until(() => !one.isAlive)
    expect(await played.runtime.files.readText(`${played.cwd}/new.txt`)).toBe("x")
    expect(offered["auto_edit"]!.sort()).toEqual([...reading, ...editing].sort())
    expect(offered["yolo"]!.sort()).toEqual([...reading, ...editing, "run_shell_command", "command_status"].sort())
    expect(played.questions).toEqual([])
  })

  test("a person's turn holds up no reply, and takes no place", async () => {
    const talking = Promise.withResolvers<void>()
    const children = { look: [{ text: "seen" }, { text: "so", before: () => talking.promise }], other: { text: "too" } }
    const parent = [{ calls: [research("look")] }, { text: "ok" }, { calls: [research("other")] }, { text: "all" }]
    const played = await sessionWith(family(parent, children), { settings: { maxConcurrent: 1 } })
    await played.say("go")
    const one = task(played, "look")
    played.tasks.continue(one.id, userText("look"), "read_only")
    await played.say("go on")
    expect(played.entries().at(-1)).toBe("model: all")
    expect(played.standing()).toEqual({ look: "running", other: "completed" })
    talking.resolve()
    await one.ended
  })

  test("one that is at work can't be continued, restarted or compressed", async () => {
    const { children, starts } = gated(1)
    const played = await sessionWith(family([{ calls: starts }, { text: "ok" }], children))
    const turn = played.say("go")
    await played.until(() => played.standing()["t0"] === "running")
    const { id } = task(played, "t0")
    const running = { code: "subagent_running" }
    expect(() => played.tasks.continue(id, userText("hi"), "read_only")).toThrow(expect.objectContaining(running))
    expect(() => played.tasks.restart(id)).toThrow(expect.objectContaining(running))
    await expect(played.tasks.compress(id, never)).rejects.toMatchObject(running)
    expect(() => played.tasks.find("nobody")).toThrow(expect.objectContaining({ code: "task_not_found" }))
    played.session.cancel()
    await turn
  })

  test("R-226 one that was not finished goes on where it stopped, under the same id, and reports", async () => {
    const stuck = Promise.withResolvers<void>()
    const model = family([{ calls: [research("look")] }, { text: "a pity" }, { text: "at last" }], {
      look: [{ calls: [["list_directory", { path: "." }]] }, { text: "never", before: () => stuck.promise }],
      "You were interrupted. Go on with the task where you stopped, and end with your report.": { text: "seen" },
    })
    const played = await sessionWith(model)
    const turn = played.say("go")
    await played.until(() => played.marks().length > 0 && model.requests.length === 3)
    const one = task(played, "look")
    await played.tasks.cancel(one.id)
    await turn
    const again = played.tasks.restart(one.id)
    expect(again.id).toBe(one.id)
    await played.until(() => played.entries().at(-1) === "model: at last")
    expect(one.history.filter(({ kind }) => kind === "user").map(({ text }) => text)).toEqual([
      "look",
      expect.stringMatching(/^You were interrupted/),
    ])
    expect(played.modelReads().at(-2)).toMatch(/seen$/)
  })

  test("one that was completed starts over, as its role is now", async () => {
    const { one, tasks, until, model } = await done(looking)
    tasks.restart(one.id, { ...one.brief, prompt: "and b?" })
    await until(() => one.snapshot.result === "b too")
    expect(one.history.map(({ text }) => text)).toEqual(["and b?", "b too"])
    expect(model.requests.findLast((request) => request.task === one.id)!.messages).toHaveLength(1)
  })

  test("R-285 R-287 R-166 its history is put in one summary; meanwhile nothing else may happen to it", async () => {
    const written = Promise.withResolvers<void>()
    const { one, tasks, model } = await done(looking)
    const { stream } = model
    model.stream = async function* () {
      await written.promise
      yield { type: "text", delta: "I looked." }
      yield { type: "end", stop: "end_turn", usage: { input: 5, output: 5, cached: 0, thought: 0 } }
    }
    const compressing = tasks.compress(one.id, never)
    const busy = { code: "subagent_compressing" }
    expect(() => tasks.continue(one.id, userText("hi"), "read_only")).toThrow(expect.objectContaining(busy))
    expect(() => tasks.restart(one.id)).toThrow(expect.objectContaining(busy))
    written.resolve()
    const { before, after } = await compressing
    expect(before).toBeGreaterThan(0)
    expect(after).toBeGreaterThan(0)
    expect(one.history.map(({ kind, text }) => [kind, text])).toEqual([["summary", "I looked."]])
    expect(one.activity.entries.at(-1)).toMatchObject({
      kind: "compression",
      status: "completed",
      originalTokenCount: before,
      newTokenCount: after,
    })
    model.stream = stream
  })
})

describe("the session around them", () => {
  test("R-339 R-340 it counts as working until the last of them has ended, whether a turn runs or not", async () => {
    const { children, starts, end } = gated(1)
    const { say, session, until, events, marks } = await sessionWith(
      family([{ calls: starts }, { text: "ok" }], children),
      {
        takesDeliveries: false,
      },
    )
    const working = () => events.flatMap((event) => (event.type === "working" ? [event.working] : []))
    const turn = say("go")
    await until(() => marks().length > 0)
    expect(working()).toEqual([true])
    session.cancel()
    await turn
    expect(working()).toEqual([true])
    end(0)
    await until(() => working().length === 2)
    expect(working()).toEqual([true, false])
  })

  test("R-339 and until the turn that its report begins is over", async () => {
    const { say, until, events, entries } = await sessionWith(
      family(
        [{ calls: [delegate("research", "look", { background: true })] }, { text: "going on" }, { text: "gold!" }],
        {
          look: { text: "gold", before: () => soon() },
        },
      ),
    )
    await say("go")
    const working = () => events.flatMap((event) => (event.type === "working" ? [event.working] : []))
    await until(() => working().at(-1) === false)
    expect(working()).toEqual([true, false])
    expect(entries().at(-1)).toBe("model: gold!")
  })

  test("R-341 R-320 closing it ends them, and nothing of them is at work any more", async () => {
    const { children, starts } = gated(2)
    const { say, session, until, standing, told, tasks } = await sessionWith(
      family([{ calls: starts }, { text: "ok" }], children),
    )
    const turn = say("go")
    await until(() => standing()["t1"] === "running")
    await session.close()
    await turn
    const before = told().length
    await tasks.settled()
    await soon()
    expect(told().length).toBe(before)
  })

  test("R-321 what the children spend counts in the answer to the prompt", async () => {
    const { say } = await sessionWith(
      family(
        [
          { calls: [research("look")], tokens: 1 },
          { text: "ok", tokens: 2 },
        ],
        { look: { text: "seen", tokens: 100 } },
      ),
    )
    const { usage } = await say("go")
    expect(usage.input).toBe(103)
  })

  test("R-178 R-179 switched off, run_subagent is gone with the next request, and so are the words about it", async () => {
    const model = family([{ text: "one" }, { text: "two" }, { text: "three" }])
    const { say, settings } = await sessionWith(model)
    await say("1")
    settings({ enabled: false })
    await say("2")
    settings({ enabled: true })
    await say("3")
    const offers = model.requests.map(({ tools }) => tools.some(({ name }) => name === "run_subagent"))
    expect(offers).toEqual([true, false, true])
    const told = model.requests.map(({ instructions }) => instructions.includes("`run_subagent`"))
    expect(told).toEqual([true, false, true])
    expect(model.requests[2]!.instructions).toBe(model.requests[0]!.instructions)
    expect(model.requests[1]!.tools.some(({ name }) => name === "sub_agent")).toBe(true)
  })
})
