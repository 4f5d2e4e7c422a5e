import type { Client } from "@modelcontextprotocol/sdk/client"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
import type { jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types"
import { abortable } from "../agent/abortable.ts"
import type { ServerConfig } from "./config.ts"
import { isTimeout, isUnauthorized, LoginNeeded, statusOf, wordsOf } from "./failure.ts"
import type { ConnectNeeds, Login } from "./needs.ts"
import { listPrompts, type RemotePrompt } from "./remote-prompts.ts"
import { listTools, type RemoteTool } from "./remote-tools.ts"
import { answerRequests } from "./requests.ts"
import type { RawResult } from "./result.ts"
import type { OwnTransport } from "./stdio.ts"
import { ownTransport, remote } from "./transports.ts"

/** How long a server may take to introduce itself: the first start of some downloads them. */
const CONNECT_MS = 60_000
/** How long a call may take if nobody has said. What reports progress may take longer. */
const CALL_MS = 600_000
/** How long the user waits for a prompt or a resource. */
const GET_MS = 30_000
/** Messages on their way to a server. One that asks for ever and takes no answers would fill our memory with them. */
const MOST_UNSENT = 200

export interface CallOptions {
  readonly signal: AbortSignal
  progress(words: string): void
}

/** A server that has introduced itself. */
export interface Connection {
  /** What it says of how it is used. */
  readonly instructions: string | undefined
  tools(signal: AbortSignal): Promise<RemoteTool[]>
  prompts(signal: AbortSignal): Promise<RemotePrompt[]>
  call(tool: RemoteTool, input: object, options: CallOptions): Promise<RawResult>
  get(method: "prompts/get" | "resources/read", params: object, signal: AbortSignal): Promise<RawResult>
  close(): Promise<void>
  /** Resolves with the reason when it is there no more. */
  readonly closed: Promise<string>
  readonly isClosed: boolean
}

/** Connects to a server and lets it introduce itself; fails in words that say what to mend. */
export async function connectTo(config: ServerConfig, needs: ConnectNeeds, signal: AbortSignal): Promise<Connection> {
  const { reach } = config
  if (reach.type === "stdio") return await introduced(config, needs, await ownTransport(reach, needs), signal)
  const { url, headers } = reach
  const login = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
    ? undefined
    : needs.login?.(url, reach.client)
  const over = async (type: "http" | "sse") =>
    await saying(login, introduced(config, needs, await remote(type, reach, needs, login), signal, login))
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

async function introduced(
  config: ServerConfig,
  needs: ConnectNeeds,
  transport: Transport,
  signal: AbortSignal,
  login?: Login,
): Promise<Connection> {
  const { Client } = await import("./sdk.ts")
  const capabilities = { roots: {}, elicitation: { form: { applyDefaults: true }, url: {} } }
  const client = new Client({ name: "koda", version: needs.version }, { capabilities, jsonSchemaValidator: BELIEVING })
  client.onerror = () => {} // what matters fails a request, or ends the connection
  await answerRequests(client, config.name, needs)
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  const end = { isClosed: false, closed }
  let refused: string | undefined
  limitUnsent(transport, () => {
    refused = "it does not take what it is sent"
    void closedWithin(client, transport)
  })
  client.onclose = () => {
    end.isClosed = true
    resolve(refused ?? endingOf(transport) ?? "the connection ended")
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
  return connectionOf(client, { transport, login, end }, config.timeoutMs ?? needs.timeoutMs ?? CALL_MS)
}

/** Results go to a model, which needs no schema of them to be true. */
const BELIEVING: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

interface Parts {
  transport: Transport
  login: Login | undefined
  end: Pick<Connection, "closed" | "isClosed">
}

function connectionOf(client: Client, { transport, login, end }: Parts, timeout: number): Connection {
  return {
    instructions: client.getInstructions(),
    closed: end.closed,
    get isClosed() {
      return end.isClosed
    },
    tools: (signal) => saying(login, listTools(client, signal)),
    prompts: (signal) => listPrompts(client, signal),
    async call({ name, method }, input, { signal, progress }) {
      const { ResultSchema } = await import("./sdk.ts")
      const given = input as Record<string, unknown>
      const request = { method, params: method === "tools/call" ? { name, arguments: given } : given }
      const calling = client.request(request, ResultSchema, {
        signal,
        timeout,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress: done, total, message }) =>
          progress(message ?? (total ? `${done} of ${total}` : String(done))),
      })
      return await saying(login, calling).catch((error: unknown) => {
        if (!isTimeout(error)) throw error
        const words = `it has not answered for ${timeout / 1000} seconds; \`timeout\` in its settings may give it longer`
        throw new Error(words, { cause: error })
      })
    },
    async get(method, params, signal) {
      const { ResultSchema } = await import("./sdk.ts")
      const request = { method, params: params as Record<string, unknown> }
      return await saying(login, client.request(request, ResultSchema, { signal, timeout: GET_MS }))
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

function limitUnsent(transport: Transport, giveUp: () => void): void {
  const send = transport.send.bind(transport)
  let unsent = 0
  transport.send = async (message, options) => {
    if (unsent >= MOST_UNSENT) {
      giveUp()
      throw new Error("the server does not take what it is sent")
    }
    unsent++
    await send(message, options).finally(() => unsent--)
  }
}

/** Fails with where the user logs in, if that is what it fails for. */
async function saying<T>(login: Login | undefined, promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw isUnauthorized(error) ? new LoginNeeded(login?.url(), { cause: error }) : error
  }
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
