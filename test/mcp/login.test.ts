import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createLogins } from "../../src/mcp/logins.ts"
import { type Client, workshop } from "../support/client.ts"
import { never } from "../support/scripted.ts"
import { loginServer } from "./login-server.ts"
import { program, untilTrue } from "./servers.ts"

const offline = { model: "none" } as const

/** Says it as the user, and answers with what the agent says to that. */
async function say(client: Client, sessionId: string, text: string): Promise<string> {
  const from = client.updates("agent_message_chunk").length
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  return client
    .updates("agent_message_chunk")
    .slice(from)
    .map(({ content }) => content.text)
    .join("")
}

/** The user's browser: where it ends when they have logged in at the address that they were shown. */
async function loggedIn(words: string): Promise<string> {
  const [, shown = ""] = /Open (\S+) and log in/.exec(words) ?? []
  const { headers } = await fetch(shown, { redirect: "manual" })
  return headers.get("location") ?? ""
}

async function settled(client: Client): Promise<void> {
  await untilTrue(() => client.updates("mcp_state_update").at(-1)?.discoveryState === "completed")
}

test("MC-11 the user of an editor logs in, and out, by a command", async () => {
  const server = await loginServer()
  const { session, home } = await workshop(offline)
  const entry = { type: "http", name: "my docs", url: server.url, headers: [] }
  const { client, sessionId } = await session({}, { mcpServers: [entry] })
  await settled(client)
  const wants = await say(client, sessionId, "/mcp")
  expect(wants).toMatch(/^These are the MCP servers:\n\n- `my docs` needs login: it wants you to log in\. Open http:/)
  expect(wants).toMatch(/send `\/mcp login my docs ADDRESS` with the address at which the browser ends, whatever/)
  const address = await loggedIn(wants)
  expect(await say(client, sessionId, `/mcp login my docs ${address}`)).toBe("`my docs` connected: 1 tools")
  const kept = await readFile(join(home, "mcp_logins.json"), "utf8")
  expect(Object.keys(JSON.parse(kept)[server.url])).toContain("tokens")

  expect(await say(client, sessionId, `/mcp login my docs ${address}`)).toBe(
    "That did not work: this login was not begun here, or is done already; begin it again. `/mcp login my docs` begins the login again.",
  )
  expect(await say(client, sessionId, "/mcp logout my docs")).toMatch(/^`my docs` needs login: it wants you/)
})

test("MC-11 the name may be left out where one server alone wants a login, and the login be begun again", async () => {
  const server = await loginServer()
  const { session } = await workshop(offline)
  const entry = { type: "http", name: "docs", url: server.url, headers: [] }
  const { client, sessionId } = await session({}, { mcpServers: [program("s"), entry] })
  await settled(client)
  const first = await say(client, sessionId, "/mcp")
  const again = await say(client, sessionId, "/mcp login")
  expect(again).toMatch(/^`docs` needs login/)
  expect(again).not.toBe(first)
  expect(await say(client, sessionId, `/mcp login <${await loggedIn(again)}>`)).toBe("`docs` connected: 1 tools")
  const told = client.updates("agent_thought_chunk").map(({ content }) => content.text)
  expect(told.join("").match(/The MCP server "docs"/g), "said once by itself").toHaveLength(1)
})

test("MC-11 each login is finished as the client that began it, when two sessions begin one at the same time", async () => {
  const server = await loginServer()
  const { runtime, home } = await workshop(offline)
  const logins = createLogins(runtime, join(home, "mcp_logins.json"))
  const [one, other] = [logins.loginFor(server.url).provider, logins.loginFor(server.url).provider]
  for (const provider of [one, other]) expect(await provider.clientInformation()).toBe(undefined)
  for (const [provider, name] of [
    [one, "one"],
    [other, "other"],
  ] as const) {
    await provider.saveClientInformation!({ client_id: name, redirect_uris: [] })
    await provider.saveCodeVerifier(`verifier of ${name}`)
  }
  const state = await one.state!()
  await logins.finish(server.url, `http://127.0.0.1:33418/callback?code=good&state=${state}`, never)
  const { body } = server.heard.find(({ path }) => path === "/token")!
  expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
    client_id: "one",
    code_verifier: "verifier of one",
  })
  expect(await other.clientInformation()).toMatchObject({ client_id: "one" })
})

test("MC-11 a session that is refused what another has renewed meanwhile does not take that away", async () => {
  const { url } = await loginServer()
  const { runtime, home } = await workshop(offline)
  const logins = createLogins(runtime, join(home, "mcp_logins.json"))
  const [one, other] = [logins.loginFor(url).provider, logins.loginFor(url).provider]
  const token = (access_token: string) => ({ access_token, token_type: "Bearer" })
  await one.saveTokens(token("old"))
  expect(await other.tokens()).toEqual(token("old"))
  await one.saveTokens(token("new"))
  await other.invalidateCredentials!("tokens")
  expect(await other.tokens()).toEqual(token("new"))
  await other.invalidateCredentials!("tokens")
  expect(await one.tokens()).toBe(undefined)
})

test("MC-11 the address may come in quotes, or as a link of the editor's", async () => {
  const server = await loginServer()
  const { session } = await workshop(offline)
  const entry = { type: "http", name: "docs", url: server.url, headers: [] }
  const { client, sessionId } = await session({}, { mcpServers: [entry] })
  await settled(client)
  const address = await loggedIn(await say(client, sessionId, "/mcp"))
  expect(await say(client, sessionId, `/mcp login docs "${address}"`)).toBe("`docs` connected: 1 tools")
  const other = await loggedIn(await say(client, sessionId, "/mcp logout docs"))
  const link = { type: "resource_link", uri: other, name: "callback" }
  const words = { type: "text", text: "/mcp login docs " }
  await client.request("session/prompt", { sessionId, prompt: [words, link] })
  expect(client.updates("agent_message_chunk").at(-1).content.text).toBe("`docs` connected: 1 tools")
})

test("MC-11 what a login can't be finished with says what to do", async () => {
  const server = await loginServer()
  const { session } = await workshop(offline)
  const entry = { type: "http", name: "docs", url: server.url, headers: [] }
  const { client, sessionId } = await session({}, { mcpServers: [program("s"), entry] })
  await settled(client)
  expect(await say(client, sessionId, "/mcp login docs http://127.0.0.1:33418/callback?error=access_denied")).toContain(
    "That did not work: the login was refused: access_denied.",
  )
  expect(await say(client, sessionId, "/mcp login docs https://example.com/")).toContain("has no code")
  expect(await say(client, sessionId, "/mcp login s")).toBe('"s" is a program, and wants no login.')
  expect(await say(client, sessionId, "/mcp restart nobody")).toBe(
    'There is no server "nobody". `/mcp restart SERVER`: `s`, `docs`.',
  )
})

test("MC-07 a server that is down for good is started again when the user wants that", async () => {
  const { session } = await workshop({ ...offline, launch: { policy: "yolo" } })
  const { client, sessionId } = await session({}, { mcpServers: [program("s")] })
  await settled(client)
  const state = () => client.updates("mcp_state_update").at(-1).servers[0].status
  for (const status of ["connected", "disconnected"]) {
    await say(client, sessionId, '!mcp__s__echo {"do": "die"}')
    await untilTrue(() => state() === status)
  }
  expect(await say(client, sessionId, "/mcp restart s")).toBe("`s` connected: 3 tools")
})

test("MC-11 the secret of the settings goes to the login's server, and into no file", async () => {
  const server = await loginServer()
  // biome-ignore lint/suspicious/noTemplateCurlyInString: settings write it so
  const oauth = { clientId: "me", clientSecret: "${SECRET_OF_DOCS}" }
  const { session, home } = await workshop({
    ...offline,
    env: { SECRET_OF_DOCS: "s3cret" },
    settings: { mcpServers: { docs: { type: "http", url: server.url, oauth } } },
  })
  const { client, sessionId } = await session()
  await settled(client)
  const address = await loggedIn(await say(client, sessionId, "/mcp"))
  expect(await say(client, sessionId, `/mcp login docs ${address}`)).toBe("`docs` connected: 1 tools")
  const { authorization } = server.heard.find(({ path }) => path === "/token")!
  expect(authorization).toBe(`Basic ${btoa("me:s3cret")}`)
  expect(await readFile(join(home, "mcp_logins.json"), "utf8")).not.toContain("s3cret")
})

test("MC-11 a service logs in with what its entry has, and again when it has been forgotten", async () => {
  const server = await loginServer()
  const oauth = { grantType: "client_credentials", clientId: "me", clientSecret: "s3cret", scopes: ["a", "b"] }
  const { session } = await workshop({
    ...offline,
    settings: { mcpServers: { docs: { type: "http", url: server.url, oauth, trust: true } } },
  })
  const { client, sessionId } = await session()
  await settled(client)
  server.forget()
  await say(client, sessionId, "!mcp__docs__echo")
  expect(client.updates("tool_call_update").at(-1)).toMatchObject({ status: "completed" })
  const asked = server.heard.filter(({ path }) => path === "/token")
  expect(asked.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
    { grant_type: "client_credentials", scope: "a b" },
    { grant_type: "client_credentials", scope: "a b" },
  ])
})

test("MC-11 what a service has is shown to the login's server of its entry alone", async () => {
  const server = await loginServer()
  const oauth = {
    grantType: "client_credentials",
    clientId: "me",
    clientSecret: "s3cret",
    issuer: "https://login.example",
  }
  const { session } = await workshop({
    ...offline,
    settings: { mcpServers: { docs: { type: "http", url: server.url, oauth } } },
  })
  const { client, sessionId } = await session()
  await settled(client)
  expect(await say(client, sessionId, "/mcp")).toContain("bound to authorization server https://login.example")
  expect(server.heard.filter(({ path }) => path === "/token")).toEqual([])
})
