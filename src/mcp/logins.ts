import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth"
import { FileError, type Files, type Runtime } from "../runtime.ts"
import { boundedFetch } from "./http.ts"
import type { Login } from "./needs.ts"
import type { OwnClient } from "./own-client.ts"
import { serviceLogin } from "./service-login.ts"

/**
 * Where the browser is sent when the user has logged in. Nobody listens there: the user hands us the address at which it
 * ends, and so no program of ours waits for the network.
 */
const REDIRECT = "http://127.0.0.1:33418/callback"
/** Logins that were begun and may still be finished. */
const MOST_PENDING = 10

/** What is kept of a user's login to one server. */
interface Saved {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  /** Each login that was begun, by its state. */
  pending?: Readonly<Record<string, Begun>>
  /** What the server said of where to log in. */
  discovery?: OAuthDiscoveryState
}

/** A login that was begun: its secret, and as whom. Another process may have become another client since. */
interface Begun {
  readonly verifier: string
  readonly client?: OAuthClientInformationMixed
}

/** The user's logins to MCP servers. */
export interface Logins {
  loginFor(url: string, client?: OwnClient): Login
  /** Ends a login with the address at which the browser ended. Fails in words that say what to do instead. */
  finish(url: string, address: string, signal: AbortSignal, client?: OwnClient): Promise<void>
  /** False if there was none. */
  forget(url: string): Promise<boolean>
}

/** Logins kept in a file that is the user's alone to read. */
export function createLogins({ files, fetch }: Pick<Runtime, "files" | "fetch">, path: string): Logins {
  let line: Promise<unknown> = Promise.resolve()

  async function read(url: string): Promise<Saved> {
    return (await readAll(files, path))[url] ?? {}
  }

  /** One change at a time, so that none is lost. */
  function change(url: string, how: (saved: Saved) => Saved | undefined): Promise<void> {
    const done = line.then(async () => {
      const { [url]: saved = {}, ...others } = await readAll(files, path)
      const next = how(saved)
      await files.write(path, `${JSON.stringify({ ...others, ...(next && { [url]: next }) }, null, 2)}\n`, {
        mode: 0o600,
      })
    })
    line = done.catch(() => {})
    return done
  }

  function loginFor(url: string, own: OwnClient | undefined, state: string = crypto.randomUUID()): Login {
    let shown: string | undefined
    let seen: OAuthTokens | undefined
    let us: OAuthClientInformationMixed | undefined
    const isKnown = own?.type === "known"
    const provider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: {
        client_name: "koda",
        redirect_uris: [REDIRECT],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        ...(own?.scope !== undefined && { scope: own.scope }),
      },
      ...(own?.type === "stranger" && own.clientMetadataUrl && { clientMetadataUrl: own.clientMetadataUrl }),
      state: () => state,
      async clientInformation() {
        const { client, pending } = await read(url)
        us = isKnown ? knownInformation(own, client) : (pending?.[state]?.client ?? client)
        return us
      },
      saveClientInformation(client) {
        us = isKnown ? withoutSecret(client) : client
        return change(url, (saved) => ({ ...saved, client: us! }))
      },
      async tokens() {
        seen = (await read(url)).tokens
        return seen
      },
      saveTokens: (tokens) =>
        change(url, ({ pending: _, ...saved }) => ({ ...saved, ...(us && !isKnown && { client: us }), tokens })),
      redirectToAuthorization(to) {
        shown = /^https?:$/.test(to.protocol) ? to.href : undefined // shown, and never opened
      },
      saveCodeVerifier: (verifier) =>
        change(url, (saved) => {
          const others = Object.entries(saved.pending ?? {}).slice(1 - MOST_PENDING)
          const begun: Begun = { verifier, ...(us && !isKnown && { client: us }) }
          return { ...saved, pending: { ...Object.fromEntries(others), [state]: begun } }
        }),
      async codeVerifier() {
        const verifier = (await read(url)).pending?.[state]?.verifier
        if (verifier === undefined) throw new Error("this login was not begun here, or is done already; begin it again")
        return verifier
      },
      discoveryState: async () => (await read(url)).discovery,
      saveDiscoveryState: (discovery) => change(url, (saved) => ({ ...saved, discovery })),
      invalidateCredentials: (scope) =>
        change(url, ({ client, tokens, pending, discovery }) => ({
          ...(discovery && scope !== "all" && scope !== "discovery" && { discovery }),
          ...(client && scope !== "all" && scope !== "client" && { client }),
          ...(tokens && (isAnothers(tokens) || (scope !== "all" && scope !== "tokens")) && { tokens }),
          ...(pending && scope !== "all" && scope !== "verifier" && { pending }),
        })),
    }
    /** Another process has renewed them since: what was refused are older ones. */
    const isAnothers = (tokens: OAuthTokens) => tokens.access_token !== seen?.access_token
    return { provider, url: () => shown }
  }

  return {
    loginFor: (url, client) => (client?.type === "service" ? serviceLogin(client) : loginFor(url, client)),
    async finish(url, address, signal, client) {
      const { searchParams } = URL.canParse(address) ? new URL(address) : new URL("http://none")
      const problem = searchParams.get("error_description") ?? searchParams.get("error")
      if (problem) throw new Error(`the login was refused: ${problem}`)
      const authorizationCode = searchParams.get("code")
      const state = searchParams.get("state")
      if (!authorizationCode || !state) throw new Error(`"${address}" has no code; it begins with ${REDIRECT}?code=`)
      const { auth } = await import("./sdk.ts")
      const { provider } = loginFor(url, client, state)
      await provider.codeVerifier() // of no login of ours: nothing is sent
      await auth(provider, {
        serverUrl: url,
        authorizationCode,
        fetchFn: boundedFetch(fetch, signal, { origin: new URL(url).origin, headers: {}, isAgreed: true }),
      })
    },
    async forget(url) {
      const had = Object.hasOwn(await readAll(files, path), url)
      if (had) await change(url, () => undefined)
      return had
    },
  }
}

/** The settings' word counts; what was learnt is whom it may be shown. */
function knownInformation(
  { clientId, clientSecret, issuer }: Extract<OwnClient, { type: "known" }>,
  saved: OAuthClientInformationMixed | undefined,
): OAuthClientInformationMixed {
  const learnt = saved?.client_id === clientId ? saved.issuer : undefined
  const bound = issuer ?? learnt
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(bound !== undefined && { issuer: bound }),
  }
}

function withoutSecret({ client_id, issuer }: OAuthClientInformationMixed): OAuthClientInformationMixed {
  return { client_id, ...(issuer !== undefined && { issuer }) }
}

async function readAll(files: Files, path: string): Promise<Record<string, Saved>> {
  try {
    return JSON.parse(await files.readText(path)) as Record<string, Saved>
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return {}
    if (error instanceof SyntaxError) throw new Error(`${path} is no JSON; mend or remove it`)
    throw error
  }
}
