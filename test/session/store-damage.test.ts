import { expect, test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"
import type { Store } from "../../src/session/store.ts"
import { lines, read } from "../support/lines.ts"
import { call, resultOf, said, sessionNamed, storeInMemory } from "../support/store.ts"

/** A session of two turns, with two calls in the first. */
async function sessionToDamage() {
  const { store, db } = await storeInMemory()
  for (const id of ["s", "other"]) {
    store.create(sessionNamed(id))
    const entries = [
      userText("go", "go"),
      said("", [call("a"), call("b")]),
      resultOf("b", "B"),
      resultOf("a", "A"),
      said("done"),
      userText("thanks"),
    ]
    for (const [seq, entry] of entries.entries()) store.append(id, seq, entry)
    store.settle(id, entries.length)
  }
  const damage = (seq: number, json: string) =>
    db.run("UPDATE entry SET json = ? WHERE session = 's' AND seq = ?", json, seq)
  return { store, db, damage }
}

function whatIsLeft(store: Store) {
  const { entries, damaged } = store.load("s")!
  return { lines: lines(entries), modelReads: read(messagesForModel(entries)), damaged }
}

test("a message that is damaged says so in its place, and the rest of the session is there", async () => {
  const { store, damage } = await sessionToDamage()
  damage(0, '{"role":"user","id":"x","cont')
  damage(4, '{"role":"assistant","id":"x","content":"no list"}')
  const words = "A part of the conversation stood here that was damaged and can't be read."
  expect(whatIsLeft(store)).toEqual({
    lines: [`hidden: ${words}`, "model: →work →work", "ok: B", "ok: A", `hidden: ${words}`, "user: thanks"],
    modelReads: [`user: ${words}`, "model: →work →work", "tools: A | B", `user: ${words}`, "user: thanks"],
    damaged: [0, 4],
  })
  expect(store.branchPoint("s", "go")).toBe(0)
})

test("a result that is damaged takes no other result with it, and the model is told to doubt that call alone", async () => {
  const { store, damage } = await sessionToDamage()
  damage(2, "null")
  const left = whatIsLeft(store)
  expect(left.damaged).toEqual([2])
  expect(left.lines[2]).toBe("failed: What this call brought was damaged and can't be read.")
  expect(left.modelReads[2]).toMatch(/^tools: A \| The agent was interrupted/)
})

test("a reply that is damaged loses its calls, and what the model reads is valid", async () => {
  const { store, damage } = await sessionToDamage()
  damage(1, "")
  expect(whatIsLeft(store).modelReads).toEqual([
    "user: go",
    "user: A part of the conversation stood here that was damaged and can't be read.",
    "model: done",
    "user: thanks",
  ])
})

test("entries that are gone keep their places, so that what is said next has one of its own", async () => {
  const { store, db } = await sessionToDamage()
  db.run("DELETE FROM entry WHERE session = 's' AND seq IN (4, 0)")
  const { entries, damaged } = store.load("s")!
  expect(damaged).toEqual([0, 4])
  store.append("s", entries.length, said("welcome"))
  expect(lines(store.load("s")!.entries).slice(-2)).toEqual(["user: thanks", "model: welcome"])
})

test("other sessions are untouched by a damaged one, and so is the list", async () => {
  const { store, db, damage } = await sessionToDamage()
  for (const seq of [0, 1, 2, 3, 4, 5]) damage(seq, "\u0001")
  db.run("UPDATE session SET roots = 'x', plan = 'x', efforts = '[' WHERE id = 's'")
  const other = store.load("other")!
  expect([other.damaged, lines(other.entries).at(-1)]).toEqual([[], "user: thanks"])
  expect(store.list({ limit: 10 }).sessions.map(({ id, roots }) => [id, roots])).toEqual(
    expect.arrayContaining([
      ["s", ["/project"]],
      ["other", ["/project"]],
    ]),
  )
  const { damaged, plan, efforts } = store.load("s")!
  expect([damaged, plan, efforts]).toEqual([[0, 1, 2, 3, 4, 5], { entries: [] }, new Map()])
})

test.each([
  ["asked", "{"],
  ["mode", "plam"],
])("a session whose limits can't be read (%s) is not opened with fewer", async (column, value) => {
  const { store, db } = await sessionToDamage()
  db.run(`UPDATE session SET ${column} = ? WHERE id = 's'`, value)
  const damaged = { code: "damaged", message: expect.stringContaining('Session "s" is damaged') }
  expect(() => store.load("s")).toThrow(expect.objectContaining(damaged))
  expect(store.load("other")!.id).toBe("other")
})

test("a message that was received and is damaged says so, and can still be read and forgotten", async () => {
  const { store, db } = await sessionToDamage()
  const message = userText("lost")
  store.receive("s", message)
  db.run("UPDATE unread SET json = '{' WHERE session = ?", "s")
  const [found] = store.unread("s")
  expect(lines([found!])).toEqual(["user: (A message that was damaged and can't be read.)"])
  store.append("s", 6, found!)
  expect(store.unread("s")).toEqual([])
})
