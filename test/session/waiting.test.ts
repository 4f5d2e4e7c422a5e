import { expect, test } from "vitest"
import { soon } from "../support/scripted.ts"
import { delegate, family, research, sessionWith } from "../support/sessions.ts"

/** Children that end when they are told to, by name. */
function gated(...names: string[]) {
  const gates = new Map(names.map((name) => [name, Promise.withResolvers<void>()]))
  const children = Object.fromEntries(
    names.map((name) => [name, { text: `${name} done`, before: () => gates.get(name)!.promise }]),
  )
  return { children, end: (name: string) => gates.get(name)!.resolve() }
}

test("R-182 R-183 R-184 R-185 R-364 the next request waits for the last of them, and brings all reports as hidden pairs", async () => {
  const { children, end } = gated("a", "b")
  const model = family([{ calls: [research("a"), research("b")] }, { text: "both" }], children)
  const { say, until, standing, modelReads } = await sessionWith(model)
  const turn = say("go")
  await until(() => standing()["b"] === "running")
  expect(standing()).toEqual({ a: "running", b: "running" }) // side by side
  end("a")
  await until(() => standing()["a"] === "completed")
  await soon()
  expect(model.requests.filter(({ task }) => task === undefined)).toHaveLength(1)
  end("b")
  expect((await turn).stop).toBe("end_turn")

  expect(model.requests.filter(({ task }) => task === undefined)).toHaveLength(2)
  expect(modelReads()).toEqual([
    "user: go",
    "model: →run_subagent →run_subagent",
    expect.stringMatching(/^tools: Started task .* \| Started task /),
    "model: →subagent_report",
    expect.stringMatching(/a done$/),
    "model: →subagent_report",
    expect.stringMatching(/b done$/),
    "model: both",
  ])
})

test("R-169 R-170 R-171 a pause is marked with the turn's name and the tasks it waits for, and ends when they have", async () => {
  const { children, end } = gated("a")
  const { say, until, marks, tasks } = await sessionWith(family([{ calls: [research("a")] }, { text: "ok" }], children))
  const turn = say("go")
  await until(() => marks().length > 0)
  end("a")
  const { promptId } = await turn
  expect(marks()).toEqual([
    { type: "turn", state: "waiting", promptId, taskIds: [tasks.list()[0]!.id] },
    { type: "turn", state: "resumed", promptId },
  ])
})

test("R-174 cancelling the turn ends the pause, and leaves the subagents at work", async () => {
  const { children } = gated("a")
  const { say, until, marks, session, standing } = await sessionWith(
    family([{ calls: [research("a")] }, { text: "ok" }], children),
  )
  const turn = say("go")
  await until(() => marks().length > 0)
  session.cancel()
  expect((await turn).stop).toBe("cancelled")
  expect(marks().map(({ state }) => state)).toEqual(["waiting", "resumed"])
  expect(standing()).toEqual({ a: "running" })
})

test("R-187 cancelling the last subagent ends the pause, and the model hears that in the same request", async () => {
  const { children } = gated("a")
  const { say, until, marks, tasks, modelReads } = await sessionWith(
    family([{ calls: [research("a")] }, { text: "a pity" }], children),
  )
  const turn = say("go")
  await until(() => marks().length > 0)
  const cancelled = await tasks.cancel(tasks.list()[0]!.id)
  expect(cancelled.snapshot.status).toBe("cancelled")
  expect((await turn).stop).toBe("end_turn")
  expect(modelReads().slice(-2)).toEqual([
    expect.stringMatching(/cancelled\. It was stopped: cancelled by the user\./),
    "model: a pity",
  ])
})

test("R-186 while the agent waits, what the subagents do is told", async () => {
  const { children, end } = gated("a")
  const { say, until, marks, told } = await sessionWith(family([{ calls: [research("a")] }, { text: "ok" }], children))
  const turn = say("go")
  await until(() => marks().length > 0)
  const before = told().length
  end("a")
  await turn
  expect(told().length).toBeGreaterThan(before)
})

test("R-188 R-189 with allowParentToContinue the agent goes on, and a report comes at its next boundary", async () => {
  const { children, end } = gated("a")
  const working = Promise.withResolvers<void>()
  const parent = [
    { calls: [research("a")] },
    { calls: [["list_directory", { path: "." }] as [string, unknown]], before: () => working.promise },
    { text: "ok" },
  ]
  const { say, until, standing, entries, marks } = await sessionWith(family(parent, children), {
    settings: { allowParentToContinue: true },
  })
  const turn = say("go")
  await until(() => standing()["a"] === "running")
  end("a")
  await until(() => standing()["a"] === "completed")
  working.resolve()
  await turn
  expect(entries().slice(-4)).toEqual([
    "model: →list_directory",
    expect.stringMatching(/^ok: /),
    expect.stringMatching(/^report: .*a done$/s),
    "model: ok",
  ])
  expect(marks()).toEqual([])
})

test("R-172 R-192 allowing the agent to continue ends a pause at once", async () => {
  const { children } = gated("a")
  const { say, until, marks, settings, standing } = await sessionWith(
    family([{ calls: [research("a")] }, { text: "going on" }], children),
  )
  const turn = say("go")
  await until(() => marks().length > 0)
  settings({ allowParentToContinue: true })
  expect((await turn).stop).toBe("end_turn")
  expect(standing()).toEqual({ a: "running" })
})

test("R-191 R-193 forbidding it holds from the next boundary on, and not the request that runs", async () => {
  const { children, end } = gated("a")
  const speaking = Promise.withResolvers<void>()
  const parent = [
    { calls: [research("a")] },
    { calls: [["list_directory", { path: "." }] as [string, unknown]], before: () => speaking.promise },
    { text: "ok" },
  ]
  const { say, until, marks, settings, entries, standing } = await sessionWith(family(parent, children), {
    settings: { allowParentToContinue: true },
  })
  const turn = say("go")
  await until(() => standing()["a"] === "running")
  settings({ allowParentToContinue: false })
  await soon()
  expect(marks()).toEqual([])
  speaking.resolve()
  await until(() => marks().length > 0) // at the boundary after its calls
  expect(entries().at(-1)).toMatch(/^ok: /)
  end("a")
  await turn
})

test("R-173 R-195 R-196 R-197 R-199 a released turn goes on to its end without its subagents; releasing is once", async () => {
  const { children, end } = gated("a", "b")
  const parent = [
    { calls: [research("a")] },
    { calls: [research("b")] },
    { text: "going on" },
    { text: "thanks" },
    { text: "and thanks" },
  ]
  const { say, until, marks, session, standing } = await sessionWith(family(parent, children))
  expect(session.releaseWait()).toBe(false) // no turn
  const turn = say("go")
  expect(session.releaseWait()).toBe(false) // nothing waits yet
  await until(() => marks().length > 0)
  expect(session.releaseWait()).toBe(true)
  expect(session.releaseWait()).toBe(false)
  expect((await turn).stop).toBe("end_turn")
  expect(standing()).toEqual({ a: "running", b: "running" })
  expect(marks().map(({ state }) => state)).toEqual(["waiting", "resumed"]) // the second boundary did not wait
  end("a")
  end("b")
  await until(() => marks().filter(({ state }) => state === "finished").length > 0)
})

test("R-198 the next turn waits again", async () => {
  const { children, end } = gated("a", "b")
  const parent = [{ calls: [research("a")] }, { text: "going on" }, { calls: [research("b")] }, { text: "ok" }]
  const { say, until, marks, session } = await sessionWith(family(parent, children))
  const first = say("go")
  await until(() => marks().length > 0)
  session.releaseWait()
  await first
  const second = say("again")
  await until(() => marks().length === 3)
  expect(marks()[2]).toMatchObject({ state: "waiting" })
  expect(marks()[2]!.taskIds).toHaveLength(2) // the one that was left is waited for too
  end("a")
  end("b")
  expect((await second).stop).toBe("end_turn")
})

test("a new prompt does not wait at its start for what an earlier turn has left at work", async () => {
  const { children } = gated("a")
  const { say, until, marks, session, entries } = await sessionWith(
    family([{ calls: [research("a")] }, { text: "hello" }], children),
  )
  const first = say("go")
  await until(() => marks().length > 0)
  session.cancel()
  await first
  expect((await say("hi")).stop).toBe("end_turn")
  expect(entries().at(-1)).toBe("model: hello")
})

test("background agents of sub_agent and those a person continues hold nothing", async () => {
  const { children } = gated("a")
  const { say, standing } = await sessionWith(
    family([{ calls: [delegate("research", "a", { background: true })] }, { text: "going on" }], children),
  )
  expect((await say("go")).stop).toBe("end_turn")
  expect(standing()).toEqual({ a: "running" })
})

test("R-250 R-251 R-252 roles that a client starts work first, and the model's first request has their reports", async () => {
  const model = family([{ text: "so it is" }], { "look here": { text: "seen" } })
  const { say, entries, events } = await sessionWith(model, { roles: [{ name: "scout" }, { name: "critic" }] })
  const call = (agent: string, id: string) => ({
    id,
    name: "run_subagent",
    input: { description: "look here", prompt: "look here", agent },
  })
  await say("look here", [call("scout", "one"), call("critic", "two"), call("nobody", "three")])
  expect(entries().slice(0, 2)).toEqual(["user: look here", "client: →run_subagent →run_subagent →run_subagent"])
  expect(entries().slice(2, 5).sort()).toEqual([
    'failed: There is no role "nobody"',
    expect.stringMatching(/^ok: Started/),
    expect.stringMatching(/^ok: Started/),
  ])
  expect(entries().slice(5)).toEqual([
    expect.stringMatching(/^report: # Subagent scout: look here/),
    expect.stringMatching(/^report: # Subagent critic: look here/),
    "model: so it is",
  ])
  expect(model.requests.filter(({ task }) => task === undefined)).toHaveLength(1)
  expect(events.flatMap((event) => (event.type === "call_made" ? [event.shown.title] : [])).sort()).toEqual([
    "critic: look here",
    "nobody: look here",
    "scout: look here",
  ])
})
