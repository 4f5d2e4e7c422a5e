import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Client, type Loose, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { pausing, says as text } from "../support/replies.ts"

const HOME = {
  "custom_models.json": JSON.stringify({
    models: [
      {
        modelId: "thinker",
        baseUrl: "http://127.0.0.1:9/v1",
        apiKey: "k",
        reasoning: { supportedEfforts: ["low", "high"], defaultEffort: "low" },
      },
    ],
  }),
}

/** The value of each option. */
const dials = ({ configOptions }: { configOptions: Loose[] }) =>
  Object.fromEntries(configOptions.map(({ id, currentValue }) => [id, currentValue]))

const lastOf = (client: Client, kind: string) => client.updates(kind).at(-1)

describe("session/set_config_option", () => {
  test("R-076 R-077 R-078 switches the model, answers with the whole list, and tells it once more in an update", async () => {
    const { session } = await workshop({ home: HOME })
    const { client, sessionId } = await session()
    const from = client.story.length

    const answer = await client.request("session/set_config_option", {
      sessionId,
      configId: "models",
      value: "thinker",
    })
    await client.until("· config_option_update")

    expect(dials(answer)).toEqual({
      models: "thinker",
      access_policy: "default",
      mode: "code",
      reasoning_effort: "low", // PC-03: the options follow the model
    })
    expect(lastOf(client, "config_option_update")).toEqual({ sessionUpdate: "config_option_update", ...answer })
    expect(client.story.slice(from)).toEqual([
      "→ session/set_config_option",
      "← session/set_config_option",
      "· config_option_update",
    ])
  })

  test.for([
    ["access_policy", "yolo"],
    ["mode", "plan"],
    ["models", "koda-offline"],
  ] as const)("R-130 R-134 R-135 turns %s to %s and nothing else", async ([configId, value]) => {
    const { session } = await workshop({ home: HOME })
    const { client, sessionId } = await session()
    const answer = await client.request("session/set_config_option", { sessionId, configId, value })
    expect(dials(answer)).toEqual({ models: "m", access_policy: "default", mode: "code", [configId]: value })
  })

  test.for([
    ["R-079 an option", "colour", "red", "colour"],
    ["an option of every object", "toString", "x", "toString"],
    ["R-080 a model", "models", "gpt-99", "gpt-99"],
    ["R-080 a policy", "access_policy", "root", "root"],
    ["R-080 a mode", "mode", "chaos", "chaos"],
    ["R-080 an effort", "reasoning_effort", "low", "low"],
  ] as const)("%s that is not there is refused by name, and nothing changes", async ([, configId, value, named]) => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    const from = client.story.length

    const answer = await client.answerTo("session/set_config_option", { sessionId, configId, value })

    expect(answer).toMatchObject({
      error: { code: -32602, data: { details: expect.stringContaining(`"${named}"`), reason: "invalid_params" } },
    })
    expect(client.story.slice(from)).toEqual([
      "→ session/set_config_option",
      "← session/set_config_option error -32602",
    ])
  })

  test("R-301 a value that is none is named with its field", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    expect(await client.answerTo("session/set_config_option", { sessionId, configId: "mode", value: 3 })).toMatchObject(
      {
        error: { code: -32602, data: { issues: [{ path: "value" }] } },
      },
    )
  })
})

describe("session/set_model", () => {
  test("R-081 R-082 switches the model of the session that is named, and the next request goes to it", async () => {
    const { provider } = await workshop()
    const shop = {
      "custom_models.json": JSON.stringify({ models: [{ modelId: "n", baseUrl: provider.url, apiKey: "k" }] }),
    }
    const place = await workshop({ home: shop, env: { OPENAI_BASE_URL: provider.url } })
    provider.script(says("hi"))
    const { client, sessionId } = await place.session()
    const other = await client.request("session/new", { cwd: place.cwd })

    expect(await client.request("session/set_model", { sessionId, modelId: "n" })).toEqual({})
    await client.request("session/prompt", { sessionId, prompt: text("hi") })
    await client.request("session/prompt", { sessionId: other.sessionId, prompt: text("hi") })

    expect(provider.asked.map(({ body }) => body["model"])).toEqual(["n", "m"])
    expect(dials(lastOf(client, "config_option_update"))["models"]).toBe("n")
  })

  test("R-083 a model outside the list is refused", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    expect(await client.answerTo("session/set_model", { sessionId, modelId: "gpt-99" })).toEqual({
      error: {
        code: -32602,
        message: 'Invalid params: there is no model "gpt-99"; there are m, koda-offline',
        data: { details: 'there is no model "gpt-99"; there are m, koda-offline', reason: "invalid_params" },
      },
    })
  })
})

describe("session/set_mode", () => {
  test("R-089 is told as a mode and as an option, after the answer", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session(STANDARD)
    const from = client.story.length

    expect(await client.request("session/set_mode", { sessionId, modeId: "debug" })).toEqual({})
    await client.until("· config_option_update")

    expect(client.story.slice(from)).toEqual([
      "→ session/set_mode",
      "← session/set_mode",
      "· current_mode_update",
      "· config_option_update",
    ])
    expect(client.updates("current_mode_update")).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "debug" },
    ])
  })

  test('"act" means code', async () => {
    const { session } = await workshop({ launch: { mode: "plan" } })
    const { client, sessionId } = await session()
    await client.request("session/set_mode", { sessionId, modeId: "act" })
    await client.until("· current_mode_update")
    expect(lastOf(client, "current_mode_update").currentModeId).toBe("code")
  })

  test("a mode that is not there is refused", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    expect(await client.answerTo("session/set_mode", { sessionId, modeId: "chaos" })).toMatchObject({
      error: { code: -32602, data: { details: expect.stringContaining("code, ask, plan, debug, educator") } },
    })
  })
})

describe("session/set_reasoning_effort", () => {
  test("R-084 R-085 R-087 R-088 is answered with the models, is kept for sessions to come, and is sent to the model", async () => {
    const { provider } = await workshop()
    const reasoning = { supportedEfforts: ["low", "high"], defaultEffort: "low" }
    const models = [{ modelId: "thinker", baseUrl: provider.url, apiKey: "k", reasoning }]
    const { session, home, cwd } = await workshop({
      home: { "custom_models.json": JSON.stringify({ models }) },
      settings: { model: "thinker" },
    })
    provider.script(says("hi"))
    const { client, sessionId } = await session()

    const answer = await client.request("session/set_reasoning_effort", { sessionId, effort: "high" })
    await client.request("session/prompt", { sessionId, prompt: text("hi") })

    const thinker = answer.models.availableModels.find(({ modelId }: Loose) => modelId === "thinker")
    expect(thinker.reasoning).toEqual({ ...reasoning, currentEffort: "high" })
    expect(provider.asked[0]?.body["reasoning_effort"]).toBe("high")
    const settings = JSON.parse(await readFile(join(home, "settings.json"), "utf8"))
    expect(settings).toEqual({ localModels: false, model: "thinker", reasoningEffort: { thinker: "high" } })
    const next = await client.request("session/new", { cwd })
    expect(dials(next)["reasoning_effort"]).toBe("high")
  })

  test("R-086 a level that the model does not have is refused", async () => {
    const { session } = await workshop({ home: HOME, settings: { model: "thinker" } })
    const { client, sessionId } = await session()
    expect(await client.answerTo("session/set_reasoning_effort", { sessionId, effort: "max" })).toMatchObject({
      error: { code: -32602, data: { details: 'there is no reasoning effort "max"; there are low, high' } },
    })
  })
})

test("R-008 PC-03 dials can be turned while a turn runs, which goes on", async () => {
  const { session, provider } = await workshop()
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.script(pausing("thinking", promise))
  const { client, sessionId } = await session()

  const prompt = client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.until("· agent_message_chunk")
  const answer = await client.request("session/set_config_option", { sessionId, configId: "mode", value: "ask" })
  resolve()

  expect(dials(answer)["mode"]).toBe("ask")
  expect(await prompt).toMatchObject({ stopReason: "end_turn" })
})

test("R-129 the policy and the mode of the start are those of the command line, else of the settings", async () => {
  const first = async (launch: object) => {
    const { client, cwd } = await workshop({ launch, settings: { approvalMode: "auto_edit", mode: "debug" } })
    const { configOptions, modes } = await (await client()).request("session/new", { cwd })
    return { ...dials({ configOptions }), modes: modes.currentModeId }
  }
  expect(await first({})).toMatchObject({ access_policy: "auto_edit", mode: "debug", modes: "debug" })
  expect(await first({ policy: "read_only", mode: "plan" })).toMatchObject({
    access_policy: "read_only",
    mode: "plan",
    modes: "plan",
  })
})

test("every request that names a session we do not have is told so", async () => {
  const { client } = await workshop()
  const koda = await client()
  const methods = [
    "session/prompt",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "session/close",
  ]
  for (const method of methods) {
    const answer = await koda.answerTo(method, { sessionId: "none", prompt: text("hi") })
    expect(answer).toMatchObject({ error: { code: -32002, data: { reason: "not_found", sessionId: "none" } } })
  }
})

test("a list of models that comes late reaches the sessions that are open, and those without a word take its default", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = await workshop()
  slow.provider.script({
    headers: { "content-type": "application/json" },
    steps: [promise, JSON.stringify({ data: [{ id: "late" }] })],
  })
  const env = { OPENAI_BASE_URL: slow.provider.url, OPENAI_API_KEY: "k" }
  const { session } = await workshop({ model: "none", env, settings: { model: "late" } })
  const { client, sessionId } = await session()
  expect(client.received.find(({ result }) => result?.models)?.result.models.currentModelId).toBe("koda-offline")

  resolve()
  await client.until("· config_option_update")

  expect(dials(lastOf(client, "config_option_update"))["models"]).toBe("late")
  slow.provider.script(says("Here I am."))
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(client.updates("agent_thought_chunk")).toEqual([]) // that it was missing is not so any more
})
