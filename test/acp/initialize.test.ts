import { describe, expect, test, vi } from "vitest"
import { VERSION } from "../../src/version.ts"
import { hello, quiet, STANDARD, workshop } from "../support/client.ts"

const OWN_METHODS = [
  "session/set_model",
  "session/set_reasoning_effort",
  "koda/custom_models/list",
  "koda/custom_models/upsert",
  "koda/custom_models/delete",
]
const KODA_AUTH = { id: "koda_auth", name: "Koda Auth", description: "Authenticate via Jarvis API" }
const WITHOUT_AUTH = { id: "without_auth", name: "Continue without authentication", description: null }

test("R-011 R-015 R-017 R-018 R-019 R-020 R-021 R-022 R-131 a client of Koda's wire is told what the agent can do", async () => {
  const { connect } = await workshop()

  const answer = await connect().request("initialize", hello())

  expect(answer).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "koda-acp", title: "Koda", version: VERSION },
    authMethods: [KODA_AUTH, WITHOUT_AUTH],
    agentCapabilities: expect.objectContaining({
      loadSession: false,
      mcpCapabilities: { http: true, sse: true },
      promptCapabilities: { audio: true, embeddedContext: true, image: true },
      auth: { logout: {} },
    }),
    _meta: { steering: { supported: true } },
  })
  const { sessionCapabilities, _meta } = answer.agentCapabilities
  expect(sessionCapabilities).toMatchObject({ fork: {}, accessPolicy: {}, close: {}, additionalDirectories: {} })
  expect(_meta["com.kodadev"].methods).toEqual(expect.arrayContaining(OWN_METHODS))
})

test("a client of the standard finds what is Koda's own under _meta, and no session/fork without a store", async () => {
  const { connect } = await workshop()

  const { agentCapabilities } = await connect().request("initialize", hello(STANDARD))

  const { sessionCapabilities } = agentCapabilities
  expect(Object.keys(sessionCapabilities).sort()).toEqual(["_meta", "additionalDirectories", "close"])
  expect(sessionCapabilities._meta["com.kodadev"]).toMatchObject({ accessPolicy: {} })
})

describe("the ways to sign in", () => {
  const idsFor = async (env: Record<string, string>, client: Parameters<typeof hello>[0]) => {
    const { connect } = await workshop({ env })
    const { authMethods } = await connect().request("initialize", hello(client))
    return authMethods.map(({ id }: { id: string }) => id)
  }
  const gateway = { KODA_BASE_URL: "http://127.0.0.1:9/v1", KODA_API_KEY: "k-1234567890" }

  test("with a key, a client of the standard that always calls the first signs in with it", async () => {
    expect(await idsFor(gateway, STANDARD)).toEqual(["koda_auth", "without_auth"])
  })

  test("without a key, a client of the standard that always calls the first gets on all the same", async () => {
    expect(await idsFor({}, STANDARD)).toEqual(["without_auth", "koda_auth"])
  })

  test("R-018 R-019 Koda's clients always get the specification's list in its order", async () => {
    expect(await idsFor({}, {})).toEqual(["koda_auth", "without_auth"])
  })

  test("a client that can run a login in a terminal is offered one", async () => {
    const { connect } = await workshop()
    const { authMethods } = await connect().request(
      "initialize",
      hello({ ...STANDARD, capabilities: { auth: { terminal: true } } }),
    )
    expect(authMethods.at(-1)).toEqual({
      id: "koda_login",
      type: "terminal",
      name: "Log in with a key",
      description: "Asks for the gateway key in a terminal and keeps it",
      args: ["--login"],
      env: {},
    })
  })
})

describe("JR-09 an odd initialize", () => {
  test.for([
    ["a newer version", { protocolVersion: 99 }],
    ["no capabilities", { protocolVersion: 1 }],
    ["null capabilities", { protocolVersion: 1, clientCapabilities: { fs: null, terminal: null, session: null } }],
    ["capabilities of odd shapes", { protocolVersion: 1, clientCapabilities: { fs: true, auth: "yes", _meta: 7 } }],
    ["capabilities that are none", { protocolVersion: 1, clientCapabilities: [] }],
    ["members nobody knows", { protocolVersion: 1, whatever: [1], _meta: { x: 1 }, clientCapabilities: { magic: {} } }],
  ] as const)("%s is answered with our version, 1", async ([, params]) => {
    const { connect } = await workshop()
    expect(await connect().request("initialize", params)).toMatchObject({ protocolVersion: 1 })
  })

  test.for([
    ["a date", { protocolVersion: "2025-01-01" }],
    ["nothing", {}],
    ["a fraction", { protocolVersion: 1.5 }],
  ] as const)("%s for a version is refused, and the field named", async ([, params]) => {
    const { connect } = await workshop()
    const answer = await connect().answerTo("initialize", params)
    expect(answer).toMatchObject({
      error: { code: -32602, data: { reason: "invalid_params", issues: [{ path: "protocolVersion" }] } },
    })
  })
})

describe("JR-10 initialize out of its place", () => {
  test("a session can be opened without it: by a client that has no capability", async () => {
    const { connect, cwd } = await workshop()
    const client = connect()
    expect(await client.request("session/new", { cwd, mcpServers: [] })).toMatchObject({
      sessionId: expect.any(String),
    })
  })

  test("a second one is answered like the first", async () => {
    const { connect } = await workshop()
    const client = connect()
    const first = await client.request("initialize", hello())
    expect(await client.request("initialize", hello())).toEqual(first)
  })

  test("R-009 what comes in the same write behind it is answered in its order", async () => {
    const { connect, cwd } = await workshop()
    const client = connect()
    client.write(
      { id: "a", method: "initialize", params: hello() },
      { id: "b", method: "authenticate", params: { methodId: "without_auth" } },
      { id: "c", method: "session/new", params: { cwd, mcpServers: [] } },
    )
    await client.until("· context_usage_update")
    expect(client.story.slice(3, 6)).toEqual(["← a", "← b", "← c"])
    expect(client.received.slice(0, 3)).toMatchObject([
      { result: { protocolVersion: 1 } },
      { result: null },
      { result: { sessionId: expect.any(String) } },
    ])
  })
})

test("R-010 JR-03 ids come back as they were: numbers and strings, 0 and very large ones", async () => {
  const { connect } = await workshop()
  const client = connect()
  const ids = ["6f0c6f0c-0000-4000-8000-000000000001", "1", 1, 0, 9007199254740991]
  for (const id of ids) expect((await client.requestAs(id, "initialize", hello())).id).toBe(id)
})

test("JR-07 what we do not know is refused by name, or passed over if it is a notification", async () => {
  const logged: string[] = []
  const { client: connected } = await workshop({
    launch: { log: (level, line) => level === "error" && logged.push(line) },
  })
  const client = await connected()

  expect(await client.answerTo("session/frobnicate", {})).toEqual({
    error: {
      code: -32601,
      message: 'There is no method "session/frobnicate"',
      data: expect.objectContaining({ details: 'There is no method "session/frobnicate"', reason: "unknown_method" }),
    },
  })
  expect(await client.answerTo("_vendor/x", {})).toMatchObject({ error: { code: -32601 } })
  expect(await client.answerTo("toString", {})).toMatchObject({ error: { code: -32601 } })
  const before = client.received.length
  client.notify("$/unknown", {})
  client.notify("session/whatever", {})
  client.notify("session/cancel", { sessionId: "nobody" })
  await client.answerTo("_vendor/y", {})

  expect(client.received.length).toBe(before + 1)
  expect(logged).toEqual([])
})

test("an agent that is closed as soon as it has answered looks at nothing any more", async () => {
  const { runtime, client, server } = await workshop()
  await import("../../src/acp/rest.ts") // what comes after the answer has not to be loaded first
  await client()
  await server.close()
  const looks = vi.spyOn(runtime.system, "env")
  await quiet()
  expect(looks.mock.calls).toEqual([])
})
