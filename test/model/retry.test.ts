import { describe, expect, test } from "vitest"
import { type FailureKind, type ModelEvent, ModelFailure } from "../../src/agent/model.ts"
import { retried } from "../../src/model/retry.ts"
import { waitOf } from "../../src/model/waits.ts"
import { quickClock } from "../support/clock.ts"

const NOW = Date.UTC(2026, 0, 1)
const wait = (headers: Record<string, string>, body = "") => waitOf(new Headers(headers), body, NOW)

describe("MP-06 how long to wait", () => {
  test.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "350", "retry-after": "2" }, 350],
    [{ "x-ratelimit-reset-requests": "6m0s" }, 360_000],
    [{ "x-ratelimit-reset-requests": "20ms", "x-ratelimit-reset-tokens": "1m30s" }, 90_000],
    [
      {
        "x-ratelimit-reset-requests": "24h",
        "x-ratelimit-remaining-requests": "7",
        "x-ratelimit-reset-tokens": "3s",
        "x-ratelimit-remaining-tokens": "0",
      },
      3000,
    ],
    [{ "x-ratelimit-reset": String(NOW + 4000) }, 4000],
    [{ "x-ratelimit-reset": String(NOW / 1000 + 4) }, 4000],
    [{}, undefined],
  ])("%j: %s ms", (headers, expected) => {
    expect(wait(headers as Record<string, string>)).toBe(expected)
  })

  test.each([
    ["Rate limit reached. Please try again in 2.4s.", 2400],
    ["Please retry in 34.07s.", 34_070],
    ["Please try again in 1m12.5s", 72_500],
    ["try again in 250ms", 250],
    ["Please wait for 3 minutes", 180_000],
    ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}', 34_000],
    ["Try another model.", undefined],
  ])("%j: %s ms", (body, expected) => {
    expect(wait({}, body)).toBe(expected)
  })
})

const END: ModelEvent = { type: "end", stop: "end_turn", usage: { input: 0, output: 0, cached: 0, thought: 0 } }
const fail = (kind: FailureKind, retryAfter?: number) =>
  new ModelFailure(kind, "It failed", retryAfter === undefined ? {} : { retryAfter })

/** Plays one list per attempt; a failure in it is thrown. */
async function play(attempts: (ModelEvent | ModelFailure)[][]) {
  const clock = quickClock()
  const events: ModelEvent[] = []
  let at = 0
  async function* attempt() {
    for (const event of attempts[Math.min(at++, attempts.length - 1)]!) {
      if (event instanceof ModelFailure) throw event
      yield event
    }
  }
  let error: ModelFailure | undefined
  try {
    for await (const event of retried(attempt, { clock, random: () => 0.5 }, new AbortController().signal))
      events.push(event)
  } catch (thrown) {
    error = thrown as ModelFailure
  }
  return { events, waits: clock.waits, attempts: at, error }
}

describe("trying again", () => {
  test.each(["auth", "too_long", "quota", "model", "request"] as const)("%s is not tried again", async (kind) => {
    expect((await play([[fail(kind)]])).attempts).toBe(1)
  })

  test("waits longer each time where nothing was told", async () => {
    expect((await play([[fail("rate_limit")]])).waits).toEqual([2000, 4000, 8000, 16_000])
    expect((await play([[fail("network")]])).waits).toEqual([500, 1000, 2000, 4000])
  })

  test("longer than a minute is not waited for; the failure names the moment", async () => {
    const { error, attempts, waits } = await play([[fail("rate_limit", 86_400_000)]])
    expect([attempts, waits, error?.message]).toEqual([1, [], "It failed. Try again after 2026-01-02 01:12 UTC"])
    expect(error?.retryAfter).toBe(86_400_000)
  })

  test("MP-07 what had been said is void, and said once", async () => {
    const { events } = await play([
      [{ type: "text", delta: "one" }, fail("network")],
      [{ type: "text", delta: "one two" }, END],
    ])
    expect(events).toEqual([
      { type: "text", delta: "one" },
      { type: "restart" },
      { type: "notice", text: "It failed. Trying again in a moment." },
      { type: "text", delta: "one two" },
      END,
    ])
  })

  test("MP-07 a second break after words is a failure", async () => {
    const { attempts, error } = await play([[{ type: "text", delta: "one" }, fail("network")]])
    expect([attempts, error?.kind]).toEqual([2, "network"])
  })

  test("what is not a provider's failure is passed on", async () => {
    const clock = quickClock()
    const bug = new TypeError("a bug")
    // biome-ignore lint/correctness/useYield: it throws first
    const broken = async function* (): AsyncGenerator<ModelEvent> {
      throw bug
    }
    await expect(retried(broken, { clock, random: () => 0.5 }, new AbortController().signal).next()).rejects.toBe(bug)
  })
})
