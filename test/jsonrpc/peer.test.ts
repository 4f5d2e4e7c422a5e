import { deepEqual, equal, rejects } from "node:assert/strict"
import { test } from "vitest"
import { RpcError } from "../../src/jsonrpc/message.ts"
import { delta, never, turn, wire } from "./wire.ts"

test("R-008 messages are handled in the order of arrival, and one that waits holds up nothing", async () => {
  const story: string[] = []
  const slow = Promise.withResolvers<string>()
  const line = wire(({ method }) => {
    story.push(method)
    return method === "slow" ? slow.promise : method
  })
  line.say({ id: 1, method: "slow" }, { method: "note" }, { id: 2, method: "quick" })
  deepEqual(await line.lines(1), [{ jsonrpc: "2.0", id: 2, result: "quick" }])
  deepEqual(story, ["slow", "note", "quick"])
  slow.resolve("at last")
  deepEqual((await line.lines(2))[1], { jsonrpc: "2.0", id: 1, result: "at last" })
})

test("what a handler does before it waits is done before the next message is looked at, as is all of one that never waits", async () => {
  const story: string[] = []
  const line = wire(async ({ method }) => {
    story.push(`${method} begins`)
    if (method === "b") return
    await turn()
    story.push(`${method} ends`)
  })
  const quick = wire(({ method, after }, peer) => after(() => peer.notify(`after ${method}`, {})))
  line.say({ id: 1, method: "a" }, { id: 2, method: "b" }, { id: 3, method: "c" })
  quick.say({ id: 1, method: "a" }, { id: 2, method: "b" })
  await line.lines(3)
  deepEqual(story, ["a begins", "b begins", "c begins", "a ends", "c ends"])
  deepEqual(
    (await quick.lines(4)).map(({ id, method }) => method ?? id),
    [1, "after a", 2, "after b"],
  )
})

test("R-010 JR-03 an answer carries the id as it came; nothing to say is null", async () => {
  const line = wire(() => undefined)
  const ids = ['"a"', "0", '""', "null", "12345678901234567891", '"1"', "1", "1.50"]
  line.raw(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"x"}\n`).join(""))
  await line.lines(ids.length)
  deepEqual(
    line.written,
    ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":null}`),
  )
})

test("two requests with the same id are both answered", async () => {
  const line = wire(({ params }) => params)
  line.say({ id: 1, method: "x", params: "a" }, { id: 1, method: "x", params: "b" })
  deepEqual(
    (await line.lines(2)).map(({ id, result }) => [id, result]),
    [
      [1, "a"],
      [1, "b"],
    ],
  )
})

test("JR-11 what is to follow an answer follows it at once, also when another message waits to be handled", async () => {
  const line = wire(async ({ method, after }, peer) => {
    after(() => {
      peer.notify(`commands after ${method}`, {})
    })
    await turn()
    peer.notify(`replay before ${method}`, {})
  })
  line.say({ id: 1, method: "new" })
  await line.lines(3)
  deepEqual(
    line.sent.map(({ id, method }) => method ?? id),
    ["replay before new", 1, "commands after new"],
  )
})

test("nothing follows an answer that is an error; what is said later than the answer is done at once", async () => {
  let late: ((work: () => void) => void) | undefined
  const line = wire(({ method, after }, peer) => {
    after(() => peer.notify("never", {}))
    if (method === "fails") throw new RpcError(-32602, "No")
    late = after
  })
  line.say({ id: 1, method: "fails" })
  await line.lines(1)
  line.say({ id: 2, method: "works" })
  await line.lines(3)
  late?.(() => line.peer.notify("late", {}))
  deepEqual(
    (await line.lines(4)).map(({ id, method }) => method ?? id),
    [1, 2, "never", "late"],
  )
})

test("CX-07 CX-10 the updates of a turn leave before its answer", async () => {
  const line = wire(async (_, peer) => {
    for (let i = 0; i < 200; i++) {
      peer.notify("session/update", delta(`${i} `))
      if (i % 50 === 0) await turn()
    }
    peer.notify("session/update", { sessionId: "s", update: { sessionUpdate: "usage_update" } })
    return { stopReason: "end_turn" }
  })
  const release = line.block()
  line.say({ id: 1, method: "session/prompt" })
  await turn()
  release()
  while (!line.sent.at(-1)?.result) await turn()
  const sent = line.sent
  deepEqual(
    sent.splice(-2).map(({ result, params }) => result?.stopReason ?? params.update.sessionUpdate),
    ["usage_update", "end_turn"],
  )
  const text = sent.map(({ params }) => params.update.content.text).join("")
  equal(text, Array.from({ length: 200 }, (_, i) => `${i} `).join(""))
})

test("errors: ours word for word, others as internal with what they say, and only those are told to the log", async () => {
  const oh = new Error("oh")
  const line = wire(({ method }) => {
    if (method === "ours") throw new RpcError(-32002, "There is no such session", { reason: "not_found" })
    if (method === "later") return Promise.reject(oh)
    if (method === "circular") {
      const result: { self?: object } = {}
      return Object.assign(result, { self: result })
    }
    throw oh
  })
  line.say(
    { id: 1, method: "ours" },
    { id: 2, method: "other" },
    { id: 3, method: "circular" },
    { id: 4, method: "later" },
  )
  const sent = await line.lines(4)
  deepEqual(
    sent.map(({ id, error }) => [id, error.code]),
    [
      [1, -32002],
      [2, -32603],
      [3, -32603],
      [4, -32603],
    ],
  )
  deepEqual(sent[0]?.error, { code: -32002, message: "There is no such session", data: { reason: "not_found" } })
  deepEqual(sent[1]?.error.data, { details: "oh" })
  deepEqual(
    line.errors.map(({ of }) => of),
    ["other", "circular", "later"],
  )
  equal(line.errors[0]?.error, oh)
})

test("JR-07 a notification is never answered, whatever comes of it; its error is told to the log", async () => {
  const line = wire(({ method }) => {
    if (method === "ping") return "pong"
    if (method === "async") return Promise.reject(new Error("async"))
    throw new RpcError(-32601, "No")
  })
  line.say({ method: "unknown" }, { method: "async" }, { method: "$/unknown" }, { id: 1, method: "ping" })
  await line.lines(1)
  await turn()
  deepEqual(line.sent, [{ jsonrpc: "2.0", id: 1, result: "pong" }])
  deepEqual(
    line.errors.map(({ of }) => of),
    ["unknown", "$/unknown", "async"],
  )
})

test("what is no message is answered with an error and no id, and the connection lives on", async () => {
  const line = wire(() => "fine")
  line.raw(
    '42\n{"a"\n[]\n[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"a"}]\n\n{}\n{"jsonrpc":"2.0","id":9}\n',
  )
  line.say({ id: 1, method: "x", type: "request" })
  const sent = await line.lines(7)
  const codes = sent.map(({ id, error, result }) => [id, error?.code ?? result])
  deepEqual(codes, [
    [null, -32600],
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [1, "fine"],
  ])
})

test("a message over the limit is refused by name, whatever its cuts, and the connection lives on", async () => {
  const line = wire(() => "fine")
  line.raw('{"jsonrpc":"2.0","id":1,"method":"x","params":"')
  const megabyte = new Uint8Array(1024 * 1024).fill(65)
  for (let i = 0; i < 33; i++) line.bytes(megabyte)
  line.raw('"}\n')
  line.say({ id: 2, method: "x" })
  const [refused, answered] = await line.lines(2)
  deepEqual([refused?.id, refused?.error.code], [null, -32600])
  equal(/longer than 33554432 bytes/.test(refused?.error.message), true)
  deepEqual(answered, { jsonrpc: "2.0", id: 2, result: "fine" })
})

test("JR-15 $/cancel_request aborts the signal: a result given on purpose is sent, all else is -32800; unknown ids are no mistake", async () => {
  const line = wire(({ method, signal }) => {
    const end = Promise.withResolvers<string>()
    signal.addEventListener("abort", () =>
      method === "polite" ? end.resolve("cancelled") : end.reject(new Error("torn")),
    )
    return end.promise
  })
  line.say({ id: 1, method: "polite" }, { id: "1", method: "rude" })
  line.say(
    { method: "$/cancel_request", params: { requestId: "1" } },
    { method: "$/cancel_request", params: { requestId: 99 } },
  )
  line.say({ method: "$/cancel_request", params: null })
  const [rude] = await line.lines(1)
  deepEqual([rude?.id, rude?.error.code, rude?.error.data.reason], ["1", -32800, "cancelled"])
  line.say({ method: "$/cancel_request", params: { requestId: 1 } })
  deepEqual((await line.lines(2))[1], { jsonrpc: "2.0", id: 1, result: "cancelled" })
  line.say({ method: "$/cancel_request", params: { requestId: 1 } }, { id: 2, method: 2 })
  await line.lines(3)
  deepEqual(line.errors, [])
})

test("our own requests have whole numbers that grow as ids; an answer finds its request, also as an error", async () => {
  const line = wire(() => null)
  const asked = [1, 2, 3].map((n) => line.peer.request("ask", { n }, never))
  deepEqual(
    (await line.lines(3)).map(({ id, params }) => [id, params.n]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
  const refused = rejects(asked[1]!, new RpcError(-32000, "No", { reason: "busy" }))
  line.say({ id: 3, result: "three" }, { id: 2, error: { code: -32000, message: "No", data: { reason: "busy" } } })
  line.say(
    { id: "1", result: "not it" },
    { id: 99, result: "nor this" },
    { id: null, error: { code: 1, message: "" } },
    { id: 1 },
  )
  deepEqual([await asked[0], await asked[2]], [undefined, "three"])
  await refused
})

test("a request whose signal aborts is withdrawn at once, and a late answer is ignored", async () => {
  const line = wire(() => "fine")
  const stop = new AbortController()
  const reason = new Error("never mind")
  const asked = line.peer.request("ask", {}, stop.signal)
  await line.lines(1)
  stop.abort(reason)
  await rejects(asked, reason)
  await rejects(line.peer.request("ask", {}, stop.signal), reason)
  line.say({ id: 1, result: "yes" }, { id: 7, method: "x" })
  const sent = await line.lines(3)
  deepEqual(sent[1], { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } })
  deepEqual(sent[2], { jsonrpc: "2.0", id: 7, result: "fine" })
})

test("however much there is to read, timers have their turn", async () => {
  let handled = 0
  const line = wire(() => void handled++)
  const note = `${JSON.stringify({ jsonrpc: "2.0", method: "note", params: "x".repeat(100) })}\n`.repeat(1000)
  for (let i = 0; i < 300; i++) line.raw(note)
  let first = 0
  setTimeout(() => (first = handled), 0)
  while (handled < 300_000) await turn()
  equal(first > 0 && first < 300_000, true)
})

test("the traffic can be watched, line by line as it is on the wire", async () => {
  const traffic: [string, string][] = []
  const line = wire(({ params }, peer) => void peer.notify("n", params), {
    tap: (direction, text) => void traffic.push([direction, text]),
  })
  line.raw('{"jsonrpc":"2.0", "id":1,"method":"x","params":"two\\nlines"}\r\n\n{bad\n')
  await line.lines(3)
  deepEqual(
    traffic.map(([direction]) => direction),
    ["in", "in", "out", "out", "out"],
  )
  deepEqual(
    traffic.slice(0, 2).map(([, text]) => text),
    ['{"jsonrpc":"2.0", "id":1,"method":"x","params":"two\\nlines"}', "{bad"],
  )
  deepEqual(
    traffic.slice(2).map(([, text]) => text),
    line.written,
  )
})
