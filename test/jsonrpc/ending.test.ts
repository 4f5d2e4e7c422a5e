import { deepEqual, equal, rejects } from "node:assert/strict"
import { afterEach, test, vi } from "vitest"
import { never, turn, wire } from "./wire.ts"

afterEach(() => {
  vi.useRealTimers()
})

test("JR-06 at the end of input every signal aborts, and what is answered then still leaves before `closed`", async () => {
  const line = wire(async ({ signal }) => {
    const aborted = Promise.withResolvers<void>()
    signal.addEventListener("abort", () => aborted.resolve())
    await aborted.promise
    await turn()
    return { stopReason: "cancelled" }
  })
  line.say({ id: 1, method: "session/prompt" }, { id: 2, method: "session/prompt" })
  await turn()
  line.hangUp()
  await line.peer.closed
  deepEqual(
    line.sent.map(({ id, result }) => [id, result.stopReason]),
    [
      [1, "cancelled"],
      [2, "cancelled"],
    ],
  )
})

test("a last line without a newline is handled and answered", async () => {
  const line = wire(() => "fine")
  line.raw('{"jsonrpc":"2.0","id":1,"method":"x"}')
  line.hangUp()
  await line.peer.closed
  deepEqual(line.sent, [{ jsonrpc: "2.0", id: 1, result: "fine" }])
})

test("a handler that does not end, or an output that takes nothing, delays `closed` for the grace and no longer", async () => {
  vi.useFakeTimers()
  const deaf = wire(() => new Promise(() => {}))
  const full = wire(() => "fine")
  const release = full.block()
  deaf.say({ id: 1, method: "x" })
  full.say({ id: 1, method: "x" })
  await vi.advanceTimersByTimeAsync(1)
  const story: string[] = []
  for (const { peer, hangUp } of [deaf, full]) {
    hangUp()
    void peer.closed.then(() => story.push("closed"))
  }
  await vi.advanceTimersByTimeAsync(1990)
  deepEqual(story, [])
  await vi.advanceTimersByTimeAsync(20)
  deepEqual(story, ["closed", "closed"])
  release()
})

test("when the other side goes, handlers are told before what they asked is rejected, and nothing more can be asked", async () => {
  const story: string[] = []
  const line = wire(async ({ signal }, peer) => {
    signal.addEventListener("abort", () => story.push("told"))
    await peer.request("permission", {}, never).catch((error: Error) => story.push(error.message))
  })
  line.say({ id: 1, method: "x" })
  await line.lines(1)
  line.hangUp()
  await line.peer.closed
  deepEqual(story, ["told", "The connection is closed"])
  await rejects(line.peer.request("ask", {}, never), /closed/)
})

test("what we asked is not withdrawn from a side that has gone", async () => {
  const line = wire(({ signal }, peer) => peer.request("permission", {}, signal))
  line.say({ id: 1, method: "x" })
  await line.lines(1)
  line.hangUp()
  await line.peer.closed
  deepEqual(
    line.sent.map(({ method, error }) => method ?? error.code),
    ["permission", -32800],
  )
})

test("an output that breaks, even when nothing is written, ends the connection at once", async () => {
  const line = wire(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  )
  const asked = rejects(line.peer.request("ask", {}, never), /closed/)
  line.say({ id: 1, method: "x" })
  await line.lines(1)
  line.breakOutput(new Error("EPIPE"))
  await Promise.all([asked, line.peer.closed])
  line.peer.notify("into the void", {})
  await turn()
  equal(line.written.length, 1)
})

test("a write that fails ends the connection, and is told to the log once", async () => {
  const line = wire(() => "x".repeat(10))
  const epipe = new Error("EPIPE")
  const release = line.block()
  line.say({ id: 1, method: "x" })
  await turn()
  line.breakOutput(epipe)
  release()
  await line.peer.closed
  equal(line.errors.length <= 1, true)
  equal(
    line.errors.every(({ error, of }) => error === epipe && of === "output"),
    true,
  )
})

test("an input that breaks ends the connection like one that ends, and is told to the log", async () => {
  const line = wire(() => "fine")
  const torn = new Error("torn")
  line.say({ id: 1, method: "x" })
  await line.lines(1)
  line.tear(torn)
  await line.peer.closed
  deepEqual(line.errors, [{ error: torn, of: "input" }])
})

test("we can end the connection ourselves: what was said leaves, and nothing more is handled", async () => {
  const handled: unknown[] = []
  const line = wire(({ params }) => void handled.push(params))
  line.say({ method: "x", params: 1 })
  await turn()
  line.peer.notify("goodbye", {})
  line.peer.close()
  line.peer.close()
  await line.peer.closed
  deepEqual([handled, line.sent.map(({ method }) => method)], [[1], ["goodbye"]])
})
