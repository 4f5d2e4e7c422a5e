import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import { migrate, STEPS } from "../../src/session/schema.ts"
import { databaseIn, newFolder, sessionNamed, storeIn, storeInMemory } from "../support/store.ts"

const version = { user_version: STEPS.length }

test("what a newer koda wrote is refused in words, and left as it is", async () => {
  const folder = await newFolder()
  const store = await storeIn(folder)
  store.create(sessionNamed("s"))
  store.close()
  const newer = await databaseIn(folder)
  newer.run(`PRAGMA user_version = ${STEPS.length + 1}`)
  newer.close()
  const path = `${folder}/sessions.sqlite`
  const before = await readFile(path)
  await expect(storeIn(folder)).rejects.toThrow(
    expect.objectContaining({
      code: "newer",
      message:
        `"${path}" was written by a newer koda (version ${STEPS.length + 1}, and this one knows ${STEPS.length}); ` +
        "update koda, or keep its sessions in another folder. Nothing was changed",
    }),
  )
  expect(before.equals(await readFile(path))).toBe(true)
})

test("an older store takes every step to the present, once, and keeps what is in it", async () => {
  const { store, db } = await storeInMemory()
  store.create(sessionNamed("s"))
  store.append("s", 0, userText("kept"))
  const steps = [
    ...STEPS,
    "ALTER TABLE session ADD COLUMN colour TEXT",
    "UPDATE session SET colour = 'red'; CREATE TABLE t (a)",
  ]
  migrate(db, "here", steps)
  migrate(db, "here", steps)
  expect(db.all("SELECT id, colour FROM session")).toEqual([{ id: "s", colour: "red" }])
  expect(db.all("PRAGMA user_version")).toEqual([{ user_version: STEPS.length + 2 }])
  expect(store.load("s")!.entries).toHaveLength(1)
})

test("a step that fails leaves the store at the version before it", async () => {
  const { store, db } = await storeInMemory()
  store.create(sessionNamed("s"))
  const steps = [...STEPS, "CREATE TABLE half (a); CREATE TABLE half (b)"]
  expect(() => migrate(db, "here", steps)).toThrow()
  expect(db.all("PRAGMA user_version")).toEqual([version])
  expect(db.all("SELECT name FROM sqlite_master WHERE name = 'half'")).toEqual([])
  store.append("s", 0, userText("all is well"))
})
