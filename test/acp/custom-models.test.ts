import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Loose, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { says as text } from "../support/replies.ts"

const KEY = "sk-custom-0123456789"

test("R-100 R-101 R-102 R-106 a model that is added is listed without its key, offered to sessions, and talked to", async () => {
  const { session, provider, home } = await workshop({ model: "none" })
  provider.script(says("hello"))
  const { client, sessionId } = await session()

  const model = { modelId: "mine", baseUrl: provider.url, apiKey: KEY }
  const added = await client.request("koda/custom_models/upsert", model)
  await client.until("· config_option_update")
  await client.request("session/set_model", { sessionId, modelId: "mine" })
  const turn = await client.request("session/prompt", { sessionId, prompt: text("hi") })

  expect(added).toEqual({ models: [{ modelId: "mine", baseUrl: provider.url }] })
  expect(await client.request("koda/custom_models/list")).toEqual(added)
  expect(turn).toMatchObject({ stopReason: "end_turn" })
  expect(provider.asked[0]).toMatchObject({
    url: "/v1/chat/completions",
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: "mine" },
  })
  expect((await stat(join(home, "custom_models.json"))).mode & 0o777).toBe(0o600)
  expect(JSON.stringify(client.received)).not.toContain(KEY)
})

test("a model that is added takes the place of koda-offline only where the user has not chosen koda-offline", async () => {
  const { session, client } = await workshop({ model: "none" })
  const { client: first, sessionId } = await session()
  await first.request("session/set_model", { sessionId, modelId: "koda-offline" })
  await first.until("· config_option_update")
  const { client: second } = await session()

  const model = { modelId: "mine", baseUrl: "http://a.example/v1", apiKey: KEY }
  await (await client()).request("koda/custom_models/upsert", model)

  const current = ({ updates }: Loose) => updates("config_option_update").at(-1).configOptions[0].currentValue
  await second.until("· config_option_update")
  expect([current(first), current(second)]).toEqual(["koda-offline", "mine"])
})

test("R-103 a new model needs a key, and one that is there keeps its own", async () => {
  const { client, home } = await workshop()
  const koda = await client()
  const upsert = (more: object) =>
    koda.answerTo("koda/custom_models/upsert", { modelId: "mine", baseUrl: "http://a.example/v1", ...more })

  expect(await upsert({})).toEqual({
    error: {
      code: -32602,
      message: 'Invalid params: apiKey: a new model needs one, and "mine" is new',
      data: { details: 'apiKey: a new model needs one, and "mine" is new', reason: "api_key_required" },
    },
  })
  await upsert({ apiKey: KEY })
  expect(await upsert({ baseUrl: "http://b.example/v1", apiKey: null })).toEqual({
    result: { models: [{ modelId: "mine", baseUrl: "http://b.example/v1" }] },
  })
  const [kept] = JSON.parse(await readFile(join(home, "custom_models.json"), "utf8")).models
  expect(kept.apiKey).toBe(KEY)
})

test("R-104 renaming takes the old name away and keeps the place and the key", async () => {
  const { client, home } = await workshop()
  const koda = await client()
  const baseUrl = "http://a.example/v1"
  for (const modelId of ["a", "b"]) await koda.request("koda/custom_models/upsert", { modelId, baseUrl, apiKey: KEY })

  const renamed = await koda.request("koda/custom_models/upsert", { modelId: "c", previousModelId: "a", baseUrl })

  expect(renamed).toEqual({
    models: [
      { modelId: "c", baseUrl },
      { modelId: "b", baseUrl },
    ],
  })
  const [kept] = JSON.parse(await readFile(join(home, "custom_models.json"), "utf8")).models
  expect(kept).toEqual({ modelId: "c", baseUrl, apiKey: KEY })
})

test("R-105 R-106 a model that is removed is gone from the list, and one that is not there is named", async () => {
  const { client } = await workshop()
  const koda = await client()
  const baseUrl = "http://a.example/v1"
  await koda.request("koda/custom_models/upsert", { modelId: "a", baseUrl, apiKey: KEY })

  expect(await koda.request("koda/custom_models/delete", { modelId: "a" })).toEqual({ models: [] })
  expect(await koda.answerTo("koda/custom_models/delete", { modelId: "a" })).toMatchObject({
    error: { code: -32602, data: { details: 'modelId: there is no custom model "a"', reason: "unknown_model" } },
  })
})

describe("R-301 what can't be a model is refused, and nothing is kept", () => {
  test.for([
    ["no name", { modelId: "" }, "modelId"],
    ["no address", { baseUrl: "a.example" }, "baseUrl"],
    ["a file for an address", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["efforts without one", { reasoning: { supportedEfforts: [], defaultEffort: "x" } }, "reasoning.supportedEfforts"],
    ["half a window", { contextWindow: 0.5 }, "contextWindow"],
    ["a built-in name", { modelId: "koda-offline" }, "modelId"],
  ] as const)("%s", async ([, wrong, field]) => {
    const { client } = await workshop()
    const koda = await client()
    const model = { modelId: "mine", baseUrl: "http://a.example/v1", apiKey: KEY, ...wrong }
    const { error } = (await koda.answerTo("koda/custom_models/upsert", model)) as Loose
    expect([error.code, error.data.details.includes(field)]).toEqual([-32602, true])
    expect(await koda.request("koda/custom_models/list")).toEqual({ models: [] })
  })
})

test("R-039 what is known of a model can be given with it", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session()
  const reasoning = { supportedEfforts: ["low", "high"], defaultEffort: "high" }
  await client.request("koda/custom_models/upsert", {
    modelId: "mine",
    baseUrl: "http://a.example/v1",
    apiKey: KEY,
    name: "Mine",
    description: "My own",
    contextWindow: 5000,
    imageSupport: false,
    reasoning,
  })
  expect(await client.request("koda/custom_models/list")).toEqual({
    models: [{ modelId: "mine", baseUrl: "http://a.example/v1" }],
  })
  await client.request("session/set_model", { sessionId, modelId: "mine" })

  const { models } = await client.request("session/set_reasoning_effort", { sessionId, effort: "low" })

  expect(models.availableModels.find(({ modelId }: Loose) => modelId === "mine")).toEqual({
    modelId: "mine",
    name: "Mine",
    description: "My own",
    imageSupport: false,
    reasoning: { ...reasoning, currentEffort: "low" },
  })
})

test("a session whose model is removed says so when it is asked for something", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session()
  await client.request("koda/custom_models/upsert", { modelId: "a", baseUrl: "http://a.example/v1", apiKey: KEY })
  await client.request("session/set_model", { sessionId, modelId: "a" })
  await client.request("koda/custom_models/delete", { modelId: "a" })

  expect(await client.answerTo("session/prompt", { sessionId, prompt: text("hi") })).toMatchObject({
    error: {
      code: -32603,
      message: 'The model "a" is not there any more; choose another',
      data: { reason: "model_model" },
    },
  })
})

test("R-104 a session goes on with its model under the new name", async () => {
  const { session } = await workshop()
  const { client, sessionId } = await session()
  await client.request("koda/custom_models/upsert", { modelId: "a", baseUrl: "http://a.example/v1", apiKey: KEY })
  await client.request("session/set_model", { sessionId, modelId: "a" })

  const renamed = await client.request("koda/custom_models/upsert", { modelId: "b", previousModelId: "a" })

  expect(renamed).toEqual({ models: [{ modelId: "b", baseUrl: "http://a.example/v1" }] })
  const [models] = client.updates("config_option_update").at(-1)!.configOptions as Loose[]
  expect([models!.currentValue, models!.options.map(({ value }: Loose) => value)]).toEqual([
    "b",
    ["m", "b", "koda-offline"],
  ])
})

test("R-301 a new model without an address is refused", async () => {
  const { session } = await workshop()
  const { client } = await session()
  expect(await client.answerTo("koda/custom_models/upsert", { modelId: "a", apiKey: KEY })).toMatchObject({
    error: { code: -32602, data: { details: 'baseUrl: a new model needs one, and "a" is new' } },
  })
})

test("a client of the standard manages models under _kodadev/", async () => {
  const { client } = await workshop()
  const standard = await client(STANDARD)
  const model = { modelId: "a", baseUrl: "http://a.example/v1", apiKey: KEY }
  const listed = { models: [{ modelId: "a", baseUrl: "http://a.example/v1" }] }
  expect(await standard.request("_kodadev/koda/custom_models/upsert", model)).toEqual(listed)
  expect(await standard.request("_kodadev/koda/custom_models/delete", { modelId: "a" })).toEqual({ models: [] })
})
