import { expect, test } from "vitest"
import { createLocks } from "../../src/workspace/locks.ts"
import { NEVER } from "../support/editing.ts"

test("a lock is held by one at a time, in the order in which it was asked for", async () => {
  const locks = createLocks()
  const story: string[] = []
  const work = async (name: string) => {
    const release = await locks.hold(["a"], NEVER)
    story.push(`${name} begins`)
    await Promise.resolve()
    story.push(`${name} ends`)
    release()
  }
  await Promise.all(["first", "second", "third"].map(work))
  expect(story).toEqual(["first begins", "first ends", "second begins", "second ends", "third begins", "third ends"])
})

test("those who want the same several locks in other orders do not wait for each other for ever", async () => {
  const locks = createLocks()
  const take = async (keys: string[]) => (await locks.hold(keys, NEVER))()
  await Promise.all(
    [
      ["a", "b"],
      ["b", "a"],
      ["b", "c", "a"],
      ["c", "b", "b"],
    ].map(take),
  )
})

test("a wait that is aborted holds nothing, and those behind it come to their turn", async () => {
  const locks = createLocks()
  const release = await locks.hold(["b"], NEVER)
  const turn = new AbortController()
  const waiting = locks.hold(["a", "b"], turn.signal)
  const behind = locks.hold(["b"], NEVER)
  turn.abort(new Error("cancelled"))
  await expect(waiting).rejects.toThrow("cancelled")
  ;(await locks.hold(["a"], NEVER))()
  release()
  ;(await behind)()
})
