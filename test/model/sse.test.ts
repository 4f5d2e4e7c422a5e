import { describe, expect, test } from "vitest"
import { EventStream, type Payload } from "../../src/model/sse.ts"

function read(...parts: (string | Uint8Array)[]): { payloads: Payload[]; rest: string } {
  const stream = new EventStream()
  const payloads = parts.flatMap((part) =>
    stream.push(typeof part === "string" ? new TextEncoder().encode(part) : part),
  )
  return { payloads: [...payloads, ...stream.end()], rest: stream.rest }
}

const data = (...parts: string[]) => read(...parts).payloads.map(({ data }) => data)

describe("events as they are found in the wild", () => {
  test("any line end, with a space after the colon or none", () => {
    expect(data('data: {"a":1}\n\ndata:{"a":2}\r\n\r\ndata: {"a":3}\r\rdata: [DONE]\n\n')).toEqual([
      '{"a":1}',
      '{"a":2}',
      '{"a":3}',
      "[DONE]",
    ])
  })

  test("no empty line between them, and none at the end", () => {
    expect(data('data: {"a":1}\ndata: {"a":2}\ndata: [DONE]')).toEqual(['{"a":1}', '{"a":2}', "[DONE]"])
  })

  test("JSON over several lines of data is one payload", () => {
    expect(data('data: {\ndata: "a": {"b":1}\ndata: }\n\n')).toEqual(['{\n"a": {"b":1}\n}'])
  })

  test("a broken payload ends at its empty line", () => {
    expect(data('data: {"a":\n\ndata: {"a":2}\n\n')).toEqual(['{"a":', '{"a":2}'])
  })

  test("comments, ids and unknown fields are no payload; other lines are kept apart", () => {
    expect(read(': ping\nid: 1\nretry: 5\n{"error":"x"}\ndata: {}\n\n')).toEqual({
      payloads: [{ data: "{}" }],
      rest: '{"error":"x"}\n',
    })
  })

  test("a named event, cut anywhere, keeps its name", () => {
    const bytes = new TextEncoder().encode('event: error\r\ndata: {"message":"é"}\r\n\r\ndata: {}\r\n\r\n')
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read(bytes.slice(0, cut), bytes.slice(cut)).payloads).toEqual([
        { event: "error", data: '{"message":"é"}' },
        { data: "{}" },
      ])
    }
  })
})
