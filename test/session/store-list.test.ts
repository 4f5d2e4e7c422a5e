import { expect, test } from "vitest"
import { hiddenText, userText } from "../../src/agent/message.ts"
import type { Listed } from "../../src/session/saved.ts"
import type { ListQuery, Store } from "../../src/session/store.ts"
import { said, sessionNamed, storeInMemory } from "../support/store.ts"

/** A clock that stands still for every ten readings. */
function slowClock(): () => number {
  let readings = 0
  return () => 1_700_000_000_000 + Math.floor(readings++ / 10)
}

/** All pages, one after another. */
function allPages(store: Store, query: Omit<ListQuery, "cursor">): Listed[][] {
  const pages: Listed[][] = []
  for (let cursor: string | undefined; ; ) {
    const { sessions, next } = store.list({ ...query, ...(cursor && { cursor }) })
    pages.push([...sessions])
    if (next === undefined) return pages
    cursor = next
  }
}

test("SL-11 of 1,200 sessions each is listed once, the last that was spoken to first", async () => {
  const { store } = await storeInMemory(slowClock())
  const ids = Array.from({ length: 1200 }, (_, at) => `s${at}`)
  store.atomically(() => {
    for (const id of ids) {
      const folder = Number(id.slice(1)) % 3 === 0 ? "/third" : "/rest"
      store.create(sessionNamed(id, { folder, title: `Title of ${id}` }))
      store.receive(id, userText("hi"))
    }
    store.settle("s7", 0)
  })
  const pages = allPages(store, { limit: 50 })
  const listed = pages.flat()
  expect([pages.length, new Set(pages.map(({ length }) => length))]).toEqual([24, new Set([50])])
  expect(listed.map(({ id }) => id).sort()).toEqual(ids.toSorted())
  expect(listed.map(({ updated }) => updated)).toEqual(listed.map(({ updated }) => updated).toSorted((a, b) => b - a))
  expect(listed[0]).toEqual({
    id: "s7",
    cwd: "/project",
    roots: ["/project"],
    title: "Title of s7",
    updated: 1_700_000_000_240,
  })
  const third = allPages(store, { limit: 150, folder: "/third" })
  expect(third.map((page) => page.length)).toEqual([150, 150, 100])
  expect(new Set(third.flat().map(({ id }) => Number(id.slice(1)) % 3))).toEqual(new Set([0]))
})

test("SL-11 sessions in which the user said nothing are hidden, and so are subagents'", async () => {
  const { store } = await storeInMemory()
  for (const id of ["silent", "hidden", "answered", "received", "read"]) store.create(sessionNamed(id))
  store.create(sessionNamed("task", { parent: "read" }))
  store.append("task", 0, userText("dig"))
  store.append("hidden", 0, hiddenText("the file changed"))
  store.append("answered", 0, said("hello"))
  store.receive("received", userText("hi"))
  store.append("read", 0, userText("hi"))
  const ids = () => new Set(store.list({ limit: 10 }).sessions.map(({ id }) => id))
  expect(ids()).toEqual(new Set(["received", "read"]))
  store.create(sessionNamed("fork"))
  store.copy("read", "fork", 0)
  expect(ids()).toEqual(new Set(["received", "read"]))
  store.copy("read", "fork", 1)
  expect(ids()).toEqual(new Set(["received", "read", "fork"]))
})

test("turning a dial does not bring a session to the front", async () => {
  let now = 0
  const { store } = await storeInMemory(() => ++now)
  for (const id of ["a", "b"]) {
    store.create(sessionNamed(id))
    store.receive(id, userText("hi"))
  }
  store.change("a", { mode: "ask" })
  store.claim("a")
  expect(store.list({ limit: 10 }).sessions.map(({ id }) => id)).toEqual(["b", "a"])
})

test("a cursor of somebody else's is refused in words", async () => {
  const { store } = await storeInMemory()
  const refused = { code: "bad_cursor", message: expect.stringContaining('"page 2"') }
  expect(() => store.list({ cursor: "page 2", limit: 10 })).toThrow(expect.objectContaining(refused))
})
