import { expect, test } from "vitest"
import { soon } from "../support/scripted.ts"
import { family, research, sessionWith } from "../support/sessions.ts"

/** A child that finds gold when it is told to. */
function digging(...parent: Parameters<typeof family>[0]) {
  const found = Promise.withResolvers<void>()
  const model = family([{ calls: [research("dig")] }, { text: "going on" }, ...parent], {
    dig: { text: "gold", before: () => found.promise },
    dig2: { text: "silver" },
  })
  return { model, find: () => found.resolve() }
}

/** A session whose turn went on without its subagent, and ended. */
async function released(parent: Parameters<typeof family>[0], options = {}) {
  const { model, find } = digging(...parent)
  const played = await sessionWith(model, options)
  const turn = played.say("go")
  await played.until(() => played.marks().length > 0)
  expect(played.session.releaseWait()).toBe(true)
  expect((await turn).stop).toBe("end_turn")
  return { ...played, model, find }
}

test("R-190 R-333 a report after the turn comes in a turn of its own, between its marks", async () => {
  const { find, marks, entries, until, tasks } = await released([{ text: "it is gold" }])
  find()
  await until(() => marks().at(-1)?.state === "finished")

  expect(entries().at(-1)).toBe("model: it is gold")
  expect(entries().at(-2)).toMatch(/^report: # Subagent: dig\n\nTask .*: completed\.\n\ngold$/)
  const { id } = tasks.list()[0]!
  const promptId = marks().at(-1)!.promptId
  expect(marks().slice(-2)).toEqual([
    { type: "turn", state: "started", promptId, taskIds: [id] },
    { type: "turn", state: "finished", promptId, stop: "end_turn" },
  ])
})

test("a delivery turn begins only when the turn before has been answered", async () => {
  const answered = Promise.withResolvers<void>()
  const model = family([{ calls: [research("dig")] }, { text: "going on", before: () => answered.promise }], {
    dig: { text: "gold" },
  })
  const { say, session, until, marks, settings, standing, entries } = await sessionWith(model)
  settings({ allowParentToContinue: true })
  const turn = say("go")
  await until(() => standing()["dig"] === "completed")
  answered.resolve()
  await turn
  for (let times = 0; times < 100; times++) await undefined // an answer takes a few turns of the microtask queue
  expect(marks()).toEqual([])
  await until(() => marks().at(-1)?.state === "finished")
  expect(entries().slice(-1)).toEqual(["model: (end of script)"])
  expect(session.isWorking).toBe(false)
})

test("CX-11 SA-03 to any other client it comes with the next prompt", async () => {
  const { find, say, modelReads, until, standing, marks } = await released([{ text: "it is gold" }], {
    takesDeliveries: false,
  })
  find()
  await until(() => standing()["dig"] === "completed")
  await soon()
  expect(modelReads().at(-1)).toBe("model: going on")
  await say("well?")
  expect(modelReads().slice(-4)).toEqual([
    "user: well?",
    "model: →subagent_report",
    expect.stringMatching(/^tools: .*gold$/s),
    "model: it is gold",
  ])
  expect(marks().map(({ state }) => state)).toEqual(["waiting", "resumed"])
})

test("R-288 R-289 R-290 a delivery whose turn is cancelled comes back, not at once, and is read once; subagents go on", async () => {
  const never = new Promise(() => {})
  const { find, say, session, entries, modelReads, until, marks } = await released([
    { text: "never", before: () => never },
    { text: "gold!" },
  ])
  find()
  await until(() => marks().at(-1)?.state === "started" && entries().at(-1)!.startsWith("report"))
  session.cancel()
  await until(() => marks().at(-1)?.state === "finished")
  expect(marks().at(-1)!.stop).toBe("cancelled")
  expect(entries().slice(-2)).toEqual(["model: ", "returned"])
  await soon()
  expect(entries().at(-1)).toBe("returned")
  await say("well?")
  expect(modelReads().filter((line) => line.includes("gold"))).toEqual([
    expect.stringMatching(/^tools/),
    "model: gold!",
  ])
})

test("R-289 a delivery that came back goes again with the next report", async () => {
  const never = new Promise(() => {})
  const { find, say, session, entries, until, marks } = await released([
    { text: "never", before: () => never },
    { calls: [research("dig2")] },
    { text: "both" },
  ])
  find()
  await until(() => entries().at(-1)!.startsWith("report"))
  session.cancel()
  await until(() => marks().at(-1)?.state === "finished")
  await say("another")
  expect(entries().filter((line) => line.endsWith("\n\ngold"))).toHaveLength(2) // once taken back
  expect(entries().filter((line) => line.endsWith("\n\nsilver"))).toHaveLength(1)
  expect(entries().at(-1)).toBe("model: both")
})

test("R-289 a turn that brings a report again names its task beside the new ones", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const model = family(
    [
      { calls: [research("dig"), research("dig2")] },
      { text: "going on" },
      { text: "never", before: () => new Promise(() => {}) },
      { text: "both" },
    ],
    { dig: { text: "gold", before: () => first.promise }, dig2: { text: "silver", before: () => second.promise } },
  )
  const { say, session, settings, tasks, until, marks, entries } = await sessionWith(model)
  settings({ allowParentToContinue: true })
  await say("go")
  first.resolve()
  await until(() => entries().at(-1)!.endsWith("gold"))
  session.cancel()
  await until(() => marks().at(-1)?.state === "finished")
  second.resolve()
  await until(() => marks().filter(({ state }) => state === "finished").length === 2)
  const [dig, dig2] = tasks.list().map(({ id }) => id)
  expect(marks().flatMap(({ taskIds }) => (taskIds ? [taskIds] : []))).toEqual([[dig], [dig, dig2]])
})

test("R-163 a report is told as delivered when the model is handed it, once, on the task's last snapshot", async () => {
  const never = new Promise(() => {})
  const { find, say, session, events, until, marks } = await released([
    { text: "never", before: () => never },
    { text: "gold!" },
  ])
  find()
  await until(
    () => marks().at(-1)?.state === "started" && events.some((event) => event.type === "task" && event.delivery),
  )
  session.cancel()
  await until(() => marks().at(-1)?.state === "finished")
  await say("well?")
  const delivered = events.flatMap((event) => (event.type === "task" && event.delivery !== undefined ? [event] : []))
  expect(delivered).toHaveLength(1)
  expect(delivered[0]).toMatchObject({ task: { status: "completed", result: "gold" } })
  expect(delivered[0]!.activity).toBeUndefined()
})

test("R-292 a delivery is confirmed by the reply of the model that follows, and by nothing else", async () => {
  const { find, session, until, standing, say } = await released([{ text: "gold!" }], { takesDeliveries: false })
  find()
  await until(() => standing()["dig"] === "completed")
  const { deliveries } = session.parts.subagents
  expect(deliveries.due()).toHaveLength(1)
  await say("well?")
  expect(deliveries.due()).toEqual([])
  expect(deliveries.unanswered()).toEqual([])
})
