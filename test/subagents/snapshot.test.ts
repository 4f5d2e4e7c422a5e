import { expect, test } from "vitest"
import { changed, newSnapshot } from "../../src/subagents/snapshot.ts"

const NOW = Date.parse("2026-01-01T00:00:00.000Z")
const FIRST = {
  taskId: "t",
  kind: "run_subagent",
  description: "look",
  agentName: null,
  background: true,
  model: "m",
  reasoningEffort: null,
  maxSteps: 80,
  acpToolCallId: "call-1",
} as const

test("R-160 R-164 R-275 a task begins queued, linked to its call, with nothing counted", () => {
  expect(newSnapshot(FIRST, NOW)).toEqual({
    ...FIRST,
    status: "queued",
    steps: 0,
    progress: "",
    contextUsage: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    startedAt: null,
    updatedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    result: null,
    error: null,
  })
})

test("R-160 R-161 a later snapshot has a later time, also when the clock stands still or goes back", () => {
  const times = [newSnapshot(FIRST, NOW).updatedAt]
  for (const now of [NOW, NOW, NOW - 5000, NOW + 10]) {
    times.push(changed({ ...newSnapshot(FIRST, NOW), updatedAt: times.at(-1)! }, {}, now).updatedAt)
  }
  expect(times.map((time) => time.slice(-4))).toEqual(["000Z", "001Z", "002Z", "003Z", "010Z"])
})

test("a result is cut, and progress is one short line", () => {
  const task = changed(newSnapshot(FIRST, NOW), { result: "x".repeat(5000), progress: " a\n  b " }, NOW)
  expect(task.result).toMatch(/^x{4000}… \[1,000 more characters\]$/)
  expect(task.progress).toBe("a b")
  expect(changed(task, {}, NOW)).toMatchObject({ result: task.result, progress: "a b" })
})
