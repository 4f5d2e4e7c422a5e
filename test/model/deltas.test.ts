import { describe, expect, test } from "vitest"
import type { ModelEvent } from "../../src/agent/model.ts"
import { type Ending, ReplyReader } from "../../src/model/deltas.ts"

const TOOLS = new Set(["read", "list", "now"])

interface Read {
  events: ModelEvent[]
  ending: Ending
}

/** Reads chunks, each in a read of its own. */
function read(chunks: unknown[], taken: string[] = []): Read {
  const reader = new ReplyReader(TOOLS, new Set(taken))
  const events: ModelEvent[] = []
  for (const chunk of chunks) {
    const one: ModelEvent[] = []
    reader.read(chunk, one)
    events.push(...one)
  }
  const ending = reader.end(events)
  return { events, ending }
}

const delta = (delta: unknown, finish?: string | null) => ({
  choices: [{ index: 0, delta, finish_reason: finish ?? null }],
})
const call = (fields: object) => delta({ tool_calls: [fields] })
const piece = (name: string | undefined, args: string, rest: object = {}) =>
  call({ ...rest, function: { ...(name !== undefined && { name }), arguments: args } })

/** Calls as "name input", with ids only where a test asks for them. */
const calls = ({ ending }: Read) => ending.calls.map(({ name, input, broken }) => [name, broken ?? input])
const ids = ({ ending }: Read) => ending.calls.map(({ id }) => id)
/** All text and all thoughts of the events that count. */
function said({ events }: Read): { text: string; thought: string } {
  const valid = events.slice(events.findLastIndex(({ type }) => type === "restart") + 1)
  const of = (type: "text" | "reasoning") => valid.map((event) => (event.type === type ? event.delta : "")).join("")
  return { text: of("text"), thought: of("reasoning") }
}

describe("MS-01 calls without an index", () => {
  test("a new id is a new call", () => {
    const reply = read([piece("read", '{"p":1}', { id: "a1" }), piece("read", '{"p":2}', { id: "b1" })])
    expect(calls(reply)).toEqual([
      ["read", { p: 1 }],
      ["read", { p: 2 }],
    ])
    expect(ids(reply)).toEqual(["a1", "b1"])
  })

  test("neither id nor index goes on with the last call", () => {
    const reply = read([
      piece("read", '{"p', { id: "a1" }),
      piece(undefined, '":1}'),
      piece("list", "{}", { id: "b1" }),
    ])
    expect(calls(reply)).toEqual([
      ["read", { p: 1 }],
      ["list", {}],
    ])
  })

  test("several calls in one delta, with names only", () => {
    const functions = [
      { function: { name: "read", arguments: '{"p":1}' } },
      { function: { name: "list", arguments: "{}" } },
    ]
    expect(calls(read([delta({ tool_calls: functions })]))).toEqual([
      ["read", { p: 1 }],
      ["list", {}],
    ])
  })
})

describe("MS-02 every call has index 0", () => {
  test("other ids are other calls", () => {
    const reply = read([
      piece("read", '{"p":1}', { index: 0, id: "a1" }),
      piece("read", '{"p":2}', { index: 0, id: "b1" }),
    ])
    expect(calls(reply)).toEqual([
      ["read", { p: 1 }],
      ["read", { p: 2 }],
    ])
  })

  test("other ids are other calls, also where there are no arguments", () => {
    const reply = read([piece("now", "", { index: 0, id: "a1" }), piece("now", "", { index: 0, id: "b1" })])
    expect(ids(reply)).toEqual(["a1", "b1"])
  })

  test("a name after whole JSON is another call", () => {
    const reply = read([piece("read", '{"p":1}', { index: 0 }), piece("read", '{"p":2}', { index: 0 })])
    expect(calls(reply)).toEqual([
      ["read", { p: 1 }],
      ["read", { p: 2 }],
    ])
  })

  test("an id that changes with each piece of one call does not part it", () => {
    const reply = read([piece("read", '{"p', { index: 0, id: "x1" }), piece(undefined, '":1}', { index: 0, id: "x2" })])
    expect(calls(reply)).toEqual([["read", { p: 1 }]])
  })
})

describe("MS-03 ids that are missing or not unique", () => {
  test("a missing id is made up", () => {
    const reply = read([
      piece("read", '{"a', { index: 0 }),
      piece(undefined, '":1}', { index: 0, id: "" }),
      piece(undefined, "", { index: 0, id: null }),
    ])
    expect(calls(reply)).toEqual([["read", { a: 1 }]])
    expect(ids(reply)[0]).toMatch(/^[0-9a-z]{9}$/)
  })

  test("an id repeated in every piece stays one call", () => {
    const reply = read([piece("read", '{"a', { index: 0, id: "a1" }), piece("read", '":1}', { index: 0, id: "a1" })])
    expect(calls(reply)).toEqual([["read", { a: 1 }]])
    expect(ids(reply)).toEqual(["a1"])
  })

  test("two calls with the same id get two", () => {
    const reply = read([piece("read", "{}", { index: 0, id: "a1" }), piece("list", "{}", { index: 1, id: "a1" })])
    expect(calls(reply)).toEqual([
      ["read", {}],
      ["list", {}],
    ])
    expect(new Set(ids(reply)).size).toBe(2)
  })

  test("an id used before in the session is replaced", () => {
    const reply = read([piece("read", "{}", { index: 0, id: "call_0" })], ["call_0"])
    expect(ids(reply)).not.toContain("call_0")
  })
})

test("names come late, in pieces, again, or in another's spelling", () => {
  expect(calls(read([piece(undefined, "", { index: 0, id: "a1" }), piece("read", "{}", { index: 0 })]))).toEqual([
    ["read", {}],
  ])
  expect(calls(read([piece("re", "", { index: 0 }), piece("ad", "{}", { index: 0 })]))).toEqual([["read", {}]])
  expect(calls(read([piece("functions.read:0", "{}", { index: 0 })]))).toEqual([["read", {}]])
})

describe("MS-05 a whole call in one chunk", () => {
  const functions = [{ index: 0, id: "a1", function: { name: "read", arguments: '{"p":1}' } }]

  test.each(["delta", "message"])("with content and finish, as %s", (key) => {
    const reply = read([
      {
        choices: [{ [key]: { role: "assistant", content: "ok", tool_calls: functions }, finish_reason: "tool_calls" }],
      },
    ])
    expect(reply.events).toEqual([{ type: "text", delta: "ok" }])
    expect(reply.ending).toEqual({
      calls: [{ id: "a1", name: "read", input: { p: 1 } }],
      stop: "tool_use",
      usage: { input: 0, output: 0, cached: 0, thought: 0 },
      finished: true,
      answered: true,
      thought: false,
      dropped: false,
    })
  })

  test("a closing message that repeats what was streamed is not said twice", () => {
    const reply = read([
      delta({ content: "ok" }),
      { choices: [{ delta: {}, message: { content: "ok" }, finish_reason: "stop" }] },
    ])
    expect(said(reply).text).toBe("ok")
  })

  test("50 KB in one piece", () => {
    const text = "word ".repeat(10_000)
    expect(said(read([delta({ content: text }, "stop")])).text).toBe(text)
  })

  test("arguments as an object, or encoded twice", () => {
    expect(calls(read([call({ function: { name: "read", arguments: { p: 1 } } })]))).toEqual([["read", { p: 1 }]])
    expect(calls(read([piece("read", JSON.stringify('{"p":1}'))]))).toEqual([["read", { p: 1 }]])
    expect(calls(read([piece("now", "")]))).toEqual([["now", {}]])
  })
})

describe("MS-06 finish_reason lies", () => {
  const whole = piece("read", '{"p":1}', { index: 0, id: "a1" })
  const half = piece("read", '{"p":', { index: 0, id: "a1" })
  const stops = (chunks: unknown[]) => {
    const { stop, calls, dropped } = read(chunks).ending
    return { stop, calls: calls.length, dropped }
  }

  test("whole calls decide, whatever the reason", () => {
    for (const reason of ["stop", "tool_calls", "function_call", "length", "", "STOP"]) {
      expect(stops([whole, delta({}, reason)])).toEqual({ stop: "tool_use", calls: 1, dropped: false })
    }
  })

  test("no calls and tool_calls is the end of the answer", () => {
    expect(stops([delta({ content: "hi" }), delta({}, "tool_calls")])).toEqual({
      stop: "end_turn",
      calls: 0,
      dropped: false,
    })
  })

  test("length with half the arguments never runs", () => {
    expect(stops([half, delta({}, "length")])).toEqual({ stop: "max_tokens", calls: 0, dropped: true })
    expect(stops([half, delta({}, "MAX_TOKENS")])).toEqual({ stop: "max_tokens", calls: 0, dropped: true })
  })

  test("tool_calls with broken arguments is told to the model", () => {
    const reply = read([half, delta({}, "tool_calls")])
    expect(reply.ending.calls).toEqual([{ id: "a1", name: "read", input: undefined, broken: '{"p":' }])
  })

  test("content_filter is a refusal, and so is a refusal in words", () => {
    expect(stops([delta({ content: "I" }), delta({}, "content_filter")]).stop).toBe("refusal")
    const reply = read([delta({ refusal: "I can't." }, "stop")])
    expect([reply.ending.stop, said(reply).text]).toEqual(["refusal", "I can't."])
  })

  test("several reasons in one stream", () => {
    expect(stops([whole, delta({}, "tool_calls"), delta({}, "stop")]).stop).toBe("tool_use")
    expect(stops([delta({ content: "x" }), delta({}, "length"), delta({}, "stop")]).stop).toBe("max_tokens")
  })

  test("an empty reason is none", () => {
    expect(read([delta({ content: "x" }, "")]).ending.finished).toBe(false)
  })
})

describe("MS-08 empty choices, counts anywhere, null fields", () => {
  test("nothing in them breaks, and nothing is lost", () => {
    const reply = read([
      null,
      17,
      {},
      { choices: [] },
      { choices: null },
      { choices: [null] },
      { choices: [{ delta: null, finish_reason: null }] },
      delta({}),
      delta({ content: null, tool_calls: null, reasoning_content: null, role: null }),
      delta({ tool_calls: [] }),
      delta({ tool_calls: [null, { index: 0, function: null }] }),
      delta({ content: "hi" }),
      delta({}, "stop"),
    ])
    expect(said(reply)).toEqual({ text: "hi", thought: "" })
    expect(reply.ending.calls).toEqual([])
  })

  const count = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
  const usage = (...chunks: unknown[]) => {
    const { input, output } = read(chunks).ending.usage
    return [input, output]
  }

  test("the last count that is one wins, wherever it stands", () => {
    expect(usage({ choices: [], usage: count(3, 1) }, delta({ content: "x" }), { choices: [], usage: null })).toEqual([
      3, 1,
    ])
    expect(usage({ ...delta({ content: "x" }), usage: count(3, 1) }, { choices: [], usage: count(3, 7) })).toEqual([
      3, 7,
    ])
    expect(usage({ choices: [{ delta: {}, finish_reason: "stop", usage: count(4, 2) }] })).toEqual([4, 2])
    expect(usage(delta({}, "stop"), { usage: count(5, 2) })).toEqual([5, 2])
    expect(usage({ choices: [], usage: count(3, 7) }, { choices: [], usage: count(0, 0) })).toEqual([3, 7])
  })

  test("MP-05 what was cached or thought is part of the count, also where it was told beside it", () => {
    const details = { prompt_tokens_details: { cached_tokens: 80 }, completion_tokens_details: { reasoning_tokens: 5 } }
    expect(read([{ usage: { ...count(100, 10), ...details } }]).ending.usage).toEqual({
      input: 100,
      output: 10,
      cached: 80,
      thought: 5,
    })
    expect(read([{ usage: { ...count(20, 2), ...details } }]).ending.usage).toEqual({
      input: 100,
      output: 7,
      cached: 80,
      thought: 5,
    })
    expect(read([{ usage: { ...count(100, 10), prompt_cache_hit_tokens: 64 } }]).ending.usage.cached).toBe(64)
    expect(read([delta({ content: "x" })]).ending.usage).toEqual({ input: 0, output: 0, cached: 0, thought: 0 })
  })
})

describe("MS-11 thoughts in fields of their own", () => {
  test.each(["reasoning_content", "reasoning"])("%s is kept with its field", (field) => {
    const reply = read([delta({ [field]: "hm" }), delta({ [field]: "" }), delta({ content: "yes" })])
    expect(reply.events).toEqual([
      { type: "reasoning", delta: "hm", field },
      { type: "text", delta: "yes" },
    ])
  })

  test("details, and thoughts among the parts of the content", () => {
    const details = [
      { type: "reasoning.text", text: "a" },
      { type: "reasoning.encrypted", data: "…" },
      { type: "reasoning.summary", summary: "b" },
    ]
    expect(said(read([delta({ reasoning_details: details })]))).toEqual({ text: "", thought: "ab" })
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "a" }] },
      { type: "text", text: "b" },
    ]
    expect(said(read([delta({ content: parts })]))).toEqual({ text: "b", thought: "a" })
  })

  test("the same thought in two fields is thought once", () => {
    expect(
      said(read([delta({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] })])).thought,
    ).toBe("hm")
  })

  test("both in one delta, and thoughts after content", () => {
    const reply = read([delta({ reasoning: "a", content: "b" }), delta({ reasoning: "c" }), delta({ content: "d" })])
    expect(reply.events.map((event) => event.type)).toEqual(["reasoning", "text", "reasoning", "text"])
    expect(said(reply)).toEqual({ text: "bd", thought: "ac" })
  })
})

describe("MS-12 <think> in the content", () => {
  const content = (...parts: string[]) => said(read(parts.map((content) => delta({ content }))))

  test("a tag in pieces", () => {
    expect(content("<", "think", ">x</th", "ink>answer")).toEqual({ thought: "x", text: "answer" })
  })

  test("only a closing tag: all before it was a thought", () => {
    const reply = read(["let me", " see</th", "ink>\n", "answer"].map((content) => delta({ content })))
    expect(said(reply)).toEqual({ thought: "let me see", text: "answer" })
    expect(reply.ending.answered).toBe(true)
  })

  test("nested", () => {
    expect(content("<think>a<think>b</think>c</think>answer")).toEqual({ thought: "abc", text: "answer" })
  })

  test("a tag that is but mentioned in a thought does not swallow the answer", () => {
    expect(content("<think>the <think> tag</think>answer").text).toBe("answer")
  })

  test("unclosed at the end is a thought without an answer", () => {
    const reply = read([delta({ content: "<think>hm" }), delta({}, "stop")])
    expect(said(reply)).toEqual({ thought: "hm", text: "" })
    expect(reply.ending.answered).toBe(false)
  })

  test("after the first visible word, and in code, tags are text", () => {
    for (const text of [
      "Use `<think>` and `</think>`.",
      "See <think>this</",
      "```\n<think>x</think>\n```\nThat is it.",
      "a < b, a <t",
      "Hello <think>no</think> world",
    ]) {
      expect(content(...text)).toEqual({ thought: "", text })
    }
  })

  test("one letter at a time", () => {
    expect(content(..."\n<think>\na < b\n</think>\n\nhello <b>you</b>")).toEqual({
      thought: "a < b\n",
      text: "hello <b>you</b>",
    })
  })
})

describe("MS-13 a call as text", () => {
  const written = (text: string, finish = "stop") => {
    const reply = read([...[...text].map((content) => delta({ content })), delta({}, finish)])
    return { calls: calls(reply), text: said(reply).text }
  }
  const READ = '{"name": "read", "arguments": {"p": "a"}}'

  test.each([
    ["a tag", `<tool_call>${READ}</tool_call>`],
    ["a tag over lines", `<tool_call>\n${READ}\n</tool_call>\n`],
    ["a function tag", "<function=read><parameter=p>a</parameter></function>"],
    ["a function in a tag", "<tool_call>\n<function=read>\n<parameter=p>\na\n</parameter>\n</function>\n</tool_call>"],
    ["fenced JSON", `\`\`\`json\n${READ}\n\`\`\``],
    ["bare JSON", READ],
    ["the closing tag cut off", `<tool_call>${READ}`],
    ["a thought before it", `<think>hm</think>\n<tool_call>${READ}</tool_call>`],
  ])("is a call: %s", (_, text) => {
    expect(written(text)).toEqual({ calls: [["read", { p: "a" }]], text: "" })
  })

  test("what was said before it stays", () => {
    expect(written(`I look.\n<tool_call>${READ}</tool_call>`)).toEqual({
      calls: [["read", { p: "a" }]],
      text: "I look.\n",
    })
  })

  test("two of them", () => {
    expect(written(`<tool_call>${READ}</tool_call>\n<tool_call>${READ}</tool_call>`).calls).toEqual([
      ["read", { p: "a" }],
      ["read", { p: "a" }],
    ])
  })

  test("arguments cut off are told to the model", () => {
    expect(written('<tool_call>{"name": "read", "arguments": {"p": ').calls).toEqual([["read", '{"p":']])
    expect(written('<tool_call>{"name": "read", "arguments": {"p": ', "length").calls).toEqual([])
  })

  test.each([
    ["quoted in a sentence", `Write <tool_call>${READ}</tool_call> to call.`],
    ["followed by words", `<tool_call>${READ}</tool_call>\nis how it is written.`],
    ["in a code block", `Like so:\n\`\`\`xml\n<tool_call>${READ}</tool_call>\n\`\`\``],
    ["an example in a fence", `Like so:\n\`\`\`json\n${READ}\n\`\`\``],
    ["a tool that is not there", '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'],
    ["other JSON", '{"name": "Ada", "age": 36}'],
    ["other code", '```json\n{\n  "a": 1\n}\n```\nDone.'],
    ["other tags", "<p>Hello</p>\n<toolbox>\n"],
  ])("stays text: %s", (_, text) => {
    expect(written(text)).toEqual({ calls: [], text })
  })

  test("beside a real call it stays text", () => {
    const reply = read([delta({ content: READ }), piece("list", "{}", { index: 0 }), delta({}, "tool_calls")])
    expect(calls(reply)).toEqual([["list", {}]])
    expect(said(reply).text).toBe(READ)
  })
})

test("MS-15 calls keep the order in which they were made", () => {
  const pieces = [0, 1, 2].map((index) => piece("read", "", { index, id: `id-${index}` }))
  const args = [2, 0, 1].map((index) => piece(undefined, `{"p":${index}}`, { index }))
  expect(calls(read([...pieces, ...args]))).toEqual([
    ["read", { p: 0 }],
    ["read", { p: 1 }],
    ["read", { p: 2 }],
  ])
})

test("deltas that come together are one event", () => {
  const reader = new ReplyReader(TOOLS, new Set())
  const events: ModelEvent[] = []
  for (const content of ["a", "b", "c"]) reader.read(delta({ content }), events)
  for (const reasoning of ["d", "e"]) reader.read(delta({ reasoning }), events)
  expect(events).toEqual([
    { type: "text", delta: "abc" },
    { type: "reasoning", delta: "de", field: "reasoning" },
  ])
})
