import { expect, test } from "vitest"
import { watchQuiet } from "../../src/subagents/quiet.ts"
import { handClock } from "../support/clock.ts"

const SECOND = 1000

/** A watch, and a word for each thing it told; time passes second by second. */
function watched() {
  const clock = handClock()
  const told: string[] = []
  const quiet = watchQuiet(clock, {
    stalled: () => told.push("stalled"),
    resumed: () => told.push("resumed"),
    givenUp: () => told.push("given up"),
  })
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) clock.pass(SECOND)
  }
  return { quiet, told, pass }
}

test("a subagent that is silent for 120 seconds has stalled, and 300 later it is given up", () => {
  const { told, pass } = watched()
  pass(119)
  expect(told).toEqual([])
  pass(1)
  expect(told).toEqual(["stalled"])
  pass(299)
  expect(told).toEqual(["stalled"])
  pass(1)
  expect(told).toEqual(["stalled", "given up"])
})

test("whatever comes is activity, and the silence is counted from the last of it", () => {
  const { quiet, told, pass } = watched()
  for (let times = 0; times < 10; times++) {
    pass(100)
    quiet.heard()
  }
  pass(119)
  expect(told).toEqual([])
  pass(1)
  expect(told).toEqual(["stalled"])
  quiet.heard()
  expect(told).toEqual(["stalled", "resumed"])
})

test("a tool that runs and a question that is open are activity, however long", () => {
  const { quiet, told, pass } = watched()
  quiet.busy()
  quiet.busy()
  pass(1000)
  quiet.free()
  pass(1000)
  expect(told).toEqual([])
  quiet.free()
  pass(120)
  expect(told).toEqual(["stalled"])
})

test("R-266 extending gives one that has stalled more time, and says that another has not", () => {
  const { quiet, told, pass } = watched()
  expect(quiet.extend()).toBe(false)
  pass(120 + 299)
  expect(quiet.extend()).toBe(true)
  expect(quiet.extend()).toBe(false)
  pass(119)
  expect(told).toEqual(["stalled", "resumed"])
  pass(1 + 300)
  expect(told).toEqual(["stalled", "resumed", "stalled", "given up"])
})

test("a watch that was stopped tells nothing", () => {
  const { quiet, told, pass } = watched()
  quiet.stop()
  pass(1000)
  expect(told).toEqual([])
})
