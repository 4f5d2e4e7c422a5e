import { expect, test } from "vitest"
import { type Entry, userText } from "../../src/agent/message.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"
import { repairs } from "../../src/session/repair.ts"
import { lines, read } from "../support/lines.ts"
import { call, resultOf, said, sessionNamed, storeInMemory } from "../support/store.ts"

const DOUBT = "The agent was interrupted. This call may have taken effect; look before you repeat it."
const STOPPED =
  "The agent was stopped in the middle of its work here, and has been started again. What it was doing may be half " +
  "done; look how things stand before you go on."

const torn: Entry[] = [userText("go"), said("", [call("a"), call("b"), call("c")]), resultOf("b", "B")]

test("SL-07 a turn killed while calls ran: each call has a result, and the model is told in one line", () => {
  const mended = [...torn, ...repairs({ entries: torn, settled: 0, unread: [] })]
  expect(lines(mended).slice(3)).toEqual([`cancelled: ${DOUBT}`, `cancelled: ${DOUBT}`, `hidden: ${STOPPED}`])
  expect(read(messagesForModel(mended))).toEqual([
    "user: go",
    "model: →work →work →work",
    `tools: ${DOUBT} | B | ${DOUBT}`,
    `user: ${STOPPED}`,
  ])
  expect(mended[3]).toEqual({
    role: "result",
    id: "a",
    name: "work",
    status: "cancelled",
    content: [{ type: "text", text: DOUBT }],
    shown: { title: "work", kind: "other", locations: [], display: [{ type: "text", text: DOUBT }] },
  })
})

test("killed between two steps, nothing is torn, and the model is still told", () => {
  const entries = [userText("go"), said("", [call("a")]), resultOf("a", "A")]
  expect(lines(repairs({ entries, settled: 0, unread: [] }))).toEqual([`hidden: ${STOPPED}`])
})

test("a prompt that was received and not read is there, after what was torn", () => {
  const unread = [userText("first"), userText("second")]
  expect(lines(repairs({ entries: torn, settled: 0, unread }))).toEqual([
    `cancelled: ${DOUBT}`,
    `cancelled: ${DOUBT}`,
    "user: first",
    "user: second",
    `hidden: ${STOPPED}`,
  ])
  expect(lines(repairs({ entries: [], settled: 0, unread }))).toEqual([
    "user: first",
    "user: second",
    `hidden: ${STOPPED}`,
  ])
})

test("a session that had come to rest is left as it is, however its last turn ended", () => {
  const ends: Entry[][] = [
    [],
    [userText("go"), said("done")],
    [userText("go")], // the model failed
    [userText("go"), said("", [call("a")]), { ...resultOf("a", "cancelled"), status: "cancelled" }],
  ]
  for (const entries of ends) expect(repairs({ entries, settled: entries.length, unread: [] })).toEqual([])
})

test("calls that were followed by words are not answered behind them", () => {
  const entries = [...torn, userText("and then?"), said("well")]
  expect(repairs({ entries, settled: entries.length, unread: [] })).toEqual([])
})

test("a repair that is written and settled is not repeated at the next load", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  for (const [seq, entry] of torn.entries()) store.append("s", seq, entry)
  store.receive("s", userText("next"))
  const saved = store.load("s")!
  const mended = repairs(saved)
  store.atomically(() => {
    for (const [at, entry] of mended.entries()) store.append("s", saved.entries.length + at, entry)
    store.settle("s", saved.entries.length + mended.length)
  })
  const again = store.load("s")!
  expect([again.entries.length, again.unread, repairs(again)]).toEqual([7, [], []])
})
