import { expect, onTestFinished, test } from "vitest"
import { runToEnd } from "../../src/agent/subagent.ts"
import type { Brief } from "../../src/subagents/brief.ts"
import { NO_TASK_JOURNAL } from "../../src/subagents/task-journal.ts"
import { Tasks } from "../../src/subagents/tasks.ts"
import type { Work } from "../../src/subagents/work.ts"
import { handClock } from "../support/clock.ts"
import { agentWith, fakeTool, type Reply, scriptedModel, soon } from "../support/scripted.ts"

const BRIEF: Brief = {
  kind: "run_subagent",
  description: "look",
  prompt: "look",
  background: true,
  role: null,
  profile: null,
  model: "scripted",
  note: null,
  call: "call-1",
}

/** Tasks whose subagents play a script, with a clock in the test's hands and all that was told. */
function tasksWith(script: Reply[], tool?: () => Promise<unknown>) {
  const clock = handClock()
  const told: string[] = []
  const steps: string[] = []
  const times: string[] = []
  const reports: string[] = []
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  let work: Work | undefined
  const tasks = new Tasks({
    journal: NO_TASK_JOURNAL,
    clock,
    lifetime: ended.signal,
    maxConcurrent: () => 4,
    effortOf: () => null,
    agentFor(asked) {
      work = asked
      const tools = tool ? [fakeTool("look", tool)] : []
      const { transcript, lifetime, emit, maxSteps } = asked
      return agentWith(scriptedModel(...script), {
        transcript,
        lifetime,
        emit,
        maxSteps,
        tools: () => tools,
      }).agent
    },
    spent: () => {},
    changed({ snapshot }, activity) {
      times.push(snapshot.updatedAt)
      if (activity) steps.push(`${activity.kind} ${activity.status}: ${activity.text}`)
      else told.push(snapshot.status)
    },
    reported: (_, report) => reports.push(report),
    interrupted: () => {},
    heard: () => {},
  })
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) clock.pass(1000)
  }
  return { tasks, told, steps, times, reports, pass, work: () => work! }
}

const silent: Reply = { before: () => new Promise(() => {}) }

test("a task of run_subagent that is silent has stalled after 120 seconds, and is cancelled for it after 300 more", async () => {
  const { tasks, told, reports, pass } = tasksWith([silent])
  const task = tasks.start(BRIEF)
  pass(120)
  expect(task.snapshot.status).toBe("stalled")
  expect(tasks.holding).toEqual([task.id])
  pass(300)
  await task.ended
  expect(told).toEqual(["queued", "running", "stalled", "cancelled"])
  expect(reports[0]).toMatch(/It was stopped: nothing was heard of it for several minutes\./)
})

test("R-266 extended, it goes on; one that has not stalled is not", async () => {
  const { tasks, told, pass } = tasksWith([silent])
  const task = tasks.start(BRIEF)
  expect(tasks.extend(task.id)).toBe(false)
  pass(120 + 250)
  expect(tasks.extend(task.id)).toBe(true)
  expect(tasks.extend(task.id)).toBe(false)
  pass(100)
  expect(told).toEqual(["queued", "running", "stalled", "running"])
  await tasks.cancel(task.id)
  expect(tasks.extend(task.id)).toBe(false)
})

test("bytes of its model and a tool that runs keep it from stalling", async () => {
  const { tasks, pass, work } = tasksWith([{ calls: [["look", {}]] }], () => new Promise(() => {}))
  const task = tasks.start(BRIEF)
  pass(60)
  work().heard()
  pass(100)
  expect(task.snapshot.status).toBe("running")
  await soon() // the tool runs
  pass(1000)
  expect(task.snapshot.status).toBe("running")
  await tasks.cancel(task.id)
})

test("a sub_agent never stalls", async () => {
  const { tasks, pass } = tasksWith([silent])
  const task = tasks.start({ ...BRIEF, kind: "sub_agent" })
  pass(1000)
  expect(task.snapshot.status).toBe("running")
  await tasks.cancel(task.id)
})

test("R-160 R-161 R-162 how the last steps ended is told too, ten times a second, each time with a later snapshot", async () => {
  const { tasks, told, steps, times, pass } = tasksWith(
    [{ text: "I look", calls: [["look", {}]] }, { text: "It is so" }],
    async () => "seen",
  )
  await tasks.start(BRIEF).ended
  expect(steps).toEqual(["model in_progress: I "])
  pass(5)
  expect(steps.slice(1)).toEqual(["model completed: I look", "tool completed: look", "model completed: It is so"])
  expect(told).toEqual(["queued", "running", "completed"])
  expect(times).toEqual([...new Set(times)].toSorted())
})

test("so many steps and no more: what it said last is its report, and why it ended", async () => {
  const steps = Array.from({ length: 100 }, (_, at): Reply => ({ text: `step ${at}`, calls: [["look", { at }]] }))
  const { tasks, reports } = tasksWith(steps, async () => Math.random())
  const task = tasks.start(BRIEF)
  await task.ended
  expect(task.snapshot).toMatchObject({ status: "completed", steps: 80, result: "step 79" })
  expect(reports[0]).toMatch(/It is not whole: it was ended after 80 steps\./)
})

test("of tasks that have ended the last hundred are known", async () => {
  const { tasks } = tasksWith([{ text: "seen" }])
  for (let at = 0; at < 130; at++) await tasks.start({ ...BRIEF, description: `${at}` }).ended
  expect(tasks.list()).toHaveLength(100)
  expect(tasks.list()[0]!.snapshot.description).toBe("30")
})

test("one that has just ended is known, however long ago it was begun", async () => {
  const { tasks, pass } = tasksWith([{ text: "seen" }])
  const [first] = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const task = tasks.start(BRIEF)
      await task.ended
      return task
    }),
  )
  pass(1)
  tasks.restart(first!.id, BRIEF)
  const other = tasks.start(BRIEF)
  await Promise.all([first!.ended, other.ended])
  expect([tasks.find(first!.id), tasks.find(other.id), tasks.list().length]).toEqual([first, other, 100])
})

test("a subagent whose words were cut off, refused or circular says so", async () => {
  const endOf = async (reply: Reply) => {
    const { agent } = agentWith(scriptedModel(reply))
    return await runToEnd(agent, [])
  }
  expect(await endOf({ text: "half", stop: "max_tokens" })).toEqual({
    status: "completed",
    text: "half",
    error: "its last answer was cut off by the model's limit of tokens",
  })
  expect(await endOf({ text: "no", stop: "refusal" })).toEqual({
    status: "failed",
    text: "no",
    error: "the model refused to answer",
  })
})
