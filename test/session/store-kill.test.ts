import { expect, test } from "vitest"
import type { Saved } from "../../src/session/saved.ts"
import { databaseIn, newFolder, startScript, storeIn } from "../support/store.ts"

/** How many writers are killed, one after another. */
const KILLS = 10
/** Beyond this many writes there is nothing new. */
const WRITES = 400

/** Starts a writer, kills it when it has acknowledged so many writes, and returns the last that it acknowledged. */
async function killAfter(writes: number, folder: string, id: string): Promise<string> {
  const child = startScript("store-writer.ts", folder, id)
  let heard = ""
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    heard += text
    if (heard.split("\n").length > writes) child.kill("SIGKILL")
  })
  await new Promise((resolve) => child.on("close", resolve))
  return heard.slice(0, heard.lastIndexOf("\n")).split("\n").at(-1)!
}

/** Entries, whole entries and messages, as the writer tells them. */
function countOf({ entries, whole, unread }: Saved): string {
  return `${entries.length} ${whole} ${unread.length}`
}

/** What the writer may have written when it had acknowledged this: that, or one write more. */
function afterwards(acknowledged: string): string[] {
  const [entries = 0, whole = 0, unread = 0] = acknowledged.split(" ").map(Number)
  if (unread > 0) return [acknowledged, `${entries + 1} ${whole} 0`]
  return [acknowledged, entries > whole ? `${entries} ${entries} 0` : `${entries} ${whole} 1`]
}

test(`kill -9, ${KILLS} times at any moment: all that was acknowledged is there, and nothing is torn`, async () => {
  const folder = await newFolder()
  for (let at = 0; at < KILLS; at++) {
    const id = `s${at}`
    const acknowledged = await killAfter(1 + Math.floor(Math.random() * WRITES), folder, id)
    const store = await storeIn(folder)
    const saved = store.load(id)!
    expect(afterwards(acknowledged)).toContain(countOf(saved))
    expect(saved.damaged).toEqual([])
    store.claim(id)
    store.settle(id, saved.entries.length)
    store.close()
  }
  const db = await databaseIn(folder)
  expect(db.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }])
  expect(db.all("SELECT count(*) AS sessions FROM session")).toEqual([{ sessions: KILLS }])
})

test("processes that begin at once share one new store", async () => {
  const folder = await newFolder()
  const ids = ["a", "b", "c", "d"]
  const codes = await Promise.all(
    ids.map(async (id) => {
      const child = startScript("store-writer.ts", folder, id, "200")
      child.stdout!.resume()
      return await new Promise((resolve) => child.on("close", resolve))
    }),
  )
  expect(codes).toEqual([0, 0, 0, 0])
  const store = await storeIn(folder)
  expect(ids.map((id) => countOf(store.load(id)!))).toEqual(ids.map(() => "200 200 0"))
})
