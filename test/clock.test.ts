import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { limited, throttle, within } from "../src/clock.ts"
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

test("a limit is not forgotten when memory is swept up before it is reached", async () => {
  const reached = (limit: AbortSignal) => new Promise((resolve) => limit.addEventListener("abort", resolve))
  const limits = Promise.all([reached(limited(new AbortController().signal, 200)), new Promise(sweepUp)])
  expect(await limits.then(() => "reached")).toBe("reached")
})

/** Sweeps up memory when the turn of whoever made the garbage is over, where that can be asked for. */
function sweepUp(done: (value?: unknown) => void): void {
  setTimeout(() => {
    if ("Bun" in globalThis) (globalThis as unknown as { Bun: { gc(force: boolean): void } }).Bun.gc(true)
    else {
      setFlagsFromString("--expose-gc")
      runInNewContext("typeof gc === 'function' && gc()")
    }
    done()
  })
}
