import { mkdir, rm, symlink } from "node:fs/promises"
import { expect, test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import type { Loose } from "../support/client.ts"
import { keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { calls } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"
import { databaseIn, sessionNamed, storeIn } from "../support/store.ts"

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test("SL-11 pages of a long list follow each other, the newest first and each session once; the last has no cursor", async () => {
  const { store: folder, client, cwd } = await keeping()
  const store = await storeIn(folder)
  const ids = Array.from({ length: 120 }, (_, at) => `s${String(at).padStart(3, "0")}`)
  for (const id of ids) {
    store.create(sessionNamed(id, { cwd, folder: cwd, roots: [cwd], title: `Title of ${id}` }))
    store.append(id, 0, userText("hi"))
  }
  const db = await databaseIn(folder)
  db.run("UPDATE session SET updated = 1700000000000 + 1000 * CAST(substr(id, 2) AS INTEGER)")

  const editor = await client()
  const pages: Loose[] = []
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
    const page = await editor.request("session/list", { cwd, ...(cursor !== undefined && { cursor }) })
    pages.push(page)
    cursor = page.nextCursor
  }
  expect(pages.map(({ sessions }) => sessions.length)).toEqual([50, 50, 20])
  expect(Object.keys(pages[2])).toEqual(["sessions"])
  const listed = pages.flatMap(({ sessions }) => sessions)
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([...ids].reverse())
  expect(listed[0]).toEqual({
    sessionId: "s119",
    cwd,
    title: "Title of s119",
    updatedAt: new Date(1700000119000).toISOString(),
  })
})

test("SL-11 a session that is spoken to while a client turns the pages is not listed twice in them, and none is left out", async () => {
  const { store: folder, client, cwd } = await keeping()
  const store = await storeIn(folder)
  for (let at = 0; at < 60; at++) {
    store.create(sessionNamed(`s${at}`, { cwd, folder: cwd }))
    store.append(`s${at}`, 0, userText("hi"))
  }
  const editor = await client()
  const first = await editor.request("session/list", { cwd })
  store.checkpoint("s3", 1)
  const second = await editor.request("session/list", { cwd, cursor: first.nextCursor })
  const listed = [...first.sessions, ...second.sessions].map(({ sessionId }: Loose) => sessionId)
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed.length).toBeGreaterThanOrEqual(59) // it may have moved to the front, past the page that was read
})

test("times are those of the last thing said, and a title of the first; turning a dial changes neither", async () => {
  const { first, cwd, sessionId, provider } = await kept()
  const listed = async () => (await first.request("session/list", { cwd })).sessions[0]
  const before = await listed()
  expect(before.updatedAt).toMatch(RFC_3339)
  expect(Math.abs(Date.parse(before.updatedAt) - Date.now())).toBeLessThan(60_000)
  await first.request("session/set_mode", { sessionId, modeId: "ask" })
  expect(await listed()).toEqual(before)
  provider.script(says("ok"))
  await prompt(first, sessionId, "Something else entirely")
  const after = await listed()
  expect(after.title).toBe("What is in a.txt?")
  expect(Date.parse(after.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt))
})

test("SL-10 SL-11 a list of a folder is the same by a link, by a trailing slash, and when the folder is gone", async () => {
  const { first, cwd, sessionId } = await kept()
  const link = `${await temporaryFolder()}/link`
  await symlink(cwd, link)
  const idsOf = async (folder: string) =>
    (await first.request("session/list", { cwd: folder })).sessions.map((one: Loose) => one.sessionId)
  expect([await idsOf(link), await idsOf(`${cwd}/`)]).toEqual([[sessionId], [sessionId]])
  await rm(cwd, { recursive: true })
  expect([await idsOf(cwd), await idsOf(`${cwd}/`)]).toEqual([[sessionId], [sessionId]])
  await mkdir(cwd)
  expect(await first.answerTo("session/list", { cwd: "relative" })).toMatchObject({ error: { code: -32602 } })
})

test("SA-09 what subagents say is in no list, is no session to load or fork, and goes with its parent", async () => {
  const place = await keeping()
  place.provider.script(
    calls({ id: "sub", name: "run_subagent", input: { description: "Look", prompt: "Look into a.txt" } }),
    says("The child has looked."),
    says("Parent is done."),
  )
  const { client, sessionId } = await place.session({ capabilities: { subagents: true } })
  await prompt(client, sessionId, "Send somebody", "one")
  const { tasks } = await client.request("session/subagent_list", { sessionId })
  const child = tasks[0].taskId as string
  const db = await databaseIn(place.store)
  expect(db.all("SELECT id FROM session WHERE parent = ?", sessionId)).toEqual([{ id: child }])

  const { sessions } = await client.request("session/list", {})
  expect(sessions.map((one: Loose) => one.sessionId)).toEqual([sessionId])
  const params = { sessionId: child, cwd: place.cwd, mcpServers: [], _meta: { [LABEL]: "one" } }
  expect(await client.answerTo("session/load", params)).toMatchObject({
    error: { code: -32001, data: { reason: "not_found" } },
  })
  expect(await client.answerTo("session/fork", params)).toMatchObject({
    error: { code: -32002, data: { reason: "not_found" } },
  })
  expect(await client.request("session/delete", { sessionId: child })).toEqual({})
  expect(db.all("SELECT id FROM session WHERE parent = ?", sessionId)).toEqual([{ id: child }])

  await client.request("session/delete", { sessionId })
  expect(db.all("SELECT id FROM session")).toEqual([])
  expect(db.all("SELECT session FROM entry")).toEqual([])
  expect(db.all("SELECT id FROM task")).toEqual([])
})

test("a session that another process has open is deleted under it, and it is told at its next prompt", async () => {
  const { first, again, cwd, sessionId } = await kept()
  const other = await again().client()
  expect(await other.request("session/delete", { sessionId })).toEqual({})
  expect(
    await first.answerTo("session/prompt", { sessionId, prompt: [{ type: "text", text: "Still?" }] }),
  ).toMatchObject({
    error: { code: -32002, data: { reason: "deleted" } },
  })
  expect(await first.request("session/list", { cwd })).toEqual({ sessions: [] })
})

test("a session that is closed can't be prompted, stays in the list, and can be loaded again", async () => {
  const { first, cwd, sessionId } = await kept()
  expect(await first.request("session/close", { sessionId })).toEqual({})
  expect(await first.answerTo("session/prompt", { sessionId, prompt: [{ type: "text", text: "?" }] })).toMatchObject({
    error: { code: -32002, data: { reason: "not_found" } },
  })
  const { sessions } = await first.request("session/list", { cwd })
  expect(sessions.map((one: Loose) => one.sessionId)).toEqual([sessionId])
  expect(await first.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
})
