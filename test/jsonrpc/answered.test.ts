import { deepEqual } from "node:assert/strict"
import { test } from "vitest"
import { turn, wire } from "./wire.ts"

test("what is to begin when a client has its answers waits for all that it has asked by then, and for no more", async () => {
  const story: string[] = []
  const work = new Map(["a", "b", "c"].map((name) => [name, Promise.withResolvers<void>()]))
  const line = wire(async ({ method }, peer) => {
    if (method === "look") {
      void peer.answered().then(() => story.push("all is answered"))
      return
    }
    await work.get(method)?.promise
    story.push(method)
  })

  line.say({ id: 1, method: "a" }, { id: 2, method: "b" }, { method: "look" }, { id: 3, method: "c" })
  work.get("b")?.resolve()
  await line.lines(1)
  await turn()
  deepEqual(story, ["b"])
  work.get("a")?.resolve()
  await line.lines(2)
  await turn()
  deepEqual(story, ["b", "a", "all is answered"])
  work.get("c")?.resolve()
  await line.lines(3)
})
