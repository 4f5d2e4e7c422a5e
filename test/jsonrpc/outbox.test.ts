import { deepEqual, equal } from "node:assert/strict"
import fc from "fast-check"
import { test } from "vitest"
import { delta, type Sent, turn, wire } from "./wire.ts"

const textOf = (sent: Sent[]) => sent.map(({ params }) => params?.update?.content?.text ?? "").join("")

test("adjacent text deltas are merged while the output is blocked, and nothing else is", async () => {
  const line = wire(() => null)
  const release = line.block()
  line.peer.notify("first", {})
  await turn()
  for (const text of ["a", "b", "c"]) line.peer.notify("session/update", delta(text))
  line.peer.notify("session/update", delta("hm", "agent_thought_chunk"))
  line.peer.notify("between", {})
  for (let i = 0; i < 1000; i++) line.peer.notify("session/update", delta("x"))
  release()
  const sent = await line.lines(5)
  deepEqual(
    sent.map(({ method, params }) => params?.update?.content.text ?? method),
    ["first", "abc", "hm", "between", "x".repeat(1000)],
  )
})

test("half a character at the end of one delta and half at the beginning of the next leave as one", async () => {
  const line = wire(() => null)
  const release = line.block()
  line.peer.notify("first", {})
  await turn()
  line.peer.notify("session/update", delta("a\ud83d"))
  line.peer.notify("session/update", delta("\ude00b"))
  line.peer.notify("lone", { text: "\ud83d \u2028 \n" })
  release()
  equal(textOf(await line.lines(3)), "a😀b")
  equal(line.sent[2]?.params.text, "\ud83d \u2028 \n")
})

test("no line has a character within it at which readers of lines may end it", async () => {
  const line = wire(() => null)
  line.peer.notify("said", { text: "a\u2028b\u2029c\nd" })
  const [sent] = await line.lines(1)
  equal(sent?.params.text, "a\u2028b\u2029c\nd")
  deepEqual(line.written, ['{"jsonrpc":"2.0","method":"said","params":{"text":"a\\u2028b\\u2029c\\nd"}}'])
})

test("no text is lost, doubled or moved, however the output stutters", async () => {
  const message = fc.oneof(
    fc.record({
      kind: fc.constantFrom("agent_message_chunk", "agent_thought_chunk"),
      text: fc.string({ unit: "binary" }),
    }),
    fc.record({ kind: fc.constant("tool_call"), text: fc.constant("") }),
  )
  const script = fc.array(fc.record({ messages: fc.array(message), blocked: fc.boolean() }), { maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const line = wire(() => "done")
      const expected: string[] = []
      for (const { messages, blocked } of steps) {
        const release = blocked ? line.block() : () => {}
        for (const { kind, text } of messages) {
          line.peer.notify("session/update", delta(text, kind))
          if (kind === "tool_call" || !expected.at(-1)?.startsWith(kind)) expected.push(`${kind} ${text}`)
          else expected[expected.length - 1] += text
        }
        await turn()
        release()
      }
      line.say({ id: 1, method: "end" })
      while (line.sent.at(-1)?.id !== 1) await turn()
      const told: string[] = []
      for (const { params } of line.sent.slice(0, -1)) {
        const { sessionUpdate, content } = params.update
        if (sessionUpdate === "tool_call" || !told.at(-1)?.startsWith(sessionUpdate))
          told.push(`${sessionUpdate} ${content.text}`)
        else told[told.length - 1] += content.text
      }
      deepEqual(told, expected)
    }),
    { numRuns: 50 },
  )
})

test("what waits leaves in writes of bounded size, not all at once and not one by one", async () => {
  const line = wire(() => null)
  const release = line.block()
  line.peer.notify("first", {})
  await turn()
  for (let i = 0; i < 20_000; i++) line.peer.notify("tool", { i, text: "x".repeat(80) })
  release()
  const sent = await line.lines(20_001)
  deepEqual(
    sent.slice(1).map(({ params }) => params.i),
    Array.from({ length: 20_000 }, (_, i) => i),
  )
  equal(Math.max(...line.writes) <= 256 * 1024 + 1024, true)
  equal(line.writes.length <= 20, true)
})

test("100,000 deltas for a client that has stopped reading are few messages of a size it can read", async () => {
  const line = wire(() => null)
  const release = line.block()
  line.peer.notify("first", {})
  await turn()
  for (let i = 0; i < 100_000; i++) line.peer.notify("session/update", delta("token "))
  release()
  while (textOf(line.sent).length < 600_000) await turn()
  equal(textOf(line.sent), "token ".repeat(100_000))
  equal(line.written.length < 50, true)
  equal(Math.max(...line.written.map((text) => text.length)) < 64 * 1024, true)
})

test("a message that is no JSON is told to the log, and what follows it still leaves", async () => {
  const line = wire(() => null)
  line.peer.notify("odd", { big: 1n })
  line.peer.notify("fine", {})
  deepEqual(await line.lines(1), [{ jsonrpc: "2.0", method: "fine", params: {} }])
  deepEqual(
    line.errors.map(({ of }) => of),
    ["odd"],
  )
})

test("a message is sent as it was when another was put behind it", async () => {
  const line = wire(() => null)
  const release = line.block()
  line.peer.notify("first", {})
  await turn()
  const params = { status: "pending" }
  line.peer.notify("tool", params)
  line.peer.notify("other", {})
  params.status = "changed"
  release()
  deepEqual((await line.lines(3))[1]?.params, { status: "pending" })
})
