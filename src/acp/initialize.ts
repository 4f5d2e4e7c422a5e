import { VERSION } from "../version.ts"
import { type Client, OWN } from "./client.ts"

/** What an agent can say of itself without looking at anything but its own files. */
export interface Facts {
  /** Whether sessions are kept. */
  stores: boolean
  hasGatewayKey: boolean
  /** The methods that are Koda's own. */
  ownMethods: readonly string[]
}

/** The answer to `initialize`. */
export function initializeResult(client: Client, { stores, hasGatewayKey, ownMethods }: Facts): object {
  const koda = client.dialect === "koda"
  const own = { accessPolicy: {}, subagents: SUBAGENTS }
  return {
    protocolVersion: 1,
    agentInfo: { name: "koda-acp", title: "Koda", version: VERSION },
    authMethods: authMethods(client, hasGatewayKey),
    agentCapabilities: {
      loadSession: stores,
      mcpCapabilities: { http: true, sse: true },
      promptCapabilities: { audio: true, embeddedContext: true, image: true },
      sessionCapabilities: {
        ...((koda || stores) && { fork: {} }),
        ...(stores && { list: {}, resume: {}, delete: {} }),
        close: {},
        additionalDirectories: {},
        ...(koda && own),
        _meta: { [OWN]: own },
      },
      auth: { logout: {} },
      _meta: { [OWN]: { methods: ownMethods } },
    },
    _meta: { steering: { supported: true } },
  }
}

/** Announced also while they are switched off: else nobody could find the switch. */
const SUBAGENTS = {
  maxConcurrentRange: { min: 1, max: 10 },
  maxSteps: 80,
  releaseWait: true,
  liveEnable: true,
  roles: true,
}

const KODA_AUTH = { id: "koda_auth", name: "Koda Auth", description: "Authenticate via Jarvis API" }
const WITHOUT_AUTH = { id: "without_auth", name: "Continue without authentication", description: null }

/** In the seed's order; but some clients always call the first, and for them it must be one that works. */
function authMethods(client: Client, hasGatewayKey: boolean): object[] {
  const works = client.dialect === "koda" || hasGatewayKey
  return [
    ...(works ? [KODA_AUTH, WITHOUT_AUTH] : [WITHOUT_AUTH, KODA_AUTH]),
    ...(client.terminalAuth ? [TERMINAL] : []),
  ]
}

const TERMINAL = {
  id: "koda_login",
  type: "terminal",
  name: "Log in with a key",
  description: "Asks for the gateway key in a terminal and keeps it",
  args: ["--login"],
  env: {},
}
