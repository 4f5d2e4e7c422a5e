import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"
import { chunk, DONE, refuses, says } from "../support/provider.ts"
import { calls, costs, pausing } from "../support/replies.ts"

const EDIT = calls({ name: "replace", input: { path: "a.txt", old_string: "old", new_string: "new" } })
const ending = (finish: string) => ({ steps: [chunk({ content: "so far" }), chunk({}, { finish }), DONE] })
type Sent = { content: string }[]

describe("koda -p answers one prompt", () => {
  test("on standard output, and with 0", async () => {
    const { run, provider } = await commandLine()
    provider.script(says("Hello."))
    expect(await run("-p", "hi")).toEqual({ code: 0, out: "Hello.\n", err: [] })
    expect((provider.asked[0]!.body["messages"] as Sent).at(-1)).toEqual({ role: "user", content: "hi" })
  })

  test("with what the pipe brings behind it", async () => {
    const { run, provider } = await commandLine({ input: "line one\nline two\n" })
    provider.script(says("Two."))
    await run("-p", "How many lines?")
    expect((provider.asked[0]!.body["messages"] as Sent).at(-1)!.content).toBe("How many lines?\n\nline one\nline two")
  })

  test("that is what the pipe brings, if there is no other", async () => {
    const { run, provider } = await commandLine({ input: "just this\n" })
    provider.script(says("Yes."))
    await run("-p")
    expect((provider.asked[0]!.body["messages"] as Sent).at(-1)!.content).toBe("just this")
  })

  test("and says how, if nothing is asked", async () => {
    const { run } = await commandLine()
    expect(await run("-p")).toEqual({
      code: 2,
      out: "",
      err: ['koda: -p needs a prompt: `koda -p "…"`, or text from a pipe', "Try `koda --help`"],
    })
  })

  test("two replies stand apart", async () => {
    const { run, provider } = await commandLine({ files: { "a.txt": "" } })
    const looking = calls({ name: "read_file", input: { path: "a.txt" } })
    provider.script({ steps: [chunk({ content: "I look." }), ...looking.steps!] }, says("Empty."))
    expect((await run("-p", "hi")).out).toBe("I look.\n\nEmpty.\n")
  })
})

describe("what it prints", () => {
  const turn = [
    calls({ name: "read_file", input: { path: "a.txt" } }),
    costs("Done.", { prompt_tokens: 3, completion_tokens: 2 }),
  ]

  test("json: one object with the answer, the reason and the cost", async () => {
    const { run, provider } = await commandLine({ files: { "a.txt": "" } })
    provider.script(...turn)
    const { code, out, err } = await run("-p", "hi", "--output-format", "json")
    expect([code, err]).toEqual([0, []])
    expect(JSON.parse(out)).toEqual({
      result: "Done.",
      stopReason: "end_turn",
      usage: { totalTokens: 5, inputTokens: 3, outputTokens: 2, thoughtTokens: 0, cachedReadTokens: 0 },
      sessionId: expect.any(String),
      _meta: { "com.kodadev.promptId": expect.any(String) },
    })
  })

  test("stream-json: each update on a line, as ACP has it, and the result at last", async () => {
    const { run, provider } = await commandLine({ files: { "a.txt": "" } })
    provider.script(...turn)
    const { out } = await run("-p", "hi", "--output-format", "stream-json")
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map(({ sessionUpdate, status, type }) => [sessionUpdate ?? type, status])).toEqual([
      ["session_info_update", undefined],
      ["tool_call", "pending"],
      ["tool_call_update", "in_progress"],
      ["tool_call_update", "completed"],
      ["agent_message_chunk", undefined],
      ["result", undefined],
    ])
    expect(lines.at(-1)).toMatchObject({ type: "result", stopReason: "end_turn" })
  })

  test("json of a failure: the error", async () => {
    const { run, provider } = await commandLine()
    provider.script(refuses(400, { error: { message: "odd" } }))
    const { code, out } = await run("-p", "hi", "--output-format", "json")
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { error: { code: -32603, message: expect.stringContaining("odd") } },
    ])
  })
})

describe("how it ends", () => {
  test("1 for an error, which is told on standard error, without the key", async () => {
    const { run, provider } = await commandLine()
    provider.script(refuses(401, { error: { message: "bad key sk-0123456789" } }))
    const { code, out, err } = await run("-p", "hi")
    expect([code, out, err.length]).toEqual([1, "", 1])
    expect(err[0]).toMatch(/refused the key.*bad key/)
    expect(err[0]).not.toContain("sk-0123456789")
  })

  test("2 for an option that is none, with the nearest", async () => {
    const { run } = await commandLine()
    expect(await run("-p", "hi", "--outputformat", "json")).toEqual({
      code: 2,
      out: "",
      err: ['koda: There is no option "--outputformat"; did you mean "--output-format"?', "Try `koda --help`"],
    })
  })

  test("2 for a model that is not there", async () => {
    const { run } = await commandLine()
    const { code, err } = await run("-p", "hi", "--model", "gpt-99")
    expect([code, err[0]]).toEqual([2, 'koda: There is no model "gpt-99"; there are m, koda-offline'])
  })

  test("3 for too many requests in the turn", async () => {
    const { run, provider } = await commandLine({ files: { "a.txt": "" }, settings: { maxTurnRequests: 1 } })
    provider.script(calls({ name: "read_file", input: { path: "a.txt" } }))
    expect((await run("-p", "hi")).code).toBe(3)
  })

  test.for([
    ["length", "the answer was cut off by the model's limit of tokens"],
    ["content_filter", "the model refused to answer"],
  ] as const)("4 for an answer that ends by %s", async ([finish, why]) => {
    const { run, provider } = await commandLine()
    provider.script(ending(finish))
    expect(await run("-p", "hi")).toEqual({ code: 4, out: "so far\n", err: [`koda: ${why}`] })
  })

  test("130 for Ctrl-C, with what was said by then", async () => {
    const { run, stop, provider, printed } = await commandLine()
    provider.script(pausing("thinking", new Promise(() => {})))
    const ended = run("-p", "hi")
    while (printed() === "") await new Promise((resolve) => setTimeout(resolve, 1))
    stop()
    expect(await ended).toMatchObject({ code: 130, out: "thinking\n" })
  })
})

describe("nobody is there to ask", () => {
  test("so what would be asked is refused, named, and told to the model", async () => {
    const { run, provider, cwd } = await commandLine({ files: { "a.txt": "old" } })
    provider.script(EDIT, says("I could not."))
    expect(await run("-p", "hi")).toEqual({ code: 0, out: "I could not.\n", err: ["koda: refused: Edit a.txt"] })
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("old")
    expect((provider.asked[1]!.body["messages"] as Sent).at(-1)!.content).toMatch(/there is nobody to ask/)
  })

  test("but what the user has allowed on the command line is done", async () => {
    const { run, provider, cwd } = await commandLine({ files: { "a.txt": "old" } })
    provider.script(EDIT, says("Done."))
    expect(await run("-p", "hi", "--approval-mode", "auto_edit")).toEqual({ code: 0, out: "Done.\n", err: [] })
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("new")
  })
})

describe("koda -p without the models it was set up for", () => {
  const UNNAMED = { OPENAI_MODEL: "" }
  const list = { headers: { "content-type": "application/json" }, steps: [JSON.stringify({ data: [{ id: "late" }] })] }

  test("fails and says why, and koda-offline answers nobody who did not ask for it", async () => {
    const { run, provider } = await commandLine({ env: UNNAMED })
    provider.script(refuses(401, "no"), refuses(401, "no"))
    expect(await run("-p", "hi")).toEqual({
      code: 1,
      out: "",
      err: [
        `koda: No models came from ${provider.url}: it refuses the key (401). \`--model koda-offline\` does without a language model`,
      ],
    })
    expect((await run("-p", "hi", "--model", "koda-offline")).code).toBe(0)
  })

  test("fails if the settings name one that there is not, and nothing else is there", async () => {
    const { run } = await commandLine({
      env: { OPENAI_MODEL: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
      settings: { model: "gone" },
    })
    expect((await run("-p", "hi")).code).toBe(1)
  })

  test("waits for a list that is late", async () => {
    const { run, provider } = await commandLine({ env: UNNAMED })
    const late = new Promise((resolve) => setTimeout(resolve, 400)) // longer than an editor is made to wait
    provider.script({ ...list, steps: [late, ...list.steps] }, says("Hello."))
    expect(await run("-p", "hi")).toEqual({ code: 0, out: "Hello.\n", err: [] })
  })
})

test("koda -p says that no message goes into a traffic log", async () => {
  const { run, provider } = await commandLine()
  provider.script(says("Hello."))
  expect(await run("-p", "hi", "--traffic-log", "x")).toEqual({
    code: 0,
    out: "Hello.\n",
    err: ["koda: --traffic-log goes with --acp; here nothing is written to it"],
  })
})
