import { describe, expect, test } from "vitest"
import { type Content, type Message, NO_USAGE, type ToolCall, userText } from "../../src/agent/message.ts"
import { adapted, learn, NO_QUIRKS, type Quirks } from "../../src/model/quirks.ts"
import { wireMessages, wireTools } from "../../src/model/wire.ts"

const SEES = { image: true, audio: true }
const BLIND = { image: false, audio: false }
const IMAGE: Content = { type: "image", data: "AAAA", mimeType: "image/png" }
const WAV: Content = { type: "audio", data: "BBBB", mimeType: "audio/wav" }
const text = (text: string): Content => ({ type: "text", text })

const wire = (messages: Message[], takes = SEES, quirks: Partial<Quirks> = {}) =>
  wireMessages({ session: "s", instructions: "", messages, tools: [] }, takes, { ...NO_QUIRKS, ...quirks })
const user = (...content: Content[]): Message => ({ role: "user", id: "u", content })
const reply = (content: Content[], calls: ToolCall[] = []): Message => ({
  role: "assistant",
  id: "a",
  content,
  calls,
  stop: "end_turn",
  usage: NO_USAGE,
})
const result = (id: string, ...content: Content[]) => ({ id, status: "ok" as const, content })
const call = (id: string, input: unknown = {}): ToolCall => ({ id, name: "read", input })

describe("user messages", () => {
  test("text alone is one text, its parts apart", () => {
    expect(wire([user(text("one"), text("two"))])).toEqual([{ role: "user", content: "one\n\ntwo" }])
  })

  test("a link stands where it was written", () => {
    const link: Content = { type: "link", uri: "file:///a.ts", name: "a.ts", description: "the code" }
    expect(wire([user(text("Look at "), link, text(" please."))])).toEqual([
      { role: "user", content: "Look at [@a.ts](file:///a.ts) (the code) please." },
    ])
  })

  test("pictures and sounds for a model that takes them", () => {
    expect(wire([user(text("see"), IMAGE, WAV)])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
        ],
      },
    ])
  })

  test("a note in their place for a model that does not", () => {
    expect(wire([user(text("see"), IMAGE)], BLIND)).toEqual([
      { role: "user", content: "see\n\n[An image (image/png) was left out: this model does not take it.]" },
    ])
    expect(wire([user(text("hear"), { ...WAV, mimeType: "constructor" })])).toEqual([
      { role: "user", content: "hear\n\n[A sound (constructor) was left out: this model does not take it.]" },
    ])
  })
})

describe("replies and results", () => {
  test("MS-17 an empty reply is never sent", () => {
    expect(
      wire([
        user(text("a")),
        reply([]),
        reply([text(" ")]),
        reply([{ type: "reasoning", text: "hm" }]),
        user(text("b")),
      ]).length,
    ).toBe(2)
  })

  test("MS-15 results stand in the order of the calls", () => {
    const messages = [
      reply([text("ok")], [call("1", { p: 1 }), call("2")]),
      { role: "tool", results: [result("2", text("two")), result("1", text("one"))] } as Message,
    ]
    expect(wire(messages)).toEqual([
      {
        role: "assistant",
        content: "ok",
        tool_calls: [
          { id: "1", type: "function", function: { name: "read", arguments: '{"p":1}' } },
          { id: "2", type: "function", function: { name: "read", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "1", content: "one" },
      { role: "tool", tool_call_id: "2", content: "two" },
    ])
  })

  test("a picture of a tool follows in a user message", () => {
    const messages = [
      reply([], [call("1"), call("2")]),
      { role: "tool", results: [result("1", IMAGE), result("2")] } as Message,
    ]
    expect(wire(messages).slice(1)).toEqual([
      { role: "tool", tool_call_id: "1", content: "(See the next message.)" },
      { role: "tool", tool_call_id: "2", content: "(no output)" },
      {
        role: "user",
        content: [
          { type: "text", text: "What the tool returned:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    ])
    expect(wire(messages, BLIND)[1]).toEqual({
      role: "tool",
      tool_call_id: "1",
      content: "[An image (image/png) was left out: this model does not take it.]",
    })
  })

  test("MS-02 broken arguments are sent back as valid JSON", () => {
    const broken = [
      { id: "1", name: "read", input: undefined, broken: '{"a":1}{"b"' },
      call("2", [1]),
      call("3", "x"),
      call("4", null),
    ]
    const [message] = wire([reply([], broken)]) as { tool_calls: { function: { arguments: string } }[] }[]
    expect(message!.tool_calls.map((call) => call.function.arguments)).toEqual(["{}", "{}", "{}", "{}"])
  })

  test("a call whose result is lost has one all the same", () => {
    expect(wire([reply([], [call("1")]), user(text("go on"))]).slice(1)).toEqual([
      { role: "tool", tool_call_id: "1", content: "The call was interrupted. It may have taken effect." },
      { role: "user", content: "go on" },
    ])
  })

  test("MS-11 thoughts go back in their field, and only with calls", () => {
    const thought: Content = { type: "reasoning", text: "hm", field: "reasoning" }
    const messages = [reply([thought, text("hi")]), reply([thought], [call("1")]), reply([], [call("2")])]
    const fields = wire(messages, SEES, { reasoning: "echoed" })
      .filter(({ role }) => role === "assistant")
      .map((message) => Object.entries(message).filter(([key]) => key.startsWith("reasoning")))
    expect(fields).toEqual([[], [["reasoning", "hm"]], [["reasoning_content", ""]]])
    expect(JSON.stringify(wire(messages))).not.toContain("reasoning")
  })
})

test("half a character is never sent, wherever it comes from: strict servers refuse to read it", () => {
  const messages = [user(text("a\uD83D")), reply([text("b\uDE00")], [call("1")])]
  const sent = wire([...messages, { role: "tool", results: [result("1", text("c\uD83D"))] } as Message])
  expect(sent.map(({ content }) => content)).toEqual(["a\uFFFD", "b\uFFFD", "c\uFFFD"])
})

test("servers that want turns get them", () => {
  const messages = [
    user(text("a")),
    user(text("b"), IMAGE),
    reply([], [call("1")]),
    { role: "tool", results: [result("1", text("x"))] } as Message,
    userText("c"),
  ]
  expect(wire(messages, SEES, { alternating: true }).map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ])
})

test("MP-03 no tools are no list", () => {
  expect(wireTools([])).toBeUndefined()
})

describe("MP-03 what a refusal teaches", () => {
  const sent = {
    model: "m",
    messages: [{ role: "assistant", content: null }],
    stream: true,
    stream_options: {},
    reasoning_effort: "high",
    max_tokens: 5,
    temperature: 0,
    parallel_tool_calls: true,
  }
  const after = (refusal: string, quirks: Quirks = NO_QUIRKS) =>
    Object.keys(adapted(sent, learn(quirks, sent, refusal) ?? NO_QUIRKS)).slice(3)

  test.each([
    [
      "Unrecognized request argument supplied: stream_options",
      ["reasoning_effort", "max_tokens", "temperature", "parallel_tool_calls"],
    ],
    [
      "Unsupported value: 'reasoning_effort' does not support 'high'",
      ["stream_options", "max_tokens", "temperature", "parallel_tool_calls"],
    ],
    [
      "body.parallel_tool_calls: Extra inputs are not permitted",
      ["stream_options", "reasoning_effort", "max_tokens", "temperature"],
    ],
    [
      "Unsupported value: 'temperature' does not support 0",
      ["stream_options", "reasoning_effort", "max_tokens", "parallel_tool_calls"],
    ],
    [
      "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ["stream_options", "reasoning_effort", "max_completion_tokens", "temperature", "parallel_tool_calls"],
    ],
  ])("%s", (refusal, keys) => {
    expect(after(refusal)).toEqual(keys)
  })

  test("a parameter whose twin is refused too is dropped", () => {
    const once = learn(NO_QUIRKS, sent, "max_tokens is not supported")!
    const twice = learn(once, adapted(sent, once), "max_completion_tokens: unknown field")!
    expect(Object.keys(adapted(sent, twice))).not.toContain("max_completion_tokens")
    expect(Object.keys(adapted(sent, twice))).not.toContain("max_tokens")
  })

  test("pictures, turns, empty texts, thoughts", () => {
    const picture = { ...sent, messages: [{ role: "user", content: [{ type: "image_url" }] }] }
    expect(learn(NO_QUIRKS, picture, "This model does not support image input")?.blind).toBe(true)
    expect(learn(NO_QUIRKS, sent, "Conversation roles must alternate user/assistant")?.alternating).toBe(true)
    expect(learn(NO_QUIRKS, sent, "messages[1].content: expected string, got null")?.noText).toBe("")
    expect(learn(NO_QUIRKS, sent, "reasoning_content is missing")?.reasoning).toBe("echoed")
    expect(learn({ ...NO_QUIRKS, reasoning: "echoed" }, sent, "unknown field reasoning_content")?.reasoning).toBe(
      "never",
    )
  })

  test("nothing of ours: nothing", () => {
    expect(learn(NO_QUIRKS, sent, "The moon is in the wrong house.")).toBeUndefined()
    expect(learn({ ...NO_QUIRKS, reasoning: "never" }, sent, "unknown field reasoning_content")).toBeUndefined()
  })
})
