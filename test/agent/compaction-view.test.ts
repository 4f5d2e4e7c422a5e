import assert from "node:assert/strict"
import fc from "fast-check"
import { test } from "vitest"
import { whereToCut } from "../../src/agent/cut.ts"
import { type Entry, type Message, NO_USAGE, type Result, type Summary, textContent } from "../../src/agent/message.ts"
import { shortestOf } from "../../src/agent/room.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"

/** What happens in a session, each with the entries that it leaves. */
type Happening =
  | { type: "user" | "hidden" | "reply" | "empty" | "report"; size: number }
  | { type: "calls" | "scripted"; sizes: readonly number[]; order: number }
  /** A report goes back, or room is made so that this many tokens stay. */
  | { type: "returned"; which: number }
  | { type: "compacted"; keep: number; goal: number }

const size = fc.integer({ min: 0, max: 4000 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ type: fc.constantFrom("user", "hidden", "reply", "empty", "report"), size }),
  fc.record({
    type: fc.constantFrom("calls", "scripted"),
    sizes: fc.array(size, { minLength: 1, maxLength: 4 }),
    order: fc.nat(),
  }),
  fc.record({ type: fc.constant("returned"), which: fc.nat() }),
  fc.record({ type: fc.constant("compacted"), keep: fc.nat(3000), goal: fc.nat(3000) }),
)

/** The session's entries. */
function played(happenings: readonly Happening[]): Entry[] {
  const entries: Entry[] = []
  for (const [at, what] of happenings.entries()) entries.push(...entriesOf(what, `${at}`, entries))
  return entries
}

function entriesOf(what: Happening, id: string, before: readonly Entry[]): Entry[] {
  switch (what.type) {
    case "user":
      return [{ role: "user", id, content: textContent("u".repeat(what.size)) }]
    case "hidden":
      return [{ role: "user", id, content: textContent("h".repeat(what.size)), hidden: true }]
    case "reply":
      return [assistant(id, "r".repeat(what.size + 1), [])]
    case "empty":
      return [{ ...assistant(id, "", []), content: [] }]
    case "report":
      return [{ role: "report", delivery: id, task: "t", text: "p".repeat(what.size) }]
    case "calls":
    case "scripted": {
      const ids = what.sizes.map((_, at) => `${id}-${at}`)
      const results = what.sizes.map((size, at) => result(ids[at]!, "x".repeat(size)))
      const turned = [...results.slice(what.order % ids.length), ...results.slice(0, what.order % ids.length)]
      const reply = assistant(id, "", ids)
      return [what.type === "scripted" ? { ...reply, scripted: true } : reply, ...turned]
    }
    case "returned": {
      const reports = before.filter((entry) => entry.role === "report")
      const report = reports[what.which % Math.max(reports.length, 1)]
      return report ? [{ role: "returned", delivery: report.delivery }] : []
    }
    case "compacted": {
      const from = whereToCut(before, what.keep)
      if (from === undefined) return [shortestOf(before, inForce(before), what.goal).summary]
      assertUnansweredStays(before, from)
      return [shortestOf(before, { text: `summary ${id}`, from }, what.goal).summary]
    }
  }
}

function inForce(entries: readonly Entry[]): Pick<Summary, "text" | "from"> {
  return entries.findLast((entry) => entry.role === "summary") ?? { text: "", from: 0 }
}

function assistant(id: string, text: string, calls: readonly string[]): Entry & { role: "assistant" } {
  const made = calls.map((id) => ({ id, name: "work", input: {} }))
  const stop = calls.length > 0 ? "tool_use" : "end_turn"
  return { role: "assistant", id, content: textContent(text), calls: made, stop, usage: NO_USAGE }
}

function result(id: string, text: string): Result {
  const content = textContent(text)
  return {
    role: "result",
    id,
    name: "work",
    status: "ok",
    content,
    shown: { title: "", kind: "other", locations: [], display: [] },
  }
}

/** From the last reply of the model's on, nothing has been answered but what came before it. No call is cut in two. */
function assertUnansweredStays(entries: readonly Entry[], from: number): void {
  const reply = entries.findLastIndex(
    (entry) => entry.role === "assistant" && !entry.scripted && entry.content.length + entry.calls.length > 0,
  )
  const { calls = [] } = (entries[reply] ?? {}) as { calls?: unknown[] }
  assert.notEqual(entries[from]?.role, "result", `entry ${from} is parted from its call`)
  assert.ok(from <= (calls.length > 0 ? reply : reply + 1), `what came after entry ${reply} is cut at ${from}`)
}

/** Each call has its result right after it, and no result is without its call. */
function assertValid(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    const calls = message.role === "assistant" ? message.calls.map(({ id }) => id) : []
    const next = messages[at + 1]
    const results = next?.role === "tool" ? next.results.map(({ id }) => id) : []
    assert.deepEqual(results, calls)
    if (message.role === "tool") assert.equal(messages[at - 1]?.role, "assistant")
  }
  assert.notEqual(messages[0]?.role, "tool")
}

test("CP-01 wherever a conversation is cut, each call has its result right after it and no result is alone", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      assertValid(messagesForModel(played(happenings)))
    }),
    { numRuns: 400 },
  )
})

test("after a compaction the request grows at its end alone", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), fc.array(happening, { maxLength: 10 }), (before, after) => {
      const isSpeech = ({ type }: Happening) => type !== "compacted" && type !== "returned"
      const entries = played([...before, { type: "compacted", keep: 500, goal: 500 }])
      const longer = [...entries, ...played(after.filter(isSpeech)).map(renamed)]
      const first = messagesForModel(entries)
      assert.deepEqual(messagesForModel(longer).slice(0, first.length), first)
    }),
    { numRuns: 200 },
  )
})

function renamed(entry: Entry): Entry {
  return JSON.parse(
    JSON.stringify(entry, (key, value) => (["id", "delivery"].includes(key) ? `later-${value}` : value)),
  )
}
