import { expect, test } from "vitest"
import { type Loose, quiet, STANDARD, workshop } from "../support/client.ts"
import { kept } from "../support/kept.ts"
import { temporaryFolder } from "../support/runtime.ts"

test("R-023 R-025 resume: the same answers and updates as load, without the history", async () => {
  const { again, cwd, sessionId } = await kept()
  const params = { sessionId, cwd, mcpServers: [] }
  const stories: { answer: Loose; before: string[]; after: string[] }[] = []
  for (const [dialect, method] of [
    [{}, "session/load"],
    [{}, "session/resume"],
    [STANDARD, "session/load"],
    [STANDARD, "session/resume"],
  ] as const) {
    const client = await again().client(dialect)
    const from = client.story.length
    const answer = await client.request(method, params)
    await client.until("· session_info_update", from)
    await quiet()
    const answered = client.story.indexOf(`← ${method}`)
    stories.push({ answer, after: client.story.slice(answered + 1), before: client.story.slice(from + 1, answered) })
  }
  const [koda, kodaResume, standard, standardResume] = stories
  expect([koda!.answer, kodaResume!.answer]).toEqual([null, null])
  expect(Object.keys(standard!.answer)).toEqual(["modes", "configOptions"])
  expect(standardResume!.answer).toEqual(standard!.answer)
  expect([kodaResume!.after, standardResume!.after]).toEqual([koda!.after, standard!.after])
  expect([kodaResume!.before, standardResume!.before]).toEqual([[], []])
})

test("without the history the plan comes with the start-up updates, after the answer", async () => {
  const { first, again, cwd, sessionId } = await kept()
  const entries = [{ content: "Mine", status: "pending", priority: "medium" }]
  await first.request("session/set_plan", { sessionId, entries })
  for (const [method, more] of [
    ["session/resume", {}],
    ["session/load", { _meta: { "com.kodadev.replay": false } }],
  ] as const) {
    const client = await again().client()
    await client.request(method, { sessionId, cwd, mcpServers: [], ...more })
    await client.until("· context_usage_update")
    expect(client.story.indexOf("· plan")).toBe(client.story.indexOf(`← ${method}`) + 1)
    expect(client.updates("plan").at(-1)?.entries).toEqual(entries)
  }
})

test("resume without a store, and of a session that is not there, fails as load does", async () => {
  const without = await workshop()
  const { client, sessionId } = await without.session()
  expect(await client.answerTo("session/resume", { sessionId, cwd: without.cwd, mcpServers: [] })).toMatchObject({
    error: { code: -32001, data: { reason: "store_disabled", sessionId } },
  })
  const place = await kept()
  const params = { sessionId: place.sessionId, cwd: await temporaryFolder(), mcpServers: [] }
  expect(await place.first.answerTo("session/resume", params)).toMatchObject({
    error: { code: -32001, data: { reason: "cwd_mismatch" } },
  })
})
