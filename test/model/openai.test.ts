import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type Message, userText } from "../../src/agent/message.ts"
import type { ModelEvent, ModelFailure, ModelRequest } from "../../src/agent/model.ts"
import { type Connection, openaiModel } from "../../src/model/openai.ts"
import { type QuickClock, quickClock } from "../support/clock.ts"
import { chunk, DONE, event, type Provider, refuses, says, startProvider } from "../support/provider.ts"
import { testRuntime } from "../support/runtime.ts"

let provider: Provider
let clock: QuickClock
const random = () => 0.5
beforeEach(async () => {
  provider = await startProvider()
  clock = quickClock()
})
afterEach(() => provider.close())

const { fetch } = testRuntime()

function model(rest: Partial<Connection> = {}) {
  const connection = {
    id: "m",
    baseUrl: provider.url,
    apiKey: "sk-secret-key-of-mine",
    takes: { image: true, audio: false },
    ...rest,
  }
  return openaiModel(connection, { fetch, clock, random })
}

const TOOLS = [{ name: "read", description: "Reads", schema: { type: "object", properties: {} } }]

function request(rest: Partial<ModelRequest> = {}): ModelRequest {
  return { session: "s1", instructions: "Be good.", messages: [userText("hi")], tools: [], ...rest }
}

async function all(
  stream: AsyncIterable<ModelEvent>,
  hears: (event: ModelEvent) => void = () => {},
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of stream) {
    events.push(event)
    hears(event)
  }
  return events
}

/** A moment in a script: when the client has heard these words. A reset sooner might overtake them. */
function moments(...words: string[]) {
  const all = words.map((word) => ({ word, ...Promise.withResolvers<void>() }))
  let heard = ""
  const hears = (event: ModelEvent) => {
    if (event.type === "restart") heard = ""
    if (event.type === "text") heard += event.delta
    for (const { word, resolve } of all) if (heard === word) resolve()
  }
  return { hears, when: all.map(({ promise }) => promise) as [Promise<void>, Promise<void>] }
}

const ask = (rest: Partial<ModelRequest> = {}, connection: Partial<Connection> = {}) =>
  all(model(connection).stream(request(rest), new AbortController().signal))

/** Events on one line each; adjacent text is one, however the network cut it. */
function lines(events: readonly ModelEvent[]): string[] {
  const lines: string[] = []
  for (const event of events) {
    if (event.type === "text" || event.type === "reasoning") {
      if (lines.at(-1)?.startsWith(`${event.type}: `)) lines[lines.length - 1] += event.delta
      else lines.push(`${event.type}: ${event.delta}`)
    } else if (event.type === "call") lines.push(`call: ${event.call.name} ${JSON.stringify(event.call.input)}`)
    else if (event.type === "end") lines.push(`end: ${event.stop}`)
    else lines.push(event.type)
  }
  return lines
}

const failure = (rest: Partial<ModelRequest> = {}, connection: Partial<Connection> = {}) =>
  ask(rest, connection).then(
    () => expect.unreachable("it should have failed"),
    (error) => error as ModelFailure,
  )

const text = (content: string) => chunk({ content })
const half = chunk({ tool_calls: [{ index: 0, id: "a1", function: { name: "read", arguments: '{"p":' } }] })
const whole = chunk({ tool_calls: [{ index: 0, id: "a1", function: { name: "read", arguments: '{"p":1}' } }] })
const stop = chunk({}, { finish: "stop" })

describe("the request", () => {
  test("holds what is needed and nothing else", async () => {
    provider.script(says("hello"))
    expect(lines(await ask({ tools: TOOLS, effort: "high" }))).toEqual(["text: hello", "end: end_turn"])
    const [{ method, url, body }] = provider.asked as [(typeof provider.asked)[0]]
    expect([method, url]).toEqual(["POST", "/v1/chat/completions"])
    expect(body).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: "high",
      tools: [
        {
          type: "function",
          function: { name: "read", description: "Reads", parameters: { type: "object", properties: {} } },
        },
      ],
      messages: [
        { role: "system", content: "Be good." },
        { role: "user", content: "hi" },
      ],
    })
  })

  test("MP-03 names no tools where there are none", async () => {
    provider.script(says("hello"))
    await ask()
    expect(Object.keys(provider.asked[0]!.body)).toEqual(["model", "stream", "stream_options", "messages"])
  })

  test("tells of the machine nothing that the server need not know", async () => {
    provider.script(says("hello"))
    await ask()
    const { headers } = provider.asked[0]!
    expect(headers["authorization"]).toBe("Bearer sk-secret-key-of-mine")
    expect(headers["user-agent"]).toBe("koda-acp")
    expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([])
  })

  test("R-321 tells the gateway, and only it, whose work it is", async () => {
    provider.script(says("hello"))
    await ask({ task: "t1" }, { gateway: true })
    await ask({ task: "t1" })
    const heads = provider.asked.map(({ headers }) => [headers["x-koda-session"], headers["x-koda-task"]])
    expect(heads).toEqual([
      ["s1", "t1"],
      [undefined, undefined],
    ])
  })

  test("MP-08 carries no key where there is none, and keeps the query of the address", async () => {
    provider.script(says("hello"))
    await all(
      openaiModel(
        { id: "m", baseUrl: `${provider.origin}/my/api?version=2`, takes: { image: true, audio: false } },
        { fetch, clock, random },
      ).stream(request(), new AbortController().signal),
    )
    expect(provider.asked[0]!.headers["authorization"]).toBeUndefined()
    expect(provider.asked[0]!.url).toBe("/my/api/chat/completions?version=2")
  })

  test("20 steps only add to its end", async () => {
    provider.script({ steps: [chunk({ content: "I read." }), whole, chunk({}, { finish: "tool_calls" }), DONE] })
    const messages: Message[] = [userText("go")]
    const asked = model()
    for (let step = 0; step < 20; step++) {
      const calls = (
        await all(asked.stream(request({ messages, tools: TOOLS, session: "s2" }), new AbortController().signal))
      ).flatMap((event) => (event.type === "call" ? [event.call] : []))
      messages.push({
        role: "assistant",
        id: "x",
        content: [{ type: "text", text: "I read." }],
        calls,
        stop: "tool_use",
        usage: { input: 0, output: 0, cached: 0, thought: 0 },
      })
      messages.push({
        role: "tool",
        results: calls.map(({ id }) => ({ id, status: "ok", content: [{ type: "text", text: `result ${step}` }] })),
      })
    }
    const bodies = provider.asked.map(({ text }) => text.slice(0, text.lastIndexOf("]")))
    expect(bodies.length).toBe(20)
    for (const [at, body] of bodies.entries()) if (at > 0) expect(body.startsWith(bodies[at - 1]!)).toBe(true)
  })
})

describe("the stream", () => {
  test("what one read brings is one event", async () => {
    const parts = [
      text("a") + text("b") + text("c"),
      chunk({ reasoning: "d" }) + chunk({ reasoning: "e" }) + stop + DONE,
    ]
    const body = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })
    const one = openaiModel(
      { id: "m", baseUrl: provider.url, takes: { image: true, audio: false } },
      { fetch: async () => new Response(body), clock },
    )
    expect(await all(one.stream(request(), new AbortController().signal))).toEqual([
      { type: "text", delta: "abc" },
      { type: "reasoning", delta: "de", field: "reasoning" },
      { type: "end", stop: "end_turn", usage: { input: 0, output: 0, cached: 0, thought: 0 } },
    ])
  })

  test("any cut of the bytes gives the same reply", async () => {
    const bytes = new TextEncoder().encode(
      `: ping\r\n\r\nretry: 3\n${text("héllo 🎉")}event: x\ndata:${JSON.stringify({ choices: [{ delta: { content: "!" } }] })}\r\rid: 7\n${stop}${DONE}`,
    )
    for (let cut = 1; cut < bytes.length; cut++) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(bytes.slice(0, cut))
          controller.enqueue(bytes.slice(cut))
          controller.close()
        },
      })
      const one = openaiModel(
        { id: "m", baseUrl: provider.url, takes: { image: true, audio: false } },
        { fetch: async () => new Response(body), clock },
      )
      expect(lines(await all(one.stream(request(), new AbortController().signal)))).toEqual([
        "text: héllo 🎉!",
        "end: end_turn",
      ])
    }
  })

  test("a reply in one piece, by a server that does not stream", async () => {
    const message = { role: "assistant", content: "hello" }
    provider.script({
      headers: { "content-type": "application/json" },
      steps: [JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }, null, 2)],
    })
    expect(lines(await ask())).toEqual(["text: hello", "end: end_turn"])
  })

  test("odd lines and broken JSON between the chunks break nothing", async () => {
    provider.script({ steps: [text("a"), "data: {oops\n\n", "what is this\n", event("[1,"), text("b"), stop, DONE] })
    expect(lines(await ask())).toEqual(["text: ab", "end: end_turn"])
  })

  test("MS-08 a count that comes after [DONE] is read", async () => {
    const count = event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } })
    const parts = [text("a") + stop + DONE, count].map((part) => new TextEncoder().encode(part))
    const body = new ReadableStream({
      pull: (controller) => (parts.length > 0 ? controller.enqueue(parts.shift()) : controller.close()),
    })
    const one = openaiModel(
      { id: "m", baseUrl: provider.url, takes: { image: true, audio: false } },
      { fetch: async () => new Response(body), clock },
    )
    const events = await all(one.stream(request(), new AbortController().signal))
    expect(events.at(-1)).toEqual({
      type: "end",
      stop: "end_turn",
      usage: { input: 3, output: 1, cached: 0, thought: 0 },
    })
  })

  test("a server that leaves the connection open holds nobody up", async () => {
    clock = quickClock([])
    provider.script({ steps: [text("a"), stop, DONE, { ends: "hang" }] })
    expect(lines(await ask())).toEqual(["text: a", "end: end_turn"])
    await provider.asked[0]!.closed
  })

  test("MP-01 silence is no failure, and with a limit of the user's own, comments are life", async () => {
    let go = () => {}
    const later = new Promise<void>((resolve) => (go = resolve))
    const limited = quickClock([60_000])
    provider.script({ steps: [": ping\n\n", later, ": ping\n\n", text("a"), stop, DONE] })
    const one = openaiModel(
      { id: "m", baseUrl: provider.url, takes: { image: true, audio: false }, idleLimit: 60_000 },
      { fetch, clock: limited },
    )
    const events = all(one.stream(request(), new AbortController().signal))
    go()
    expect(lines(await events)).toEqual(["text: a", "end: end_turn"])
  })

  test("MP-01 a silence beyond the user's limit is told and not tried again", async () => {
    clock = quickClock([])
    provider.script({ steps: [text("a"), { ends: "hang" }] })
    const error = await failure({}, { idleLimit: 60_000 })
    expect(error.message).toBe(
      `No answer, or not all of it, came from ${provider.url} for model "m": nothing came for 60 s, the limit set`,
    )
    expect(provider.asked.length).toBe(1)
  })
})

describe("MS-07 the stream ends too early", () => {
  test("[DONE] without a reason is an end", async () => {
    provider.script({ steps: [text("a"), DONE] })
    expect(lines(await ask())).toEqual(["text: a", "end: end_turn"])
  })

  test("MP-07 what was said begins anew, once, and the user is told", async () => {
    const { hears, when } = moments("one two")
    provider.script({ steps: [text("one "), text("two"), when[0], { ends: "reset" }] }, says("one two three"))
    expect(lines(await all(model().stream(request(), new AbortController().signal), hears))).toEqual([
      "text: one two",
      "restart",
      "notice",
      "text: one two three",
      "end: end_turn",
    ])
  })

  test("cut again, the text is kept and the user is told", async () => {
    const { hears, when } = moments("one ", "one two")
    provider.script(
      { steps: [text("one "), when[0], { ends: "reset" }] },
      { steps: [text("one two"), when[1], { ends: "reset" }] },
    )
    const events = await all(model().stream(request(), new AbortController().signal), hears)
    expect(lines(events)).toEqual(["text: one ", "restart", "notice", "text: one two", "notice", "end: end_turn"])
    expect(events.at(-2)).toEqual({
      type: "notice",
      text: 'The answer of "m" may have been cut off: the connection closed before its end.',
    })
    expect(provider.asked.length).toBe(2)
  })

  test("a server that always ends in silence is asked twice only the first time", async () => {
    provider.script({ steps: [text("a")] })
    const one = model()
    await all(one.stream(request(), new AbortController().signal))
    expect(lines(await all(one.stream(request(), new AbortController().signal)))).toEqual(["text: a", "end: end_turn"])
    expect(provider.asked.length).toBe(3)
  })

  test("no chunk at all is no success", async () => {
    provider.script({ steps: [] })
    const error = await failure()
    expect([error.kind, error.message]).toEqual([
      "empty",
      'Model "m" returned nothing, twice. Ask again, or choose another model.',
    ])
    expect(provider.asked.length).toBe(2)
  })

  test("half a call is dropped and asked for again", async () => {
    provider.script({ steps: [text("I read."), half] }, { steps: [text("I read."), whole, stop, DONE] })
    expect(lines(await ask({ tools: TOOLS }))).toEqual([
      "text: I read.",
      "restart",
      "notice",
      "text: I read.",
      'call: read {"p":1}',
      "end: tool_use",
    ])
  })

  test("a connection torn after all was said does no harm", async () => {
    const { hears, when } = moments("a")
    provider.script({ steps: [text("a") + stop, when[0], { ends: "reset" }] })
    expect(lines(await all(model().stream(request(), new AbortController().signal), hears))).toEqual([
      "text: a",
      "end: end_turn",
    ])
  })
})

describe("MS-17 an empty reply", () => {
  test.each([
    ["nothing", chunk({ content: "" })],
    ["only blanks", chunk({ content: " \n" })],
    ["MS-06 tool_calls without calls", chunk({}, { finish: "tool_calls" })],
  ])("%s: asked again once, in silence", async (_, odd) => {
    provider.script({ steps: [odd, stop, DONE] }, says("hello"))
    expect(lines(await ask())).toEqual(["text: hello", "end: end_turn"])
  })

  test("only thoughts: they begin anew", async () => {
    provider.script({ steps: [chunk({ reasoning: "hm" }), stop, DONE] }, says("hello"))
    expect(lines(await ask())).toEqual(["reasoning: hm", "restart", "text: hello", "end: end_turn"])
  })

  test("empty twice is a failure that says so", async () => {
    provider.script({ steps: [chunk({ content: "" }), stop, DONE] })
    expect((await failure()).kind).toBe("empty")
    expect(provider.asked.length).toBe(2)
    expect(clock.waits).toEqual([])
  })

  test("thoughts up to the limit of tokens are no empty reply", async () => {
    provider.script({ steps: [chunk({ reasoning: "hm" }), chunk({}, { finish: "length" }), DONE] })
    expect(lines(await ask())).toEqual(["reasoning: hm", "end: max_tokens"])
  })
})

describe("MS-03 ids", () => {
  test("are unique over the session, its subagents included", async () => {
    provider.script({ steps: [whole, stop, DONE] })
    const one = model()
    const id = async (rest: Partial<ModelRequest>) => {
      const events = await all(one.stream(request({ tools: TOOLS, ...rest }), new AbortController().signal))
      return events.flatMap((event) => (event.type === "call" ? [event.call.id] : []))[0]
    }
    expect(await id({})).toBe("a1")
    expect(await id({ task: "t1" })).not.toBe("a1")
    expect(await id({ session: "s2" })).toBe("a1")
  })
})

describe("MP-03 parameters that a server does not take", () => {
  test("are dropped once, and the user does not notice", async () => {
    provider.script(
      refuses(400, { error: { message: "Unrecognized request argument supplied: stream_options" } }),
      says("hello"),
      says("again"),
    )
    const one = model()
    expect(lines(await all(one.stream(request(), new AbortController().signal)))).toEqual([
      "text: hello",
      "end: end_turn",
    ])
    await all(one.stream(request(), new AbortController().signal))
    expect(provider.asked.map(({ body }) => "stream_options" in body)).toEqual([true, false, false])
  })

  test("MS-11 thoughts are sent back only to a server that asks for them, in their field", async () => {
    const call = { id: "a1", name: "read", input: {} }
    const messages: Message[] = [
      userText("go"),
      {
        role: "assistant",
        id: "x",
        content: [{ type: "reasoning", text: "hm", field: "reasoning_content" }],
        calls: [call],
        stop: "tool_use",
        usage: { input: 0, output: 0, cached: 0, thought: 0 },
      },
      { role: "tool", results: [{ id: "a1", status: "ok", content: [{ type: "text", text: "done" }] }] },
    ]
    provider.script(
      refuses(400, {
        error: { message: "The reasoning_content in the thinking mode must be passed back to the API." },
      }),
      says("hello"),
    )
    await ask({ messages })
    const replies = provider.asked.map(({ body }) => (body["messages"] as object[])[2])
    const tool_calls = [{ id: "a1", type: "function", function: { name: "read", arguments: "{}" } }]
    expect(replies).toEqual([
      { role: "assistant", content: null, tool_calls },
      { role: "assistant", content: null, reasoning_content: "hm", tool_calls },
    ])
  })

  test("a refusal that names nothing of ours is a failure at once", async () => {
    provider.script(refuses(400, { error: { message: "The moon is in the wrong house." } }))
    const error = await failure()
    expect([error.kind, error.status, error.message]).toEqual([
      "request",
      400,
      `${provider.url} did not accept the request for model "m" (400): The moon is in the wrong house.`,
    ])
    expect(provider.asked.length).toBe(1)
  })
})

describe("failures", () => {
  test("MP-06 a rate limit is waited for as told, and told", async () => {
    provider.script(refuses(429, { error: { message: "slow down" } }, { "retry-after": "12" }), says("hello"))
    const events = await ask()
    expect(events[0]).toEqual({
      type: "notice",
      text: `${provider.url} limits the rate of requests to model "m" (429): slow down. Trying again in 13 s.`,
    })
    expect(lines(events)).toEqual(["notice", "text: hello", "end: end_turn"])
    expect(clock.waits).toEqual([12_600])
  })

  test("MP-06 five tries, and no more", async () => {
    provider.script(refuses(503, "busy"))
    const error = await failure()
    expect([error.kind, error.status]).toEqual(["server", 503])
    expect(provider.asked.length).toBe(5)
    expect(clock.waits).toEqual([500, 1000, 2000, 4000])
  })

  test("MP-06 a torn connection is tried again", async () => {
    provider.script({ refuse: true }, says("hello"))
    expect(lines(await ask())).toEqual(["notice", "text: hello", "end: end_turn"])
  })

  test("MP-04 an overflow is one, and its number is the window from then on", async () => {
    provider.script(
      refuses(400, {
        error: {
          message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
          code: "context_length_exceeded",
        },
      }),
    )
    const one = model()
    expect(one.contextWindow).toBeUndefined()
    const error = (await all(one.stream(request(), new AbortController().signal)).catch(
      (error) => error,
    )) as ModelFailure
    expect([error.kind, one.contextWindow, provider.asked.length]).toEqual(["too_long", 8192, 1])
  })

  test("MP-04 an error in a stream that began well, and no room for one word", async () => {
    provider.script({ steps: [event({ error: { message: "Context size has been exceeded." } })] })
    expect((await failure()).kind).toBe("too_long")
    provider.script({ steps: [chunk({ content: "" }, { finish: "length" }), DONE] })
    expect((await failure()).kind).toBe("too_long")
  })

  test("an error after text in the same read does not swallow the text", async () => {
    provider.script({ steps: [text("one ") + event({ error: { message: "boom", code: 502 } })] }, says("one two"))
    expect(lines(await ask())).toEqual(["text: one ", "restart", "notice", "text: one two", "end: end_turn"])
  })

  test("the key is in no message, also if the server repeats it", async () => {
    provider.script(refuses(401, { error: { message: "Incorrect API key provided: sk-secret-key-of-mine" } }))
    const error = await failure()
    expect(error.message).toBe(
      `${provider.url} refused the key for model "m" (401); sign in or give another key: Incorrect API key provided: ***`,
    )
  })

  test("MP-09 nobody there: why, and where", async () => {
    const { url } = provider
    await provider.close()
    const error = await failure()
    expect(error.kind).toBe("network")
    expect(error.message).toContain(
      `No answer, or not all of it, came from ${url} for model "m": connection refused; is the server running?`,
    )
    expect(clock.waits.length).toBe(2)
    provider = await startProvider()
  })
})

describe("cancelling", () => {
  test("CX-01 aborts the request while it streams", async () => {
    provider.script({ steps: [text("a"), { ends: "hang" }] })
    const cancel = new AbortController()
    const events: ModelEvent[] = []
    const reading = (async () => {
      for await (const event of model().stream(request(), cancel.signal)) {
        events.push(event)
        cancel.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ name: "AbortError" })
    await provider.asked[0]!.closed
    expect(events).toEqual([{ type: "text", delta: "a" }])
  })

  test("CX-02 before it began makes no request", async () => {
    const signal = AbortSignal.abort()
    await expect(all(model().stream(request(), signal))).rejects.toBe(signal.reason)
    expect(provider.asked).toEqual([])
  })

  test("MP-06 ends a wait", async () => {
    clock = quickClock([12_600])
    provider.script(refuses(429, "slow", { "retry-after": "12" }))
    const cancel = new AbortController()
    const reading = (async () => {
      for await (const event of model().stream(request(), cancel.signal))
        if (event.type === "notice") queueMicrotask(() => cancel.abort())
    })()
    await expect(reading).rejects.toMatchObject({ name: "AbortError" })
    expect(provider.asked.length).toBe(1)
  })

  test("a reader that leaves early closes the connection", async () => {
    provider.script({ steps: [text("a"), { ends: "hang" }] })
    for await (const _ of model().stream(request(), new AbortController().signal)) break
    await provider.asked[0]!.closed
  })
})
