import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { STANDARD, type WorkshopOptions, workshop } from "../support/client.ts"
import { refuses, type Script } from "../support/provider.ts"

const KEY = "gateway-key-0123456789"
const LIST: Script = {
  headers: { "content-type": "application/json" },
  steps: [JSON.stringify({ data: [{ id: "koda-pro" }, { id: "koda-lite" }] })],
}

/** A gateway that answers so, and a client that has introduced itself. */
async function gateway(script: Script, options: WorkshopOptions = {}, key: string | undefined = KEY) {
  const shop = await workshop(options)
  shop.provider.script(script)
  const env = { KODA_BASE_URL: shop.provider.url, ...(key && { KODA_API_KEY: key }) }
  const place = await workshop({ model: "none", ...options, env })
  return { ...place, gateway: shop.provider, client: await place.client() }
}

const modelsOf = ({ models }: { models: { availableModels: { modelId: string }[] } }) =>
  models.availableModels.map(({ modelId }) => modelId)

describe("authenticate", () => {
  test("R-027 a key that the gateway takes is answered null, and its models are offered", async () => {
    const { client, cwd, gateway: asked } = await gateway(LIST)

    expect(await client.request("authenticate", { methodId: "koda_auth" })).toBe(null)
    const session = await client.request("session/new", { cwd, mcpServers: [] })

    expect(modelsOf(session)).toEqual(["koda-pro", "koda-lite", "koda-offline"])
    expect(session.models.currentModelId).toBe("koda-pro")
    expect(new Set(asked.asked.map(({ headers }) => headers["authorization"]))).toEqual(new Set([`Bearer ${KEY}`]))
  })

  test("in the standard the answer is an empty object", async () => {
    const { client } = await workshop()
    const standard = await client(STANDARD)
    expect(await standard.request("authenticate", { methodId: "without_auth" })).toEqual({})
  })

  test("R-028 R-298 R-299 R-300 a key that the gateway refuses is an error that says what to do, and does not repeat it", async () => {
    const { client, cwd } = await gateway(refuses(401, { error: { message: `bad key ${KEY}` } }))

    const answer = await client.answerTo("authenticate", { methodId: "koda_auth" })

    expect(answer).toEqual({
      error: {
        code: -32000,
        message: "Authentication required",
        data: {
          details: "The gateway refused the key. Set another KODA_API_KEY, or run `koda login`",
          reason: "auth_required",
        },
      },
    })
    expect(await client.answerTo("session/new", { cwd, mcpServers: [] })).toMatchObject({ error: { code: -32000 } })
    await client.request("authenticate", { methodId: "without_auth" })
    expect(await client.request("session/new", { cwd, mcpServers: [] })).toMatchObject({
      models: { currentModelId: "koda-offline" },
    })
  })

  test("a gateway that can't be reached is no reason to keep anybody waiting", async () => {
    const { client, cwd } = await gateway({ refuse: true })
    expect(await client.request("authenticate", { methodId: "koda_auth" })).toBe(null)
    expect(modelsOf(await client.request("session/new", { cwd, mcpServers: [] }))).toEqual(["koda-offline"])
  })

  test("R-028 koda_auth without a key is refused, and says how to get one", async () => {
    const { client } = await gateway(LIST, {}, "")
    expect(await client.answerTo("authenticate", { methodId: "koda_auth" })).toMatchObject({
      error: {
        code: -32000,
        message: "Authentication required",
        data: { details: "There is no key. Set KODA_API_KEY, or run `koda login`", reason: "auth_required" },
      },
    })
  })

  test("without_auth takes the gateway's models out of the list, and koda_auth brings them back", async () => {
    const { client, cwd } = await gateway(LIST)
    const list = async () => modelsOf(await client.request("session/new", { cwd, mcpServers: [] }))

    await client.request("authenticate", { methodId: "without_auth" })
    const without = await list()
    await client.request("authenticate", { methodId: "koda_auth" })

    expect([without, await list()]).toEqual([["koda-offline"], ["koda-pro", "koda-lite", "koda-offline"]])
  })

  test("R-026 a way that was not offered is refused by name", async () => {
    const { client } = await workshop()
    expect(await (await client()).answerTo("authenticate", { methodId: "oauth" })).toMatchObject({
      error: { code: -32602, data: { details: 'methodId: there is no way to sign in named "oauth"' } },
    })
  })
})

describe("session/new and signing in", () => {
  test("R-013 a client that never signs in gets a session", async () => {
    const { client, cwd } = await gateway(LIST)
    expect(await client.request("session/new", { cwd, mcpServers: [] })).toMatchObject({
      models: { currentModelId: "koda-pro" },
    })
  })

  test("R-028 a client that chose koda_auth gets none once the key is gone, and one again when it lets go of it", async () => {
    const kept = { "credentials.json": JSON.stringify({ apiKey: KEY }) }
    const { client, cwd, home } = await gateway(LIST, { home: kept }, "")
    const open = () => client.answerTo("session/new", { cwd, mcpServers: [] })
    await client.request("authenticate", { methodId: "koda_auth" })

    await rm(join(home, "credentials.json")) // another program's `koda logout`
    const answer = await open()
    await client.request("authenticate", { methodId: "without_auth" })

    expect(answer).toEqual({
      error: {
        code: -32000,
        message: "Authentication required",
        data: { details: "Set KODA_API_KEY, or run `koda login`", reason: "auth_required" },
      },
    })
    expect(await open()).toMatchObject({ result: { models: { currentModelId: "koda-offline" } } })
  })

  test("logout forgets the key that `koda login` has kept", async () => {
    const kept = { "credentials.json": JSON.stringify({ apiKey: KEY }) }
    const { client, home } = await gateway(LIST, { home: kept }, "")

    expect(await client.request("logout")).toEqual({})

    expect(JSON.parse(await readFile(join(home, "credentials.json"), "utf8"))).toEqual({})
    expect(await client.answerTo("authenticate", { methodId: "koda_auth" })).toMatchObject({ error: { code: -32000 } })
  })

  test("session/new waits for an authenticate that runs", async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    const { client, cwd } = await gateway({ ...LIST, steps: [answered, ...LIST.steps!] })

    const signedIn = client.request("authenticate", { methodId: "koda_auth" })
    const opened = client.request("session/new", { cwd, mcpServers: [] })
    resolve()
    await signedIn

    expect(modelsOf(await opened)).toEqual(["koda-pro", "koda-lite", "koda-offline"])
    expect(client.story.filter((line) => line.startsWith("←"))).toEqual([
      "← initialize",
      "← authenticate",
      "← session/new",
    ])
  })

  test("the configured model needs a key that is missing: R-028, with its name", async () => {
    const { client, cwd } = await workshop({
      model: "none",
      env: { OPENAI_MODEL: "gpt-5" },
      settings: { model: "gpt-5" },
    })
    const koda = await client()
    expect(await koda.answerTo("session/new", { cwd, mcpServers: [] })).toMatchObject({
      error: {
        code: -32000,
        message: "Authentication required",
        data: { details: expect.stringContaining('"gpt-5" needs a key'), reason: "auth_required" },
      },
    })
  })
})
