import { expect, test } from "vitest"
import { throttle, within } from "../src/clock.ts"
import { handClock } from "./support/clock.ts"

test("throttled work is done at once, and then no more often than it may", () => {
  const clock = handClock()
  let done = 0
  const work = throttle(() => void done++, 100, clock)
  const counts: number[] = []
  for (const step of [0, 1, 99, 50, 50, 100, 100]) {
    clock.pass(step)
    work.poke()
    counts.push(done)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 4, 5])
})

test("throttled work that is due is done when nothing more comes, once", () => {
  const clock = handClock()
  let done = 0
  const work = throttle(() => void done++, 100, clock)
  work.poke()
  work.poke()
  work.poke()
  for (let times = 0; times < 5; times++) clock.pass(100)
  expect(done).toBe(2)
})

test("throttled work that was stopped is done no more", () => {
  const clock = handClock()
  let done = 0
  const work = throttle(() => void done++, 100, clock)
  work.poke()
  work.poke()
  work.stop()
  clock.pass(100)
  work.poke()
  expect(done).toBe(1)
})

test("a promise that takes too long, or fails, is nothing", async () => {
  const clock = handClock()
  const late = within(new Promise(() => {}), 100, clock)
  clock.pass(100)
  expect(
    await Promise.all([late, within(Promise.reject(new Error()), 100, clock), within(Promise.resolve(1), 100, clock)]),
  ).toEqual([undefined, undefined, 1])
})
