import type { Client } from "@modelcontextprotocol/sdk/client"
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types"
import * as v from "valibot"
import { abortable } from "../agent/abortable.ts"
import type { Runtime } from "../runtime.ts"
import type { ServerConfig } from "./config.ts"
import { boundedFetch } from "./http.ts"
import { type Answers, answerRequests } from "./requests.ts"
import type { RawResult } from "./result.ts"
import { type OwnTransport, programOf, type ServerPlace, stdioTransport } from "./stdio.ts"

/** How long a server may take to introduce itself: the first start of some downloads them. */
const CONNECT_MS = 60_000
/** How long a call may take if nobody has said. What reports progress may take longer. */
const CALL_MS = 600_000
const LIST_MS = 30_000
const MOST_PAGES = 50
const MOST_TOOLS = 300
const LONGEST_DESCRIPTION = 8_000

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  /** The server says that a second call does no harm. */
  readonly repeatable: boolean
}

export interface CallOptions {
  readonly signal: AbortSignal
  progress(words: string): void
}

/** A server that has introduced itself. */
export interface Connection {
  tools(signal: AbortSignal): Promise<RemoteTool[]>
  call(tool: string, input: object, options: CallOptions): Promise<RawResult>
  close(): Promise<void>
  /** Resolves with the reason when it is there no more. */
  readonly closed: Promise<string>
  readonly isClosed: boolean
}

/** A user's login to one server. */
export interface Login {
  readonly provider: OAuthClientProvider
  /** Where the user must go, once the server has said so. */
  url(): string | undefined
}

/** What all servers of a session are started with. */
export interface ConnectNeeds extends Answers {
  readonly place: Omit<ServerPlace, "env"> & { readonly os: "linux" | "mac" | "windows" }
  readonly fetch: Runtime["fetch"]
  /** The environment that servers have before their own variables. */
  env(): Promise<Record<string, string>>
  readonly version: string
  /** How long a call may take, in milliseconds, if the user has said. */
  readonly timeoutMs?: number
  /** How the user logs in to the server of that address. */
  readonly login?: (url: string) => Login
}

/** The server wants the user to log in. */
export class LoginNeeded extends Error {
  override readonly name = "LoginNeeded"
  /** Where, if it says. */
  readonly url: string | undefined

  constructor(url: string | undefined, options?: ErrorOptions) {
    super("it wants you to log in", options)
    this.url = url
  }
}

/** Connects to a server and lets it introduce itself; fails in words that say what to mend. */
export async function connectTo(config: ServerConfig, needs: ConnectNeeds, signal: AbortSignal): Promise<Connection> {
  const { reach } = config
  if (reach.type === "stdio") return await introduced(config, needs, await ownTransport(reach, needs), signal)
  const { url, headers } = reach
  const login = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
    ? undefined
    : needs.login?.(url)
  const over = async (type: "http" | "sse") =>
    await introduced(config, needs, await remote(type, reach, needs, login), signal).catch((error) => {
      throw isUnauthorized(error) ? new LoginNeeded(login?.url(), { cause: error }) : error
    })
  if (reach.type !== "either") return await over(reach.type)
  try {
    return await over("http")
  } catch (error) {
    if (![400, 404, 405].includes(statusOf(error) ?? 0)) throw error
    return await over("sse").catch((other) => {
      throw other instanceof LoginNeeded ? other : error
    })
  }
}

async function ownTransport(
  reach: Extract<ServerConfig["reach"], { type: "stdio" }>,
  needs: ConnectNeeds,
): Promise<OwnTransport> {
  const { os, cwd, ...place } = needs.place
  const env = { ...(await needs.env()), ...reach.env }
  const folder =
    reach.cwd === undefined ? cwd : /^(\/|[A-Za-z]:[\\/])/.test(reach.cwd) ? reach.cwd : `${cwd}/${reach.cwd}`
  return stdioTransport(programOf(reach.command, reach.args, os), { ...place, cwd: folder, env })
}

async function remote(
  type: "http" | "sse",
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  needs: ConnectNeeds,
  login: Login | undefined,
): Promise<Transport> {
  const lifetime = new AbortController()
  const options = {
    fetch: boundedFetch(needs.fetch, lifetime.signal, { origin: new URL(url).origin, headers }),
    ...(login && { authProvider: login.provider }),
  }
  const transport = await made()
  const close = transport.close.bind(transport)
  transport.close = async () => {
    lifetime.abort(new Error("the connection is closed"))
    await close()
  }
  return transport

  async function made(): Promise<Transport> {
    if (type === "sse") {
      const { SSEClientTransport } = await import("./sdk.ts")
      return new SSEClientTransport(new URL(url), options)
    }
    const { StreamableHTTPClientTransport } = await import("./sdk.ts")
    return new StreamableHTTPClientTransport(new URL(url), options) as Transport
  }
}

async function introduced(
  config: ServerConfig,
  needs: ConnectNeeds,
  transport: Transport,
  signal: AbortSignal,
): Promise<Connection> {
  const { Client } = await import("./sdk.ts")
  const capabilities = { roots: {}, elicitation: { form: { applyDefaults: true } } }
  const client = new Client({ name: "koda", version: needs.version }, { capabilities, jsonSchemaValidator: BELIEVING })
  client.onerror = () => {} // what matters fails a request, or ends the connection
  await answerRequests(client, config.name, needs)
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  const end = { isClosed: false, closed }
  client.onclose = () => {
    end.isClosed = true
    resolve(endingOf(transport) ?? "the connection ended")
  }
  const patience = AbortSignal.timeout(Math.max(config.timeoutMs ?? needs.timeoutMs ?? 0, CONNECT_MS))
  try {
    await abortable(client.connect(transport, { timeout: CALL_MS }), AbortSignal.any([signal, patience]))
  } catch (error) {
    await closedWithin(client, transport)
    signal.throwIfAborted()
    const why = patience.aborted
      ? `it did not answer for ${CONNECT_MS / 1000} seconds`
      : (ownEnding(transport) ?? wordsOf(error))
    throw new Error(why, { cause: error })
  }
  return connectionOf(client, transport, end, config.timeoutMs ?? needs.timeoutMs ?? CALL_MS)
}

/** Results go to a model, which needs no schema of them to be true. */
const BELIEVING: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

function connectionOf(
  client: Client,
  transport: Transport,
  end: Pick<Connection, "closed" | "isClosed">,
  timeout: number,
): Connection {
  return {
    closed: end.closed,
    get isClosed() {
      return end.isClosed
    },
    async tools(signal) {
      if (!client.getServerCapabilities()?.tools) return []
      const { ResultSchema } = await import("./sdk.ts")
      const tools = new Map<string, RemoteTool>()
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES && tools.size < MOST_TOOLS; page++) {
        const params = cursor === undefined ? {} : { cursor }
        const result = await client.request({ method: "tools/list", params }, ResultSchema, {
          signal,
          timeout: LIST_MS,
        })
        for (const tool of toolsIn(result["tools"]))
          if (!tools.has(tool.name) && tools.size < MOST_TOOLS) tools.set(tool.name, tool)
        const next = result["nextCursor"]
        if (typeof next !== "string" || next === cursor) break
        cursor = next
      }
      return [...tools.values()]
    },
    async call(name, input, { signal, progress }) {
      const { ResultSchema } = await import("./sdk.ts")
      const request = { method: "tools/call", params: { name, arguments: input as Record<string, unknown> } }
      return await client.request(request, ResultSchema, {
        signal,
        timeout,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress: done, total, message }) =>
          progress(message ?? (total ? `${done} of ${total}` : String(done))),
      })
    },
    async close() {
      if ("terminateSession" in transport) {
        const ended = (transport.terminateSession as () => Promise<void>)().catch(() => {})
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300))])
      }
      await closedWithin(client, transport)
    },
  }
}

const TOOL = v.looseObject({
  name: v.pipe(v.string(), v.nonEmpty()),
  description: v.fallback(v.nullish(v.string(), ""), ""),
  inputSchema: v.unknown(),
  annotations: v.fallback(
    v.nullish(v.looseObject({ readOnlyHint: v.nullish(v.boolean()), idempotentHint: v.nullish(v.boolean()) })),
    null,
  ),
})

/** Tools as far as they can be read; one that is odd spoils no other. */
function toolsIn(list: unknown): RemoteTool[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { success, output } = v.safeParse(v.partial(TOOL, ["inputSchema"]), entry)
    if (!success) return []
    const { name, description, inputSchema, annotations } = output
    const short = (description ?? "").slice(0, LONGEST_DESCRIPTION)
    const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true
    return [{ name, description: short, schema: inputSchema, repeatable }]
  })
}

async function closedWithin(client: Client, transport: Transport): Promise<void> {
  await client.close().catch(() => {})
  await transport.close().catch(() => {}) // one that the client never got
}

function endingOf(transport: Transport): string | undefined {
  return "ending" in transport ? (transport as OwnTransport).ending() : undefined
}

/** Why it ended by itself. */
function ownEnding(transport: Transport): string | undefined {
  const ending = endingOf(transport)
  return ending?.startsWith("it was stopped") ? undefined : ending
}

/** The status with which a server refused, if it did. */
export function statusOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === "number" && code >= 400 && code < 600
    ? code
    : error instanceof Error && error.cause
      ? statusOf(error.cause)
      : undefined
}

function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return statusOf(error) === 401 || error.constructor.name === "UnauthorizedError" || isUnauthorized(error.cause)
}

export function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^MCP error -?\d+: /, "").slice(0, 1_000)
}
