import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Client, type Loose, quiet, workshop } from "../support/client.ts"
import { says as text } from "../support/replies.ts"

const THINKER = {
  modelId: "thinker",
  baseUrl: "http://127.0.0.1:9/v1",
  apiKey: "k",
  reasoning: { supportedEfforts: ["low", "high"], defaultEffort: "low" },
}
const place = () =>
  workshop({ home: { "custom_models.json": JSON.stringify({ models: [THINKER] }) }, settings: { model: "thinker" } })
const effort = (client: Client) => client.updates("config_option_update").at(-1)?.configOptions.at(-1).currentValue

/** As another process writes it. */
async function settle(home: string, change: (settings: Record<string, unknown>) => object): Promise<void> {
  const path = join(home, "settings.json")
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, "utf8")))))
}

test("R-087 R-088 an effort that is chosen in another process is told, and holds from the next request", async () => {
  const { session, home } = await place()
  const { client } = await session()
  const from = client.story.length
  await settle(home, (settings) => ({ ...settings, reasoningEffort: { thinker: "high", other: "low" } }))
  await client.until("· config_option_update", from)
  expect(effort(client)).toBe("high")
  expect(client.updates("config_option_update")).toHaveLength(1)
})

test("a choice of one session is every session's, told once to each", async () => {
  const { session, cwd, home } = await place()
  const { client, sessionId } = await session()
  const other = await client.request("session/new", { cwd, mcpServers: [] })
  await client.request("session/set_reasoning_effort", { sessionId, effort: "high" })
  const told = () => client.received.filter(({ params }) => params?.update?.sessionUpdate === "config_option_update")
  while (told().length < 2) await client.until("· config_option_update", client.story.length)

  expect(told().map(({ params }) => params.sessionId)).toEqual([sessionId, other.sessionId])
  expect(JSON.parse(await readFile(join(home, "settings.json"), "utf8"))).toMatchObject({
    reasoningEffort: { thinker: "high" },
  })
})

test("other changes of the settings, and settings that can't be read, are told of by nothing", async () => {
  const { session, home } = await place()
  const { client } = await session()
  await settle(home, (settings) => ({ ...settings, reasoningEffort: { other: "high" }, mode: "plan" }))
  await writeFile(join(home, "settings.json"), "{ broken")
  const from = client.story.length
  await writeFile(join(home, "settings.json"), JSON.stringify({ reasoningEffort: { thinker: "high" } }))
  await client.until("· config_option_update", from)
  await quiet()
  expect(client.updates("config_option_update")).toHaveLength(1)
})

test("R-084 an effort that can't be kept holds in the session, and the user is told why it will be forgotten", async () => {
  const { session, home } = await place()
  const { client, sessionId } = await session()
  await writeFile(join(home, "settings.json"), "{ broken")
  const { models } = await client.request("session/set_reasoning_effort", { sessionId, effort: "high" })
  await client.request("session/prompt", { sessionId, prompt: text("/help") })

  const thinker = models.availableModels.find(({ modelId }: Loose) => modelId === "thinker")
  expect(thinker.reasoning.currentEffort).toBe("high")
  expect(client.updates("agent_thought_chunk").map(({ content }) => content.text)).toContainEqual(
    expect.stringMatching(/^The reasoning effort "high" holds in this session alone: .*settings\.json:1: /),
  )
  expect(await readFile(join(home, "settings.json"), "utf8")).toBe("{ broken")
})
