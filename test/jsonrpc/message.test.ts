import { deepEqual, equal } from "node:assert/strict"
import fc from "fast-check"
import { test } from "vitest"
import { errorOnWire, parse, RpcError } from "../../src/jsonrpc/message.ts"

const says = (line: string) => parse(line).type
const idOf = (line: string) => (parse(line) as { id: string }).id
const refusal = (line: string) => {
  const message = parse(line)
  return message.type === "invalid" ? [message.id, message.error.code] : message.type
}

test("requests, notifications, results, errors and cancellations are told apart", () => {
  deepEqual(parse('{"jsonrpc":"2.0","id":1,"method":"a","params":[1],"type":"x"}'), {
    type: "request",
    id: "1",
    method: "a",
    params: [1],
  })
  deepEqual(parse('{"jsonrpc":"2.0","method":"a"}'), { type: "notification", method: "a", params: undefined })
  deepEqual(parse('{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}'), {
    type: "result",
    id: "1",
    result: { a: 1 },
  })
  deepEqual(parse('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":[]}}'), {
    type: "error",
    id: "1",
    error: new RpcError(1, "no", []),
  })
  deepEqual(parse('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"x"}}'), {
    type: "cancel",
    id: '"x"',
  })
  deepEqual(parse('{"jsonrpc":"2.0","method":"$/cancel_request"}'), { type: "cancel", id: undefined })
  equal(says('{"jsonrpc":"2.0","id":1,"method":"$/cancel_request"}'), "request")
})

test("what is no message is refused with no id, as JSON that is none with -32700, the rest with -32600", () => {
  for (const line of ["{nonsense", "", "{}x", "\u0000", "[".repeat(100_000)]) deepEqual(refusal(line), ["null", -32700])
  const notMessages = ["42", '"x"', "null", "true", "[]", "{}", '[{"jsonrpc":"2.0","id":1,"method":"a"}]']
  for (const line of notMessages) deepEqual(refusal(line), ["null", -32600])
  for (const id of ["true", "{}", "[1]"]) {
    deepEqual(refusal(`{"jsonrpc":"2.0","id":${id},"method":"a"}`), ["null", -32600])
  }
})

test("R-299 R-300 a refusal says why in words, and in a word", () => {
  deepEqual(parse("{nonsense"), {
    type: "invalid",
    id: "null",
    error: new RpcError(-32700, "The line is not JSON; send one JSON-RPC message on each line", {
      details: "The line is not JSON; send one JSON-RPC message on each line",
      reason: "parse_error",
    }),
  })
})

test("a call that is wrong in another way is refused with its id", () => {
  deepEqual(refusal('{"id":7,"method":"a"}'), ["7", -32600])
  deepEqual(refusal('{"jsonrpc":"1.0","id":"7","method":"a"}'), ['"7"', -32600])
  deepEqual(refusal('{"jsonrpc":"2.0","id":7,"method":4}'), ["7", -32600])
})

test("an answer that is wrong is refused with no id, for we might have been asked under the same", () => {
  deepEqual(refusal('{"id":7,"result":1}'), ["null", -32600])
  deepEqual(refusal('{"jsonrpc":"2.0","result":1}'), ["null", -32600])
})

test("an error that is no error object still says what it can", () => {
  const error = (line: string) => (parse(line) as { error: RpcError }).error
  deepEqual(error('{"jsonrpc":"2.0","id":1,"error":"broken"}'), new RpcError(-32603, "broken"))
  deepEqual(error('{"jsonrpc":"2.0","id":1,"error":{}}'), new RpcError(-32603, "No reason was given"))
})

test("no refusal repeats anything of the message: it may hold secrets", () => {
  const lines = [
    '{"apiKey":"sk-secret"}',
    '["sk-secret"]',
    '"sk-secret"',
    '{"id":{"k":"sk-secret"},"method":"a"}',
    "sk-secret{",
  ]
  for (const line of lines) {
    const message = parse(line)
    equal(message.type, "invalid")
    equal(JSON.stringify(message).includes("secret"), false)
    equal((message as { error: RpcError }).error.message.includes("secret"), false)
  }
})

test('R-010 JR-03 ids are kept as they are written: 1 is not "1", and no number is rounded', () => {
  const numbers = [
    "0",
    "7",
    "-3",
    "9007199254740991",
    "12345678901234567891",
    "1.5",
    "1.0",
    "1e3",
    "-0",
    "0.1000",
    "1e999",
  ]
  const strings = ['""', '"7"', '"6f0c-uuid"', '"ж\\n"']
  for (const id of [...numbers, ...strings, "null"]) {
    equal(idOf(`{"jsonrpc":"2.0","id":${id},"method":"a"}`), id)
    equal(idOf(`{"jsonrpc":"2.0","method":"a","params":{"id":7},"id" : ${id} }`), id)
    equal(idOf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`), id)
  }
})

test("a number that reading has rounded is not mixed up with another that rounds to the same", () => {
  const line = '{"id":12345678901234567891,"params":{"id":12345678901234567890},"method":"a","jsonrpc":"2.0"}'
  equal(idOf(line), "12345678901234567891")
  const cancel =
    '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"a":{"requestId":1e30},"requestId":1e+30,"b":{"requestId":10e29}}}'
  equal(idOf(cancel), "1e+30")
})

test("any JSON is understood or refused, and nothing is thrown", () => {
  const value = fc.record(
    { jsonrpc: fc.constant("2.0"), id: fc.jsonValue(), method: fc.jsonValue(), error: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(value, fc.jsonValue()), (message) => void JSON.parse(idOf(JSON.stringify(message)) ?? "null")),
  )
  fc.assert(fc.property(fc.string(), (line) => void parse(line)))
})

test("JR-12 errors of ours go out as they are, others with their message as details", () => {
  deepEqual(errorOnWire(new RpcError(-32002, "Gone", { reason: "not_found" })), {
    code: -32002,
    message: "Gone",
    data: { reason: "not_found" },
  })
  deepEqual(errorOnWire(new RpcError(-32601, "There is no such method")), {
    code: -32601,
    message: "There is no such method",
  })
  deepEqual(errorOnWire(new TypeError("oh")), { code: -32603, message: "Internal error", data: { details: "oh" } })
  deepEqual(errorOnWire(new TypeError("")), { code: -32603, message: "Internal error", data: { details: "TypeError" } })
  deepEqual(errorOnWire("oh"), { code: -32603, message: "Internal error", data: { details: "oh" } })
})
