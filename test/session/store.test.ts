import { readFile, stat, writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { hiddenText, userText } from "../../src/agent/message.ts"
import type { Store } from "../../src/session/store.ts"
import { lines } from "../support/lines.ts"
import { databaseIn, newFolder, said, sessionNamed, storeIn, storeInMemory } from "../support/store.ts"

/** Says these texts, by turns as the user and as the model, each its own step. */
function talk(store: Store, id: string, ...texts: string[]) {
  const from = store.load(id)!.entries.length
  for (const [at, text] of texts.entries()) {
    const seq = from + at
    const label = `label-${text}`
    store.append(id, seq, seq % 2 === 0 ? userText(text, label) : said(text))
    store.checkpoint(id, seq + 1)
  }
}

test("R-051 a session comes back as it was left", async () => {
  const folder = await newFolder()
  const before = await storeIn(folder)
  const asked = {
    system: { mode: "override", text: "You are a pirate" },
    coreTools: ["read_file"],
    excludeTools: ["replace"],
    allowedSkills: [],
  } as const
  before.create(sessionNamed("s", { cwd: "/link", roots: ["/link", "/other"], asked }))
  const question = userText("why \0 \ud800?", "first")
  const answer = said("because")
  before.receive("s", question)
  before.append("s", 0, question)
  before.append("s", 1, answer)
  before.settle("s", 2)
  const plan = { entries: [{ content: "look", status: "pending", priority: "high" }] } as const
  before.change("s", { mode: "plan", title: "Why?", plan, efforts: new Map([["m", "high"]]) })
  before.change("s", { model: "m2" })
  before.close()

  const { created, updated, ...saved } = (await storeIn(folder)).load("s")!
  expect(created).toBeLessThanOrEqual(updated)
  expect(saved).toEqual({
    id: "s",
    cwd: "/link",
    folder: "/project",
    roots: ["/link", "/other"],
    title: "Why?",
    mode: "plan",
    model: "m2",
    efforts: new Map([["m", "high"]]),
    asked,
    plan,
    whole: 2,
    settled: 2,
    entries: [question, answer],
    unread: [],
    damaged: [],
  })
})

test("R-143 nothing that is kept has a place for the access policy, or for servers and their keys", async () => {
  const { db } = await storeInMemory()
  const columns = db.all<{ name: string }>("SELECT name FROM pragma_table_info('session') ORDER BY cid")
  expect(columns.map(({ name }) => name)).toEqual([
    "id",
    "parent",
    "owner",
    "cwd",
    "folder",
    "roots",
    "title",
    "mode",
    "model",
    "efforts",
    "asked",
    "plan",
    "said",
    "whole",
    "settled",
    "created",
    "updated",
  ])
})

test.skipIf(process.platform === "win32")("the folder and all that is in it are the user's alone", async () => {
  const folder = await newFolder()
  const store = await storeIn(folder)
  store.create(sessionNamed("s"))
  const names = ["", "/sessions.sqlite", "/sessions.sqlite-wal", "/sessions.sqlite-shm"]
  const modes = await Promise.all(names.map(async (name) => ((await stat(folder + name)).mode & 0o777).toString(8)))
  expect(modes).toEqual(["700", "600", "600", "600"])
})

test("a message that was received waits until it is read or forgotten, in the order of its arrival", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  store.create(sessionNamed("other"))
  const [one, two, three] = [userText("one"), userText("two"), userText("three")]
  for (const message of [one, two, three, one]) store.receive("s", message) // a client may name two messages alike
  store.receive("other", one)
  store.append("s", 0, { ...one, content: [...one.content, { type: "text", text: "what it refers to" }] })
  store.forget("s", two)
  expect(store.unread("s")).toEqual([three, one])
  expect(store.unread("other")).toEqual([one])
})

test("an entry that can't be written leaves nothing, and neither does what belongs to it", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  store.append("s", 0, userText("a"))
  expect(() =>
    store.atomically(() => {
      store.change("s", { title: "never" })
      store.append("s", 1, said("never"))
      store.append("s", 0, said("in a place that is taken"))
    }),
  ).toThrow()
  const { entries, title } = store.load("s")!
  expect([lines(entries), title]).toEqual([["user: a"], undefined])
})

test("the last process to claim a session owns it; the one before writes no more, and learns it at its next write", async () => {
  const folder = await newFolder()
  const [first, second] = [await storeIn(folder), await storeIn(folder)]
  for (const id of ["s", "other"]) first.create(sessionNamed(id))
  first.create(sessionNamed("task", { parent: "s" }))
  talk(first, "s", "a")
  second.claim("s")
  const taken = { name: "StoreError", code: "taken_over", message: expect.stringContaining('Session "s"') }
  expect(() => first.append("s", 1, said("b"))).toThrow(expect.objectContaining(taken))
  expect(() => first.receive("s", userText("b"))).toThrow(expect.objectContaining(taken))
  expect(() => first.settle("s", 1)).toThrow(expect.objectContaining(taken))
  expect(() => first.change("s", { mode: "ask" })).toThrow(expect.objectContaining(taken))
  expect(() => first.create(sessionNamed("task2", { parent: "s" }))).toThrow(expect.objectContaining(taken))
  expect(() => first.append("task", 0, said("b"))).toThrow(expect.objectContaining({ code: "taken_over" }))
  first.append("other", 0, userText("mine"))
  second.append("s", 1, said("mine"))
  second.append("task", 0, said("mine too"))
  expect(lines(first.load("s")!.entries)).toEqual(["user: a", "model: mine"])
  first.claim("s") // and back
  first.append("s", 2, userText("again"))
  expect(() => second.checkpoint("s", 3)).toThrow(expect.objectContaining(taken))
})

test("a session that is deleted is gone with its subagents; who still had it open is told", async () => {
  const folder = await newFolder()
  const [first, second] = [await storeIn(folder), await storeIn(folder)]
  for (const id of ["s", "other"]) {
    first.create(sessionNamed(id))
    talk(first, id, "a")
  }
  first.create(sessionNamed("task", { parent: "s" }))
  first.append("task", 0, said("found"))
  first.tasks.save("s", { id: "task", snapshot: "{}", role: "{}" })
  first.tasks.saveDelivery("s", { id: "d", task: "task", text: "found", state: "waiting" })
  expect([second.delete("task"), second.delete("s"), second.delete("s")]).toEqual([false, true, false])
  expect(() => first.append("s", 1, said("b"))).toThrow(expect.objectContaining({ code: "deleted" }))
  const db = await databaseIn(folder)
  const left = ["session", "entry", "task", "delivery"].map(
    (table) => db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n,
  )
  expect(left).toEqual([1, 1, 0, 0])
})

test("R-045 a fork has all that was said before the labelled message, and lives on its own", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  talk(store, "s", "a", "b", "c", "d")
  const at = store.branchPoint("s", "label-c")!
  store.atomically(() => {
    store.create(sessionNamed("fork", { title: "Fork" }))
    store.copy("s", "fork", at)
  })
  talk(store, "fork", "e")
  talk(store, "s", "f")
  const { entries, whole, settled } = store.load("fork")!
  expect([lines(entries), whole, settled]).toEqual([["user: a", "model: b", "user: e"], 3, 2])
  expect(lines(store.load("s")!.entries)).toEqual(["user: a", "model: b", "user: c", "model: d", "user: f"])
  expect(store.branchPoint("fork", "label-a")).toBe(0) // labels are copied, R-059
})

test("R-047 a label that names nothing is no boundary; one used twice names its latest message", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  for (const seq of [0, 1, 2]) store.append("s", seq, userText("again", seq === 1 ? "b\0" : "a"))
  store.receive("s", userText("not read yet", "c"))
  store.checkpoint("s", 3)
  const labels = ["a", "b\0", "b", "c", "none"]
  expect(labels.map((label) => store.branchPoint("s", label))).toEqual([2, 1, undefined, undefined, undefined])
  expect([store.branchPoint("s"), store.branchPoint("none")]).toEqual([3, undefined])
})

test("a fork takes nothing past the last whole step, and changing a dial makes no step whole", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  talk(store, "s", "a", "b")
  store.append("s", 2, userText("c", "here"))
  store.append("s", 3, userText("d", "late"))
  store.change("s", { mode: "debug" })
  expect([store.branchPoint("s", "here"), store.branchPoint("s", "late"), store.branchPoint("s")]).toEqual([2, 2, 2])
})

test("a subagent's session is found by its parent, and by nobody else", async () => {
  const { store } = await storeInMemory()
  store.create(sessionNamed("s"))
  store.create(sessionNamed("task", { parent: "s" }))
  store.append("task", 0, hiddenText("dig"))
  const others = [store.find("task"), store.load("task"), store.load("task", "other")]
  expect(others).toEqual([undefined, undefined, undefined])
  expect(lines(store.load("task", "s")!.entries)).toEqual(["hidden: dig"])
})

test("tasks and deliveries keep their places while they change; what was answered is not delivered again", async () => {
  const { store } = await storeInMemory()
  for (const id of ["s", "other"]) store.create(sessionNamed(id))
  const [one, two] = ["t1", "t2"].map((id) => ({ id, snapshot: `{"status":"running"}`, role: "{}" }))
  for (const task of [one!, two!]) store.tasks.save("s", task)
  const done = { ...one!, snapshot: `{"status":"completed"}` }
  store.tasks.save("s", done)
  expect([store.tasks.of("s"), store.tasks.of("other")]).toEqual([[done, two], []])

  const deliveries = ["d1", "d2", "d3"].map((id) => ({ id, task: "t1", text: id, state: "waiting" as const }))
  for (const delivery of deliveries) store.tasks.saveDelivery("s", delivery)
  store.tasks.saveDelivery("s", { ...deliveries[0]!, state: "handed" })
  store.tasks.saveDelivery("s", { ...deliveries[1]!, state: "confirmed" })
  expect(store.tasks.deliveriesOf("s")).toEqual([{ ...deliveries[0], state: "handed" }, deliveries[2]])
})

test("a full disk is told in words; nothing is half written, and all goes on when there is room", async () => {
  const { store, db } = await storeInMemory()
  store.create(sessionNamed("s"))
  talk(store, "s", "a")
  const long = userText("x".repeat(100_000))
  const short = userText("short")
  const [{ page_count: pages } = { page_count: 0 }] = db.all<{ page_count: number }>("PRAGMA page_count")
  db.run(`PRAGMA max_page_count = ${pages + 5}`)
  const full = expect.objectContaining({ code: "full", message: expect.stringMatching(/disk.*full.*make room/) })
  expect(() => store.receive("s", long)).toThrow(full)
  expect(() => store.append("s", 1, long)).toThrow(full)
  expect([lines(store.load("s")!.entries), store.unread("s")]).toEqual([["user: a"], []])
  db.run("PRAGMA max_page_count = 1000000")
  store.receive("s", short)
  store.append("s", 1, short)
  expect(lines(store.load("s")!.entries)).toEqual(["user: a", "user: short"])
})

test("a file that is no database is left alone, and its name told", async () => {
  const folder = await newFolder()
  ;(await storeIn(folder)).close()
  const path = `${folder}/sessions.sqlite`
  await writeFile(path, "these are my notes, and they are longer than the header of a database would be. ".repeat(20))
  const before = await readFile(path, "utf8")
  await expect(storeIn(folder)).rejects.toThrow(
    expect.objectContaining({ code: "damaged", message: expect.stringContaining(path) }),
  )
  expect(await readFile(path, "utf8")).toBe(before)
})

test("a folder that can't be made is told by its name", async () => {
  const folder = await newFolder()
  await writeFile(folder, "a file stands here")
  await expect(storeIn(folder)).rejects.toThrow(folder)
})
