import { describe, expect, test } from "vitest"
import { chunk, DONE } from "../support/provider.ts"
import { begin, INITIALIZE, prompt, said, startKoda, updates } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

const SESSIONS = 20
const CHUNKS = 100_000

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("R-008 serves 20 sessions with prompts at once, each with its own", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) => {
      const { content } = asked.messages.findLast(({ role }) => role === "user")
      const name = /session \d+/.exec(JSON.stringify(content))?.[0] ?? "?"
      return lastOf(asked).role === "tool" ? words("I am ", name) : calls(["read_file", { path: "a.txt" }])
    })
    const koda = startKoda(subject, place, { env: model.env })
    await koda.request("initialize", INITIALIZE)
    const numbers = Array.from({ length: SESSIONS }, (_, number) => number)
    const opened = await Promise.all(
      numbers.map(() => koda.request("session/new", { cwd: place.workspace, mcpServers: [] })),
    )
    const ids = opened.map(({ result }) => result.sessionId as string)
    const answers = await Promise.all(ids.map((id, number) => prompt(koda, id, `You are session ${number}.`)))
    expect(answers.map(({ result }) => result?.stopReason)).toEqual(numbers.map(() => "end_turn"))
    expect(ids.map((id) => said(koda, id))).toEqual(numbers.map((number) => `I am session ${number}`))
    for (const [number, id] of ids.entries()) {
      const last = koda.frames.findLastIndex(({ params }) => params?.sessionId === id)
      expect(last, "what is told of a turn comes before its answer").toBeLessThan(koda.frames.indexOf(answers[number]!))
    }
  })

  test("CX-10 brings a reply of 100,000 pieces whole, in order, and before the answer", async () => {
    const place = await newPlace()
    const pieces = Array.from({ length: CHUNKS }, (_, number) => `${number} `)
    const model = await startModel(() => [
      ...pieces.map((content) => chunk({ content })),
      chunk({}, { finish: "stop", usage: { prompt_tokens: 5, completion_tokens: CHUNKS, total_tokens: CHUNKS + 5 } }),
      DONE,
    ])
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const answer = await prompt(koda, sessionId, "count")
    expect(answer.result.stopReason).toBe("end_turn")
    expect(koda.frames.at(-1)).toBe(answer)
    expect(said(koda, sessionId) === pieces.join("")).toBe(true)
    expect(new Set(updates(koda, sessionId).map(({ messageId }) => messageId)).size).toBeLessThan(4)
    expect(answer.result.usage.outputTokens).toBe(CHUNKS)
  })
})
