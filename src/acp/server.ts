import { ModelFailure } from "../agent/model.ts"
import { RpcError } from "../jsonrpc/message.ts"
import { connect, type Peer, type Received } from "../jsonrpc/peer.ts"
import type { Runtime } from "../runtime.ts"
import { StoreError } from "../session/store-error.ts"
import { clientOf, INITIALIZE, raised, unknownClient } from "./client.ts"
import { type Connection, type Methods, newConnection } from "./connection.ts"
import type { Core } from "./core.ts"
import { isGone, rpcError, unknownMethod } from "./errors.ts"
import { holdsGatewayKey } from "./gateway-key.ts"
import { initializeResult } from "./initialize.ts"
import { type Launch, storeFolder } from "./launch.ts"
import { mergeDeltas } from "./merge.ts"
import { OWN_METHODS, plainName } from "./names.ts"
import { parse } from "./params.ts"

/** An agent, and the sessions that outlive its clients. */
export interface Server {
  /** Serves one client over two byte streams. */
  connect(input: ReadableStream<Uint8Array>, output: WritableStream<Uint8Array>): Peer
  /** Ends all sessions, with all they started. */
  close(): Promise<void>
}

/** Everything that `initialize` does not need. It is loaded when that has been answered. */
type Rest = { methods: Methods; core: Core }

/** How long what ends may take; with the connection's own grace well within the two seconds we promise. */
const CLOSING_MS = 700
const GRACE_MS = 1000

/** Serves one editor over standard input and output, until it goes away or we are told to stop. */
export async function serve(runtime: Runtime, launch: Launch = {}): Promise<void> {
  const { stdio, system } = runtime
  const server = createServer(runtime, launch)
  const peer = server.connect(stdio.input, stdio.output)
  system.onStop(() => peer.close())
  await peer.closed
  await Promise.race([server.close(), new Promise((resolve) => setTimeout(resolve, CLOSING_MS))])
}

/** Makes an agent that clients can be connected to. Nothing is read or started before one asks for it. */
export function createServer(runtime: Runtime, launch: Launch = {}): Server {
  let rest: Rest | undefined
  let loading: Promise<Rest> | undefined
  let isClosed = false

  function load(): Promise<Rest> {
    loading ??= import("./rest.ts").then(async ({ METHODS, createCore }) => {
      rest = { methods: METHODS, core: await createCore(runtime, launch) }
      return rest
    })
    return loading
  }

  return {
    connect(input, output) {
      const state: { connection?: Connection } = {}
      return connect(input, output, {
        merge: mergeDeltas,
        graceMs: GRACE_MS,
        onError: (error, what) => {
          // a notification that was refused has no other way to say so, and editors show our errors to the user
          const isNoFault = error instanceof RpcError || isGone(error)
          launch.log?.(isNoFault ? "debug" : "error", `${what}: ${stackOf(error)}`)
        },
        ...(launch.tap && { tap: launch.tap }),
        handle(received, peer) {
          const forced = launch.dialect ?? "auto"
          const connection = (state.connection ??= newConnection(peer, unknownClient(forced)))
          return handle(received, connection).catch((error: unknown) => {
            const told = rpcError(error, connection.client.dialect)
            if (told !== error) launch.log?.(levelOf(error, told), `${received.method}: ${loggedOf(error)}`)
            throw told
          })
        },
      })
    },

    async close() {
      isClosed = true
      const { core } = (await loading) ?? {}
      await core?.close()
    },
  }

  /** Loads what will be needed next. Requests that wait for their answer go first. */
  async function warmUp({ answered }: Peer): Promise<void> {
    if (isClosed) return
    const { core } = await load()
    await answered()
    await core.warmUp()
  }

  /** Handlers begin in the order in which their messages came. */
  async function handle(received: Received, connection: Connection): Promise<unknown> {
    const method = plainName(received.method)
    if (method === "initialize") return await initialize(received, connection)
    connection.client = raised(connection.client, received.method, received.params) // in its plain spelling alone
    const { methods, core } = rest ?? (await load())
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (!handler) throw unknownMethod(received.method, Object.keys(methods))
    return await handler({ ...received, method, core, connection })
  }

  async function initialize({ params, after }: Received, connection: Connection): Promise<object> {
    connection.client = clientOf(parse(INITIALIZE, params), launch.dialect ?? "auto")
    after(() => {
      // the answer leaves first: Node compiles all that is imported before `import` returns
      setTimeout(() => warmUp(connection.peer).catch(() => {})) // what failed is told to the message that needs it
    })
    const hasGatewayKey = connection.client.dialect === "standard" && (await holdsGatewayKey(runtime))
    return initializeResult(connection.client, {
      stores: storeFolder(runtime, launch) !== undefined,
      hasGatewayKey,
      ownMethods: OWN_METHODS,
    })
  }
}

/** Standard error is for what nobody expected: not for what a model's server said, or what was asked for wrongly. */
function levelOf(error: unknown, told: RpcError): "info" | "error" {
  return error instanceof ModelFailure || told.code !== -32603 ? "info" : "error"
}

function loggedOf(error: unknown): string {
  return error instanceof ModelFailure || error instanceof StoreError ? error.message : stackOf(error)
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
