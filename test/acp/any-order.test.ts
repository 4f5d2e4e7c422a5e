import fc from "fast-check"
import { expect, test } from "vitest"
import { type Client, type Loose, type Message, unanswered, workshop } from "../support/client.ts"
import { type Script, says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

// Whatever a client sends, in whatever order and without waiting, some things always hold.

/** What the model does next. */
const replies: Record<string, () => Script> = {
  says: () => says("words"),
  reads: () => calls({ name: "read_file", input: { path: "a.txt" } }),
  edits: () => calls({ name: "write_file", input: { path: "b.txt", content: "b" } }),
  runs: () => calls({ name: "run_shell_command", input: { command: "touch c.txt" } }),
  fails: () => ({ status: 400, steps: ["no"] }),
  hangs: () => pausing("thinking", unanswered),
}

const OTHERS = fc.constantFrom("withdraw", "steer", "mode", "policy", "model", "new", "load", "fork", "close", "list")
const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant("prompt" as const) },
  { weight: 2, arbitrary: fc.constant("cancel" as const) },
  { weight: 7, arbitrary: fc.constant("wait" as const) },
  { weight: 5, arbitrary: OTHERS },
)

const day = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  replies: fc.array(fc.constantFrom(...Object.keys(replies)), { minLength: 5, maxLength: 30 }),
  answers: fc.array(fc.constantFrom("proceed_once", "proceed_always", "cancel"), { minLength: 1 }),
})

test("every request is answered once, cards are closed, and nothing of a turn follows its answer", async () => {
  const { again, provider, cwd } = await workshop({
    files: { "a.txt": "a" },
    env: { KODA_ACP_SESSION_STORE_DIR: `${await temporaryFolder()}/sessions` },
  })
  await fc.assert(
    fc.asyncProperty(day, async ({ steps, replies: names, answers }) => {
      provider.script(...names.map((name) => (replies[name] as () => Script)()), says("the end"))
      const { client, server } = await live(again, answers)
      const asked = provider.asked.length
      const sent = await play(client, cwd, steps)
      await settled(client)
      check(client, sent)
      for (const { body } of provider.asked.slice(asked)) checkRequest(body)
      await client.hangUp()
      await server.close()
    }),
    { numRuns: 20 },
  )
}, 120_000)

async function live(again: Awaited<ReturnType<typeof workshop>>["again"], answers: readonly string[]) {
  const { session, server } = again()
  const { client } = await session()
  let question = 0
  client.on("session/request_permission", () => ({
    outcome: { outcome: "selected", optionId: answers[question++ % answers.length] },
  }))
  return { client, server }
}

/** The requests that were sent: their ids, and the sessions they are about. */
type Sent = Map<unknown, string>

async function play(client: Client, cwd: string, steps: readonly string[]): Promise<Sent> {
  const sent: Sent = new Map()
  const params = { cwd, mcpServers: [] }
  let id = 1000
  for (const step of steps) {
    const ids = client.received.flatMap(({ result }) => (result?.sessionId ? [result.sessionId as string] : []))
    const sessionId = ids.at(-1)
    const ask = (method: string, more: object) => {
      client.write({ id: ++id, method, params: { sessionId, ...more } })
      sent.set(id, sessionId ?? "")
    }
    switch (step) {
      case "wait":
        await rest(client)
        break
      case "cancel":
        client.notify("session/cancel", { sessionId })
        break
      case "withdraw":
        client.notify("$/cancel_request", { requestId: id })
        break
      case "prompt":
        ask("session/prompt", { prompt: text(`prompt ${id}`), _meta: { "com.kodadev.desktopEntryId": "label" } })
        break
      case "steer":
        ask("_session/steering", { prompt: text(`steer ${id}`) })
        break
      case "mode":
        ask("session/set_mode", { modeId: id % 2 ? "plan" : "code" })
        break
      case "policy":
        ask("session/set_config_option", { configId: "access_policy", value: id % 2 ? "yolo" : "default" })
        break
      case "model":
        ask("session/set_model", { modelId: id % 2 ? "m" : "koda-offline" })
        break
      case "fork":
        ask("session/fork", { ...params, _meta: { "com.kodadev.desktopEntryId": "label" } })
        break
      case "new":
      case "load":
      case "close":
      case "list":
        ask(`session/${step}`, params)
    }
  }
  return sent
}

/** Waits until nothing has come for a while. */
async function rest(client: Client): Promise<void> {
  for (let seen = -1; seen < client.received.length; ) {
    seen = client.received.length
    await new Promise((resolve) => setTimeout(resolve, 8))
  }
}

/** Stops what still runs, and waits for every answer. */
async function settled(client: Client): Promise<void> {
  await rest(client)
  const open = () => [...client.methods.keys()].filter((id) => !client.received.some(isAnswerTo(id)))
  while (open().length > 0) {
    for (const { result } of client.received) {
      if (result?.sessionId) client.notify("session/cancel", { sessionId: result.sessionId })
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
}

const isAnswerTo = (id: unknown) => (message: Message) => message.method === undefined && message.id === id

function check(client: Client, sent: Sent): void {
  for (const id of client.methods.keys()) expect(client.received.filter(isAnswerTo(id))).toHaveLength(1)
  const known = new Set<string>()
  /** The cards that are open, and by session the requests that may still tell of a turn, or of those before. */
  const cards = new Set<string>()
  const telling = new Set([...sent.keys()].filter((id) => /prompt|load/.test(client.methods.get(id) ?? "")))
  for (const { id, method, params, result, error } of client.received) {
    if (typeof result?.sessionId === "string") known.add(result.sessionId)
    if (error) expect(error.data?.reason).not.toBe("internal")
    if (method === undefined) telling.delete(id)
    if (method !== "session/update") continue
    const { sessionId, update } = params
    expect(known).toContain(sessionId)
    if (update.sessionUpdate === "tool_call") cards.add(`${sessionId} ${update.toolCallId}`)
    if (["completed", "failed"].includes(update.status)) cards.delete(`${sessionId} ${update.toolCallId}`)
    if (!/^agent_|^tool_|^user_/.test(update.sessionUpdate)) continue
    expect([...telling].map((id) => sent.get(id))).toContain(sessionId)
  }
  expect([...cards]).toEqual([])
}

/** What a strict server would refuse. */
function checkRequest({ messages }: Loose): void {
  const due: string[] = []
  for (const { role, tool_calls, tool_call_id, content } of messages ?? []) {
    if (role === "tool") expect(due.shift()).toBe(tool_call_id)
    else expect(due).toEqual([])
    due.push(...(tool_calls ?? []).map(({ id }: Loose) => id))
    if (role === "assistant" && !tool_calls) expect(content).not.toBe("")
  }
  expect(due).toEqual([])
}
