import { expect, test } from "vitest"
import { faultsOf } from "./conformance.ts"
import { choose, INITIALIZE, type Koda, type Loose, prompt, startKoda, updates } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

/**
 * What the suite asks of clients. Left out: `auth/cross-app-access-complete-flow`, which begins with a token of a company's
 * own login that only an editor of that company could give us.
 */
const SCENARIOS = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
]

const LEFT_OUT = "auth/cross-app-access-complete-flow"

test.each(SUBJECTS)(
  "MC-11 the conformance suite is content with koda on $name",
  { timeout: 300_000 },
  async (subject) => {
    const model = await startModel((asked) => {
      const names: string[] = (asked.tools ?? []).map(({ function: { name } }) => name)
      const theirs = names.filter((name) => name.startsWith("mcp__"))
      if (theirs.length === 0 || lastOf(asked).role === "tool") return words("done")
      return calls(...theirs.map((name) => [name, name.endsWith("add_numbers") ? { a: 5, b: 3 } : {}] as const))
    })
    const faults = await faultsOf(async ({ scenario, url, context }) => {
      if (scenario === LEFT_OUT) return
      const oauth = oauthFor(scenario, context)
      const settings = { localModels: false, ...(oauth && { mcpServers: { s: { type: "http", url, oauth } } }) }
      const place = await newPlace({}, { "settings.json": JSON.stringify(settings) })
      const koda = startKoda(subject, place, { env: model.env })
      await use(koda, place.workspace, oauth ? [] : [{ type: "http", name: "s", url, headers: [] }])
      expect(await koda.hangUp()).toBe(0)
    })
    const { [LEFT_OUT]: _, ...rest } = faults
    expect(rest).toEqual(Object.fromEntries(SCENARIOS.map((name) => [name, []])))
  },
)

/** What the user has agreed with the server beforehand. */
function oauthFor(scenario: string, context: Loose): object | undefined {
  const {
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: privateKey,
    signing_algorithm: algorithm,
  } = context
  if (scenario === "auth/basic-cimd")
    return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }
  if (scenario.startsWith("auth/client-credentials"))
    return { grantType: "client_credentials", clientId, clientSecret, privateKey, algorithm }
  return clientId && { clientId, clientSecret }
}

/** Forms are shown, and how servers stand is told. */
const CAPABILITIES = { subagents: true, elicitation: { form: {} } }

/** A user who has every tool called, and logs in when they are told to, but not for ever. */
async function use(koda: Koda, cwd: string, mcpServers: readonly object[]): Promise<void> {
  koda.replies["session/request_permission"] = choose("allow_once")
  koda.replies["elicitation/create"] = () => ({ action: "accept", content: {} })
  await koda.request("initialize", { ...INITIALIZE, clientCapabilities: CAPABILITIES })
  const { sessionId } = (await koda.request("session/new", { cwd, mcpServers })).result
  await koda.until(({ params }) => params?.update?.discoveryState === "completed")
  let seen = 0
  const wantedLogin = () => {
    const news = updates(koda, sessionId).slice(seen)
    seen += news.length
    return /Open (http\S+) and log in/.exec(news.map(({ content }) => content?.text ?? "").join(""))?.[1]
  }
  for (let round = 0; round < 3; round++) {
    await prompt(koda, sessionId, "Call all tools")
    const login = wantedLogin()
    if (login === undefined) return
    const browser = await fetch(login, { redirect: "manual" })
    await prompt(koda, sessionId, `/mcp login s ${browser.headers.get("location")}`)
  }
}
