import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Client, type Loose, STANDARD, workshop } from "../support/client.ts"
import { folderOf } from "../support/folder.ts"
import { keeping, kept, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { calls } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const optionOf = (answer: Loose, id: string) => answer.configOptions.find((one: Loose) => one.id === id)?.currentValue
const toolsOf = (provider: Loose): string[] => provider.asked.at(-1).body.tools.map((tool: Loose) => tool.function.name)

/** Sets every dial and says something. */
async function dialled() {
  const place = await kept()
  const { first, sessionId } = place
  for (const [configId, value] of [
    ["access_policy", "yolo"],
    ["mode", "ask"],
    ["models", "koda-offline"],
  ]) {
    await first.request("session/set_config_option", { sessionId, configId, value })
  }
  return place
}

test("PC-03 R-143 R-144 mode and model persist with the session; the access policy is the launch's, also in the process that has it open", async () => {
  const { first, again, cwd, sessionId } = await dialled()
  const params = { sessionId, cwd, mcpServers: [] }
  for (const client of [first, await again().client(STANDARD)]) {
    const from = client.story.length
    await client.request("session/load", params)
    await client.until("· session_info_update", from)
    const update = client.updates("config_option_update").at(-1)
    expect([optionOf(update, "models"), optionOf(update, "access_policy"), optionOf(update, "mode")]).toEqual([
      "koda-offline",
      "default",
      "ask",
    ])
  }
})

test("PC-03 dials can be turned on a session that was loaded, and what they can't be is refused", async () => {
  const { again, cwd, sessionId } = await dialled()
  const client = await again().client(STANDARD)
  await client.request("session/load", { sessionId, cwd, mcpServers: [] })
  await client.request("session/set_mode", { sessionId, modeId: "plan" })
  await client.request("session/set_model", { sessionId, modelId: "m" })
  for (const [method, params] of [
    ["session/set_mode", { modeId: "nonsense" }],
    ["session/set_model", { modelId: "nonsense" }],
    ["session/set_config_option", { configId: "access_policy", value: "nonsense" }],
  ] as const) {
    expect(await client.answerTo(method, { sessionId, ...params })).toMatchObject({ error: { code: -32602 } })
  }
  const other = await again().client(STANDARD)
  const answer = await other.request("session/load", { sessionId, cwd, mcpServers: [] })
  expect([optionOf(answer, "models"), optionOf(answer, "mode")]).toEqual(["m", "plan"])
})

test("what a load says of tools and words is taken, also in the process that has the session open; leaving it out widens nothing", async () => {
  const place = await keeping()
  const { provider, cwd } = place
  provider.script(says("hi"))
  const { client, sessionId } = await place.session(
    {},
    { excludeTools: ["run_shell_command"], systemPrompt: "A pirate." },
  )
  await prompt(client, sessionId, "hi")
  const load = (who: Client, more: object = {}) =>
    who.request("session/load", { sessionId, cwd, mcpServers: [], ...more })

  for (const who of [client, await place.again().client()]) {
    await load(who, { coreTools: ["read_file", "shell"], systemPrompt: "A monk." })
    await prompt(who, sessionId, "hi")
    expect(toolsOf(provider)).toEqual(["read_file"])
    expect((provider.asked.at(-1)!.body as Loose).messages[0].content).toMatch(/^A monk\./)
  }
  const last = await place.again().client()
  await load(last)
  await prompt(last, sessionId, "hi")
  expect(toolsOf(provider)).not.toContain("run_shell_command")
  expect((provider.asked.at(-1)!.body as Loose).messages[0].content).toMatch(/^A pirate\./)
})

test("additional directories come from the params alone", async () => {
  const extra = await folderOf({ "far.txt": "FAR" })
  const place = await keeping()
  const { provider, cwd } = place
  const reads = () => [calls({ name: "read_file", input: { path: `${extra}/far.txt` } }), says("ok")]
  provider.script(...reads())
  const { client, sessionId } = await place.session(STANDARD, { additionalDirectories: [extra] })
  await prompt(client, sessionId, "Read it")
  expect(client.asked("session/request_permission")).toEqual([])

  for (const [directories, questions] of [
    [[extra], 0],
    [undefined, 1],
  ] as const) {
    const other = await place.again().client(STANDARD)
    const more = directories && { additionalDirectories: directories }
    await other.request("session/load", { sessionId, cwd, mcpServers: [], ...more })
    provider.script(...reads())
    await prompt(other, sessionId, "Read it again")
    expect(other.asked("session/request_permission")).toHaveLength(questions)
  }
})

test("a load whose params are wrong is refused, and the session is as it was", async () => {
  const { again, cwd, sessionId } = await kept()
  const client = await again().client()
  for (const wrong of [
    { cwd: "." },
    { cwd: undefined },
    { additionalDirectories: ["relative"] },
    { additionalDirectories: [`${await temporaryFolder()}/gone`] },
  ]) {
    expect(await client.answerTo("session/load", { sessionId, cwd, mcpServers: [], ...wrong })).toMatchObject({
      error: { code: -32602 },
    })
  }
  expect(client.updates("user_message_chunk")).toEqual([])
  expect(await client.answerTo("session/load", { cwd, mcpServers: [] })).toMatchObject({ error: { code: -32602 } })
  expect(await client.request("session/load", { sessionId, cwd, mcpServers: [] })).toBe(null)
})

test("a session whose model's list comes late has its model again, as long as nothing was said meanwhile", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const gateway = await workshop()
  const json = { "content-type": "application/json" }
  const list = JSON.stringify({ data: [{ id: "first" }, { id: "mine" }] })
  gateway.provider.script({ headers: json, steps: [list] })
  const env = { OPENAI_BASE_URL: gateway.provider.url, OPENAI_API_KEY: "k" }
  const place = await keeping({ model: "none", env })
  const { client, sessionId } = await place.session()
  await client.request("session/set_model", { sessionId, modelId: "mine" })
  gateway.provider.script(says("hi"), { headers: json, steps: [promise, list] })
  await prompt(client, sessionId, "hi")

  await rm(join(place.home, "models.json")) // so that the list is waited for
  const other = await place.again().client(STANDARD)
  const { configOptions } = await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
  expect(configOptions[0].currentValue).toBe("koda-offline")
  const model = () => other.updates("config_option_update").at(-1)?.configOptions[0].currentValue
  resolve()
  while (model() !== "mine") await other.until("· config_option_update", other.story.length)

  gateway.provider.script(says("Here again."))
  await prompt(other, sessionId, "And?")
  expect(other.updates("agent_thought_chunk")).toEqual([])
})
