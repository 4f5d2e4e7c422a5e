import { expect, test } from "vitest"
import { messageLines } from "../../src/mcp/message-lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const message = (id: number, more = "") => `{"jsonrpc":"2.0","id":${id},"result":{"text":"${more}"}}`

test("messages are found wherever the bytes are cut, and behind the last line end", () => {
  const whole = bytes(`${message(1, "日本")}\r\n\n${message(2)}`)
  for (let at = 0; at <= whole.length; at++) {
    const lines = messageLines()
    const found = [...lines.push(whole.subarray(0, at)), ...lines.push(whole.subarray(at)), ...lines.end()]
    expect(found.map(({ id }) => id)).toEqual([1, 2])
  }
})

test("a batch is its messages; what is none is noise, and counted until one comes", () => {
  const lines = messageLines()
  expect(lines.push(bytes('hello\n{"level":"info"}\n{broken\n'))).toEqual([])
  expect(lines.noise).toBe(28)
  expect(lines.push(bytes(`[${message(1)},5,${message(2)}]\n`)).map(({ id }) => id)).toEqual([1, 2])
  expect(lines.noise).toBe(0)
})

test("an answer that is too large becomes a failure of its request, whichever end says which", () => {
  const large = "x".repeat(20_000)
  const error = { code: -32000, message: "the server's answer has 0 MB, more than koda reads; ask for less" }
  const first = `{"jsonrpc":"2.0","id":7,"result":{"id":9,"text":"${large}"}}\n`
  const last = `{"result":{"content":[{"id":9,"text":"${large}"}]},"jsonrpc":"2.0","id":7}\n`
  const asked = `{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"text":"${large}"}}\n`
  expect(messageLines(10_000).push(bytes(first))).toEqual([{ jsonrpc: "2.0", id: 7, error }])
  expect(messageLines(10_000).push(bytes(last))).toEqual([{ jsonrpc: "2.0", id: 7, error }])
  expect(messageLines(10_000).push(bytes(asked))).toEqual([])
})
