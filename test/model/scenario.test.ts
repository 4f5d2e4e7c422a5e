import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { type Message, NO_USAGE, textContent, userText } from "../../src/agent/message.ts"
import type { ModelEvent, ModelFailure, ModelRequest } from "../../src/agent/model.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"
import { scenarioModel } from "../../src/model/scenario.ts"
import { quickClock } from "../support/clock.ts"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"

const { files } = testRuntime()
const never = new AbortController().signal
const EXAMPLE = fileURLToPath(new URL("../../docs/examples/scenario.yaml", import.meta.url))

async function play(path: string, messages: Message[], rest: Partial<ModelRequest> = {}) {
  const clock = quickClock()
  const events: ModelEvent[] = []
  const stream = scenarioModel(files, path, clock).stream(
    { session: "s", instructions: "", messages, tools: [], ...rest },
    never,
  )
  const error = await (async () => {
    for await (const event of stream) events.push(event)
  })().catch((error) => error as ModelFailure)
  return { events, waits: clock.waits, error }
}

/** Plays replies, with empty results for their calls, until one makes none. */
async function turn(path: string, messages: Message[]): Promise<string[]> {
  const lines: string[] = []
  for (;;) {
    const { events } = await play(path, messages)
    const calls = events.flatMap((event) => (event.type === "call" ? [event.call] : []))
    const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("")
    lines.push([text.trim(), ...calls.map(({ name }) => `→${name}`)].filter(Boolean).join(" "))
    messages.push({
      role: "assistant",
      id: "a",
      content: text ? textContent(text) : [],
      calls,
      stop: "tool_use",
      usage: NO_USAGE,
    })
    if (calls.length === 0) return lines
    messages.push({ role: "tool", results: calls.map(({ id }) => ({ id, status: "ok", content: [] })) })
  }
}

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryFolder(), "scenario.yaml")
  await writeFile(path, text)
  return path
}

describe("koda-scenario", () => {
  test("plays the example in docs", async () => {
    const messages: Message[] = [userText("hello")]
    expect(await turn(EXAMPLE, messages)).toEqual([
      "Welcome. I look around first. →list_directory →read_file",
      "That is the project. Now a plan: →todo_write",
      "→write_file",
      "→run_shell_command",
      "Done. Say *limit*, *fail* or *long* to see how those look.",
    ])
    messages.push(userText("and now?"))
    expect(await turn(EXAMPLE, messages)).toEqual(["That was all. Goodbye."])
    messages.push(userText("more"))
    expect(await turn(EXAMPLE, messages)).toEqual(["The scenario has no more turns."])
  })

  test("ids of calls differ, and stay the same for the same request", async () => {
    const messages: Message[] = [userText("hello")]
    const ids = async () =>
      (await play(EXAMPLE, messages)).events.flatMap((event) => (event.type === "call" ? [event.call.id] : []))
    const first = await ids()
    expect(first).toEqual(await ids())
    await turn(EXAMPLE, messages)
    const all = messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : []))
    expect(new Set(all).size).toBe(all.length)
  })

  test("shows notices, waits, thoughts, counts, restarts, stops and failures", async () => {
    const limited = await play(EXAMPLE, [userText("show me the limit")])
    expect([limited.events[0], limited.waits]).toEqual([
      { type: "notice", text: "The server limits the rate of requests. Trying again in 1 s." },
      [1000],
    ])
    expect((await play(EXAMPLE, [userText("long")])).events.at(-1)).toEqual({
      type: "end",
      stop: "max_tokens",
      usage: NO_USAGE,
    })
    const failed = await play(EXAMPLE, [userText("fail")])
    expect([failed.error?.kind, failed.error?.status, failed.error?.message]).toEqual([
      "server",
      500,
      "The server gave up in the middle of a sentence.",
    ])
    const path = await fileOf(
      "turns: [{ steps: [{ thought: hm }, restart, { text: hi }, { usage: { input: 5, thought: 1 } }] }]",
    )
    expect((await play(path, [userText("x")])).events).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "restart" },
      { type: "text", delta: "hi" },
      { type: "end", stop: "end_turn", usage: { input: 5, output: 0, cached: 0, thought: 1 } },
    ])
  })

  test("a report of a subagent is nothing that it has said itself", async () => {
    const path = await fileOf("turns: [{ steps: [{ text: one }, results, { text: two }] }]")
    const report: Message[] = messagesForModel([{ role: "report", delivery: "d1", task: "t1", text: "gold" }])
    const said: Message = { role: "assistant", id: "a", content: [], calls: [], stop: "end_turn", usage: NO_USAGE }
    const texts = async (messages: Message[]) =>
      (await play(path, messages)).events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).join("")
    expect(await texts([userText("x"), ...report])).toBe("one")
    expect(await texts([userText("x"), ...report, said, ...report])).toBe("two")
  })

  test("subagents have lines of their own", async () => {
    const { events } = await play(EXAMPLE, [userText("look for x")], { task: "t1" })
    expect(events.map((event) => (event.type === "text" ? event.delta : "")).join("")).toBe(
      "Found: nothing, since I only play a scenario.",
    )
  })

  test.each([
    ["turns: [", "can't be read"],
    ["turns: 7", "turns: must be a list, not 7"],
    ["trns: []", "turns: is missing"],
    ["turns: []\nmore: 1", "more: is not known here"],
    ["", "the file: must be an object, not null"],
    ["turns: [{ steps: [{ txt: hi }] }]", 'turns.0.steps.0: {"txt":"hi"} is no step; a step is one of text, '],
    ['turns: [{ when: "(", steps: [] }]', "turns.0.when: is no regular expression"],
  ])("a file that can't be played says where: %s", async (text, words) => {
    const path = await fileOf(text)
    const { error } = await play(path, [userText("x")])
    expect(error?.message).toContain(path)
    expect(error?.message).toContain(words)
    expect(error?.message).not.toContain("\n")
  })

  test("a file that is not there is named", async () => {
    expect((await play("/nowhere/x.yaml", [userText("x")])).error?.message).toContain("/nowhere/x.yaml")
  })
})
