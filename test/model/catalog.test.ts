import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { type Catalog, type CatalogOptions, createCatalog } from "../../src/model/catalog.ts"
import { forgetKey, saveKey } from "../../src/model/gateway.ts"
import { type Provider, refuses, type Script, says, startProvider } from "../support/provider.ts"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"

const { files, fetch } = testRuntime()
const never = new AbortController().signal

interface World {
  home: string
  catalog: Catalog
  provider: Provider
  /** The same home, read by another process. */
  again(rest?: Partial<CatalogOptions>): Catalog
}

interface Start {
  env?: (url: string) => Record<string, string>
  home?: Record<string, unknown>
  rest?: Partial<CatalogOptions>
  models?: Script
}

async function start({ env = () => ({}), home: content = {}, rest = {}, models }: Start = {}): Promise<World> {
  const provider = await startProvider()
  onTestFinished(() => provider.close())
  if (models) provider.script(models)
  const home = join(await temporaryFolder(), "home")
  await mkdir(home)
  for (const [name, value] of Object.entries(content))
    await writeFile(join(home, name), typeof value === "string" ? value : JSON.stringify(value))
  const options = { files, fetch, env: env(provider.url), home, settings: () => ({}), ...rest }
  const again = (more: Partial<CatalogOptions> = {}) => {
    const catalog = createCatalog({ ...options, ...more })
    onTestFinished(() => catalog.close())
    return catalog
  }
  return { home, provider, catalog: again(), again }
}

const list = (...models: unknown[]): Script => ({
  headers: { "content-type": "application/json" },
  steps: [JSON.stringify({ object: "list", data: models })],
})
const GATEWAY = (url: string) => ({ KODA_BASE_URL: url, KODA_API_KEY: "koda-key-1234" })
const ids = (catalog: Catalog) => catalog.list().map(({ modelId }) => modelId)
/** Resolves when the list has changed. */
const change = (catalog: Catalog) => new Promise<void>((resolve) => void catalog.onChange(resolve))

describe("without anything set up", () => {
  test("R-037 koda-offline is there, and is the default", async () => {
    const { catalog, provider } = await start()
    await catalog.ready(never, 10_000)
    expect(catalog.list()).toEqual([
      {
        modelId: "koda-offline",
        name: "Koda offline",
        description: "Not a language model: looks around with real tools and shows what it found. No key, no network",
        imageSupport: false,
        contextWindow: 128_000,
        source: "built-in",
      },
    ])
    expect([catalog.defaultId(), catalog.access()]).toEqual(["koda-offline", { gateway: false }])
    expect(catalog.model("koda-offline")?.id).toBe("koda-offline")
    expect(catalog.model("other")).toBeUndefined()
    expect(provider.asked).toEqual([])
  })

  test("koda-scenario is offered, and the default, where there is a file for it", async () => {
    const { catalog } = await start({ rest: { scenario: "/tmp/x.yaml" } })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.defaultId()]).toEqual([["koda-offline", "koda-scenario"], "koda-scenario"])
  })
})

describe("the gateway", () => {
  test("R-038 R-039 its list, with what it says of each model", async () => {
    const reasoning = { supported_efforts: ["low", "medium", "high"], default_effort: "high" }
    const { catalog, provider } = await start({
      env: GATEWAY,
      models: list(
        {
          id: "koda-pro",
          name: "Koda Pro",
          description: "The big one",
          contextWindow: 200_000,
          imageSupport: true,
          reasoning,
        },
        {
          id: "koda-lite",
          image_support: false,
          context_window: 32_000,
          reasoning: { supportedEfforts: ["low"], defaultEffort: "none" },
        },
        { id: "plain" },
        { id: "text-embedding-3" },
        { odd: 1 },
      ),
    })
    await catalog.ready(never, 10_000)
    expect(catalog.list().slice(0, -1)).toEqual([
      {
        modelId: "koda-pro",
        name: "Koda Pro",
        description: "The big one",
        imageSupport: true,
        reasoning: { supportedEfforts: ["low", "medium", "high"], defaultEffort: "high" },
        contextWindow: 200_000,
        source: "gateway",
      },
      {
        modelId: "koda-lite",
        name: "koda-lite",
        description: null,
        imageSupport: false,
        reasoning: { supportedEfforts: ["low"], defaultEffort: "low" },
        contextWindow: 32_000,
        source: "gateway",
      },
      { modelId: "plain", name: "plain", description: null, imageSupport: true, source: "gateway" },
    ])
    expect(provider.asked.map(({ url, headers }) => [url, headers["authorization"]])).toEqual([
      ["/v1/models", "Bearer koda-key-1234"],
    ])
    expect([catalog.defaultId(), catalog.access()]).toEqual(["koda-pro", { gateway: true }])
    const pro = catalog.model("koda-pro")
    expect([pro?.contextWindow, pro?.takes, catalog.model("koda-lite")?.takes]).toEqual([
      200_000,
      { image: true, audio: false },
      { image: false, audio: false },
    ])
    expect(catalog.model("koda-pro")).toBe(pro)
  })

  test("MP-11 the next start has the list at once, without the network", async () => {
    const { catalog, again, provider } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    provider.script({ headers: {}, steps: [{ ends: "hang" }] })
    const next = again()
    await next.ready(never, 10_000)
    expect(ids(next)).toEqual(["koda-pro", "koda-offline"])
  })

  test("a list that comes later is announced", async () => {
    let go = () => {}
    const later = new Promise<void>((resolve) => (go = resolve))
    const { catalog } = await start({
      env: GATEWAY,
      models: { headers: {}, steps: [later, '{"data":[{"id":"koda-pro"}]}'] },
    })
    await catalog.ready(never) // gives up waiting
    expect([ids(catalog), catalog.defaultId()]).toEqual([["koda-offline"], "koda-offline"])
    const changed = change(catalog)
    go()
    await changed
    expect([ids(catalog), catalog.defaultId()]).toEqual([["koda-pro", "koda-offline"], "koda-pro"])
  })

  test.each([
    ["404", refuses(404, "no")],
    ["not JSON", { steps: ["<html>"] }],
    ["torn", { refuse: true as const }],
  ])("MP-11 a list that fails (%s) is as none", async (_, models) => {
    const { catalog } = await start({ env: GATEWAY, models })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.access()]).toEqual([["koda-offline"], { gateway: true }])
  })

  test("a stored key is as good as one of the environment, also one stored later", async () => {
    const { catalog, home } = await start({ env: (url) => ({ KODA_BASE_URL: url }), models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.access()]).toEqual([["koda-offline"], { gateway: false }])
    await saveKey(files, home, { apiKey: "koda-key-1234\n" })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.access()]).toEqual([["koda-pro", "koda-offline"], { gateway: true }])
    expect(await forgetKey(files, home)).toBe(true)
    expect(await forgetKey(files, home)).toBe(false)
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.access()]).toEqual([["koda-offline"], { gateway: false }])
  })

  test("the key is stored for the user alone, and what else is in the file stays", async () => {
    const { home } = await start()
    await saveKey(files, home, { apiKey: "a-key" })
    expect((await stat(join(home, "credentials.json"))).mode & 0o777).toBe(0o600)
    await writeFile(join(home, "credentials.json"), '{"other":1}')
    await saveKey(files, home, { apiKey: "b-key", baseUrl: "https://h/v1" })
    expect(JSON.parse(await readFile(join(home, "credentials.json"), "utf8"))).toEqual({
      other: 1,
      apiKey: "b-key",
      baseUrl: "https://h/v1",
    })
  })

  test("requests tell it whose work they are", async () => {
    const { catalog, provider } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    provider.script(says("hello"))
    for await (const _ of catalog
      .model("koda-pro")!
      .stream({ session: "s1", instructions: "", messages: [], tools: [] }, never));
    expect(provider.asked.at(-1)!.headers["x-koda-session"]).toBe("s1")
  })
})

describe("signing in", () => {
  test("ok, and the list comes with it", async () => {
    const { catalog } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    expect(await catalog.checkGateway(never)).toBe("ok")
    expect(ids(catalog)).toEqual(["koda-pro", "koda-offline"])
  })

  test("refused: no gateway is in force", async () => {
    const { catalog } = await start({ env: GATEWAY, models: refuses(401, "no") })
    expect(await catalog.checkGateway(never)).toBe("refused")
    expect(catalog.access()).toEqual({ gateway: false })
  })

  test("unreachable: the last list counts", async () => {
    const { catalog, again, provider } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    await provider.close()
    const next = again()
    expect(await next.checkGateway(never)).toBe("unreachable")
    expect([ids(next), next.access()]).toEqual([["koda-pro", "koda-offline"], { gateway: true }])
  })

  test("no key, or no address", async () => {
    expect(await (await start({ env: (url) => ({ KODA_BASE_URL: url }) })).catalog.checkGateway(never)).toBe("no_key")
    expect(await (await start({ env: () => ({ KODA_API_KEY: "koda-key-1234" }) })).catalog.checkGateway(never)).toBe(
      "no_address",
    )
  })

  test("without the gateway its models leave the list; signing in brings them back", async () => {
    const { catalog } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    const changed = change(catalog)
    catalog.withoutGateway()
    await changed
    expect([ids(catalog), catalog.defaultId(), catalog.access()]).toEqual([
      ["koda-offline"],
      "koda-offline",
      { gateway: false },
    ])
    await catalog.checkGateway(never)
    expect(ids(catalog)).toEqual(["koda-pro", "koda-offline"])
  })

  test("a list that comes after the gateway was left does not bring it back", async () => {
    let go = () => {}
    const later = new Promise<void>((resolve) => (go = resolve))
    const { catalog, home } = await start({
      env: GATEWAY,
      models: { headers: {}, steps: [later, '{"data":[{"id":"koda-pro"}]}'] },
    })
    await catalog.ready(never)
    catalog.withoutGateway()
    go()
    await vi.waitFor(() => stat(join(home, "models.json"))) // the list has come
    await catalog.close()
    expect([ids(catalog), catalog.access()]).toEqual([["koda-offline"], { gateway: false }])
  })

  test("a configured model whose key is missing is named", async () => {
    const { catalog, again } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await catalog.ready(never, 10_000)
    const env = { KODA_BASE_URL: (await start()).provider.url }
    const settings = () => ({ model: "koda-pro" })
    const other = again({ env, settings })
    await other.ready(never, 10_000)
    expect(other.access()).toEqual({ gateway: false }) // another gateway's list is not this one's
    const { again: same, provider } = await start({ env: GATEWAY, models: list({ id: "koda-pro" }) })
    await same().ready(never, 10_000)
    const locked = same({ env: { KODA_BASE_URL: provider.url }, settings })
    await locked.ready(never, 10_000)
    expect([locked.access(), ids(locked)]).toEqual([{ needsKey: "koda-pro", gateway: false }, ["koda-offline"]])
  })
})

describe("the environment", () => {
  test("MP-08 the model it names, at the address as it was pasted", async () => {
    const { catalog, provider } = await start({
      env: (url) => ({
        OPENAI_BASE_URL: ` ${url}/chat/completions/\n`,
        OPENAI_API_KEY: "sk-abcdefgh\n",
        OPENAI_MODEL: "gpt-x",
      }),
    })
    await catalog.ready(never, 10_000)
    expect(catalog.list()[0]).toEqual({
      modelId: "gpt-x",
      name: "gpt-x",
      description: null,
      imageSupport: true,
      source: "environment",
    })
    expect([catalog.defaultId(), provider.asked]).toEqual(["gpt-x", []])
    provider.script(says("hello"))
    for await (const _ of catalog
      .model("gpt-x")!
      .stream({ session: "s1", instructions: "", messages: [], tools: [] }, never));
    expect([
      provider.asked[0]!.url,
      provider.asked[0]!.headers["authorization"],
      provider.asked[0]!.headers["x-koda-session"],
    ]).toEqual(["/v1/chat/completions", "Bearer sk-abcdefgh", undefined])
  })

  test("without a name, all that the server has", async () => {
    const { catalog } = await start({
      env: (url) => ({ OPENAI_BASE_URL: url }),
      models: list({ id: "a", max_model_len: 4096 }, { id: "b" }),
    })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.defaultId(), catalog.find("a")?.contextWindow]).toEqual([
      ["a", "b", "koda-offline"],
      "a",
      4096,
    ])
  })

  test("MP-11 llama.cpp tells apart what it serves and what the model was trained for", async () => {
    const { catalog, provider } = await start({ env: (url) => ({ OPENAI_BASE_URL: url }) })
    provider.script(list({ id: "a", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }), {
      headers: {},
      steps: ['{"default_generation_settings":{"n_ctx":8192}}'],
    })
    await catalog.ready(never, 10_000)
    expect([catalog.find("a")?.contextWindow, provider.asked.map(({ url }) => url)]).toEqual([
      8192,
      ["/v1/models", "/props"],
    ])
  })

  test("OpenAI's own model without a key is offered to nobody, and named if it was configured", async () => {
    const { catalog } = await start({ env: () => ({ OPENAI_MODEL: "gpt-x" }), rest: { chosen: "gpt-x" } })
    await catalog.ready(never, 10_000)
    expect([ids(catalog), catalog.access()]).toEqual([["koda-offline"], { needsKey: "gpt-x", gateway: false }])
  })
})

describe("R-100 custom models", () => {
  const mine = { modelId: "mine", baseUrl: "https://api.example.com/v1" }

  test("R-101 R-102 R-106 are added and listed, without their keys", async () => {
    const { catalog, home } = await start()
    await catalog.ready(never, 10_000)
    const changed = change(catalog)
    expect(await catalog.custom.upsert({ ...mine, apiKey: "sk-1", name: null })).toBeUndefined()
    await changed
    expect(await catalog.custom.list()).toEqual([mine])
    expect(ids(catalog)).toEqual(["mine", "koda-offline"])
    expect(catalog.defaultId()).toBe("mine")
    const path = join(home, "custom_models.json")
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ models: [{ ...mine, apiKey: "sk-1" }] })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test("R-103 a new one needs a key; a known one keeps its own", async () => {
    const { catalog, home } = await start()
    expect(await catalog.custom.upsert(mine)).toEqual({
      details: 'apiKey: a new model needs one, and "mine" is new',
      reason: "api_key_required",
    })
    expect(await catalog.custom.upsert({ ...mine, apiKey: " " })).toMatchObject({ reason: "api_key_required" })
    await catalog.custom.upsert({ ...mine, apiKey: "sk-1" })
    expect(await catalog.custom.upsert({ ...mine, baseUrl: "http://other" })).toBeUndefined()
    expect(JSON.parse(await readFile(join(home, "custom_models.json"), "utf8"))).toEqual({
      models: [{ modelId: "mine", baseUrl: "http://other", apiKey: "sk-1" }],
    })
  })

  test("R-104 a renamed one keeps its place and its key", async () => {
    const { catalog, home } = await start()
    for (const modelId of ["a", "b", "c"]) await catalog.custom.upsert({ ...mine, modelId, apiKey: `sk-${modelId}` })
    expect(await catalog.custom.upsert({ ...mine, modelId: "c", previousModelId: "a" })).toBeUndefined()
    expect(
      JSON.parse(await readFile(join(home, "custom_models.json"), "utf8")).models.map(
        ({ modelId, apiKey }: Record<string, string>) => [modelId, apiKey],
      ),
    ).toEqual([
      ["c", "sk-a"],
      ["b", "sk-b"],
    ])
  })

  test("R-105 are removed", async () => {
    const { catalog } = await start()
    await catalog.custom.upsert({ ...mine, apiKey: "sk-1" })
    expect([await catalog.custom.remove("mine"), await catalog.custom.remove("mine")]).toEqual([true, false])
    expect([await catalog.custom.list(), ids(catalog)]).toEqual([[], ["koda-offline"]])
  })

  test("what can't be is refused", async () => {
    const { catalog } = await start()
    for (const input of [
      { ...mine, modelId: " " },
      { ...mine, modelId: "koda-offline" },
      { ...mine, baseUrl: "ftp://h" },
    ]) {
      expect(await catalog.custom.upsert({ ...input, apiKey: "sk-1" })).toMatchObject({
        reason: expect.stringMatching(/^invalid_/),
      })
    }
    expect(await catalog.custom.list()).toEqual([])
  })

  test("changes that come at once are all made", async () => {
    const { catalog } = await start()
    await Promise.all(
      ["a", "b", "c", "d"].map((modelId) => catalog.custom.upsert({ ...mine, modelId, apiKey: "sk-1" })),
    )
    expect((await catalog.custom.list()).map(({ modelId }) => modelId)).toEqual(["a", "b", "c", "d"])
  })

  test("what else is in the file stays, and metadata is used", async () => {
    const model = {
      ...mine,
      apiKey: "sk-1",
      contextWindow: 4096,
      imageSupport: false,
      note: "x",
      reasoning: { supportedEfforts: ["low", "high"], defaultEffort: "low" },
    }
    const { catalog, home } = await start({ home: { "custom_models.json": { version: 7, models: [model] } } })
    await catalog.ready(never, 10_000)
    const { apiKey: _, ...rest } = model
    expect(await catalog.custom.list()).toEqual([rest])
    expect(catalog.find("mine")).toEqual({
      modelId: "mine",
      name: "mine",
      description: null,
      imageSupport: false,
      contextWindow: 4096,
      reasoning: model.reasoning,
      source: "custom",
    })
    await catalog.custom.upsert({ ...mine, description: "my own" })
    expect(JSON.parse(await readFile(join(home, "custom_models.json"), "utf8"))).toEqual({
      version: 7,
      models: [{ ...model, description: "my own" }],
    })
  })

  test("a broken file is told and not written over", async () => {
    const { catalog, home } = await start({ home: { "custom_models.json": '{"models": [ sk-1' } })
    await catalog.ready(never, 10_000)
    const words = `${home}/custom_models.json is not a JSON object; mend or remove it`
    expect([catalog.problems(), ids(catalog)]).toEqual([[{ of: "setup", words }], ["koda-offline"]])
    await expect(catalog.custom.upsert({ ...mine, apiKey: "sk-1" })).rejects.toThrow(words)
    expect(await readFile(join(home, "custom_models.json"), "utf8")).toBe('{"models": [ sk-1')
  })

  test("an entry that can't be used is told, and is not lost when another is added", async () => {
    const wrong = [{ name: "x" }, { modelId: "a" }, { modelId: "b", baseUrl: "ftp://b" }]
    const { catalog, home } = await start({ home: { "custom_models.json": { models: wrong } } })
    await catalog.ready(never, 10_000)
    const path = `${home}/custom_models.json`
    expect(catalog.problems().map(({ words }) => words)).toEqual([
      `${path}: models.0 has no "modelId"`,
      `${path}: models.1 ("a") has no "baseUrl"`,
      `${path}: models.2 ("b"): its "baseUrl" is no http or https address`,
    ])
    await catalog.custom.upsert({ ...mine, apiKey: "sk-1" })
    const { models } = JSON.parse(await readFile(path, "utf8"))
    expect(models).toHaveLength(4)
    expect(models).toEqual(expect.arrayContaining(wrong))
  })

  test("one that another process adds is there at the next session", async () => {
    const { catalog, again } = await start()
    await catalog.ready(never, 10_000)
    await again().custom.upsert({ ...mine, apiKey: "sk-1" })
    await catalog.ready(never, 10_000)
    expect(ids(catalog)).toEqual(["mine", "koda-offline"])
  })
})

describe("which model", () => {
  const custom = { models: [{ modelId: "mine", baseUrl: "https://api.example.com/v1", apiKey: "sk-1" }] }
  const both = (url: string) => ({ ...GATEWAY(url), OPENAI_BASE_URL: "https://other.example.com", OPENAI_MODEL: "env" })

  test("the one of the arguments, else of the settings, else of the gateway, the environment, the user's own", async () => {
    const { again } = await start({
      env: both,
      home: { "custom_models.json": custom },
      models: list({ id: "koda-pro" }, { id: "koda-lite" }),
    })
    const chosen = async (rest: Partial<CatalogOptions>) => {
      const catalog = again(rest)
      await catalog.ready(never, 10_000)
      return catalog.defaultId()
    }
    const settings = () => ({ model: "koda-lite" })
    expect(await chosen({ chosen: "mine", settings })).toBe("mine")
    expect(await chosen({ settings })).toBe("koda-lite")
    expect(await chosen({ chosen: "gone", settings: () => ({ model: "gone" }) })).toBe("koda-pro")
    expect(await chosen({ env: { OPENAI_BASE_URL: "https://other.example.com", OPENAI_MODEL: "env" } })).toBe("env")
    expect(await chosen({ env: {} })).toBe("mine")
  })

  test("one name is in the list once, and means the user's own", async () => {
    const { catalog } = await start({
      env: GATEWAY,
      home: { "custom_models.json": custom },
      models: list({ id: "mine" }, { id: "koda-pro" }),
    })
    await catalog.ready(never, 10_000)
    expect(catalog.list().map(({ modelId, source }) => [modelId, source])).toEqual([
      ["koda-pro", "gateway"],
      ["mine", "custom"],
      ["koda-offline", "built-in"],
    ])
  })

  test("MP-11 the window that the user set wins", async () => {
    const settings = () => ({ contextWindow: { "koda-pro": 1000 } })
    const { catalog } = await start({
      env: GATEWAY,
      models: list({ id: "koda-pro", contextWindow: 5 }, { id: "constructor", contextWindow: 7 }),
      rest: { settings },
    })
    await catalog.ready(never, 10_000)
    expect(catalog.model("koda-pro")?.contextWindow).toBe(1000)
    expect(catalog.model("constructor")?.contextWindow).toBe(7)
  })
})

describe("servers on this machine", () => {
  test("are asked only when told to, offered, and never chosen by themselves", async () => {
    const { catalog, provider } = await start({ models: list({ id: "qwen" }, { id: "nomic-embed-text" }) })
    await catalog.ready(never, 10_000)
    expect(provider.asked).toEqual([])
    const changed = change(catalog)
    await catalog.probeLocal([provider.origin], never)
    await changed
    expect(catalog.find("qwen")).toMatchObject({ modelId: "qwen", name: "qwen", source: "local" })
    expect([ids(catalog).includes("nomic-embed-text"), catalog.defaultId()]).toEqual([false, "koda-offline"])
    await catalog.probeLocal(false, never)
    expect(ids(catalog)).toEqual(["koda-offline"])
  })
})

describe("why models are not there", () => {
  const HTML: Script = { headers: { "content-type": "text/html" }, steps: ["<html>Log in</html>"] }
  test.each([
    ["a key that is refused", refuses(401, "no"), "it refuses the key (401)"],
    ["a server that fails", refuses(500, "no"), "it answered with 500"],
    ["a web page", HTML, "what it answered is no list of models; is the address right?"],
  ])("%s is told", async (_, models, why) => {
    const { catalog, provider } = await start({ env: GATEWAY, models })
    await catalog.ready(never, 10_000)
    expect(catalog.problems()).toEqual([{ of: "gateway", words: `No models came from ${provider.url}: ${why}` }])
    catalog.withoutGateway()
    expect(catalog.problems()).toEqual([])
  })

  test("a server that is not there is told, without its key", async () => {
    const env = () => ({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_API_KEY: "sk-12345678" })
    const { catalog } = await start({ env })
    await catalog.ready(never, 10_000)
    const [problem, ...more] = catalog.problems()
    expect([problem?.of, more]).toEqual(["environment", []])
    expect(problem?.words).toMatch(
      /^No models came from http:\/\/127\.0\.0\.1:9\/v1: connection refused; is the server/,
    )
    expect(problem?.words).not.toContain("sk-12345678")
  })

  test("an address that is none is told", async () => {
    const { catalog } = await start({ env: () => ({ KODA_BASE_URL: "ftp://a", OPENAI_BASE_URL: "file:///b" }) })
    await catalog.ready(never, 10_000)
    expect(catalog.problems().map(({ words }) => words)).toEqual([
      'KODA_BASE_URL is no http or https address: "ftp://a"',
      'OPENAI_BASE_URL is no http or https address: "file:///b"',
    ])
  })

  test("a list that comes later ends that", async () => {
    const { catalog, provider } = await start({ env: GATEWAY, models: refuses(500, "no") })
    await catalog.ready(never, 10_000)
    provider.script(list({ id: "koda-pro" }))
    await catalog.ready(never, 10_000)
    expect([catalog.problems(), ids(catalog)]).toEqual([[], ["koda-pro", "koda-offline"]])
  })
})
