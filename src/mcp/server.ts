import { abortable } from "../agent/abortable.ts"
import { type Clock, type Throttle, throttle } from "../clock.ts"
import type { ServerConfig } from "./config.ts"
import { type CallOptions, type Connection, connectTo } from "./connection.ts"
import { addressesIn, LoginNeeded, statusOf, wordsOf } from "./failure.ts"
import type { ConnectNeeds } from "./needs.ts"
import type { RemotePrompt } from "./remote-prompts.ts"
import type { RemoteTool } from "./remote-tools.ts"
import type { RawResult } from "./result.ts"

/** One server, as a client and the user are told of it. */
export interface ServerState {
  readonly name: string
  readonly status: "connecting" | "connected" | "disconnected" | "needs_login"
  /** Why it is not there. */
  readonly error?: string
  /** Where the user logs in. */
  readonly loginUrl?: string
  /** How many it offers. */
  readonly tools?: number
}

/** Its lists are asked for no more often. */
const REFRESH_MS = 1_000
/** One that is away is looked for no more often. */
const REVIVE_MS = 30_000
/** A server that has run so long may be restarted again. */
const HEALTHY_MS = 600_000

/** A server of a session: connected once, restarted once if it dies, and called by its tools. */
export class Server {
  readonly config: ServerConfig
  readonly #needs: ConnectNeeds
  readonly #clock: Clock
  readonly #changed: () => void
  readonly #end = new AbortController()
  #state: Omit<ServerState, "name" | "tools"> = { status: "connecting" }
  #tools: readonly RemoteTool[] = []
  #prompts: readonly RemotePrompt[] = []
  /** The connection, and everyone who waits for it. Rejected for good where another try makes no sense. */
  #connection: Promise<Connection> | undefined
  #live: Connection | undefined
  #since = 0
  #tried = Number.NEGATIVE_INFINITY
  #hasRestarted = false
  #isRefreshing = false
  readonly #refreshing: Throttle

  constructor(config: ServerConfig, needs: Omit<ConnectNeeds, "changed">, changed: () => void) {
    this.config = config
    this.#clock = needs.place.clock
    this.#refreshing = throttle(() => void this.#refresh(), REFRESH_MS, this.#clock)
    this.#needs = { ...needs, changed: () => this.#refreshing.poke() }
    this.#changed = changed
  }

  get state(): ServerState {
    const { name } = this.config
    return { name, ...this.#state, ...(this.#state.status === "connected" && { tools: this.#tools.length }) }
  }

  /** Those that the user's settings leave, in the order of their names. */
  get tools(): readonly RemoteTool[] {
    return this.#tools
  }

  get prompts(): readonly RemotePrompt[] {
    return this.#prompts
  }

  /** What it says of how it is used, if it is there. */
  get instructions(): string | undefined {
    return this.#live?.instructions
  }

  /** Connects, and resolves when that has succeeded or failed. */
  async start(): Promise<void> {
    await this.#connect().catch(() => {}) // it is in the state
  }

  /** A new prompt comes: one elsewhere that was away may be back. Nobody waits for it. */
  revive(): void {
    if (this.#isOurs || this.#state.status !== "disconnected" || this.#clock.now() - this.#tried < REVIVE_MS) return
    void this.start()
  }

  /** Ends it, if it is there, and starts it anew; one that is being started is waited for. */
  async restart(): Promise<void> {
    if (this.#state.status !== "connecting") {
      const old = this.#live
      this.#live = undefined
      this.#connection = undefined
      this.#hasRestarted = false
      await old?.close()
    }
    await this.start()
  }

  /**
   * Calls a tool. A server that has forgotten us or is being restarted is waited for; a call that was under way when it
   * died is made again only if the tool says that this does no harm.
   */
  async call(tool: RemoteTool, input: object, options: CallOptions): Promise<RawResult> {
    const { name } = this.config
    const connection = await this.#there(options.signal)
    try {
      const result = await connection.call(tool, input, options)
      if (this.#state.status === "needs_login") this.#become({ status: "connected" })
      return result
    } catch (error) {
      options.signal.throwIfAborted()
      if (error instanceof LoginNeeded) {
        this.#become(lackOf(error))
        throw new Error(`The server "${name}" wants the user to log in. Do without it, and tell the user.`)
      }
      const addresses = addressesIn(error)
      for (const asked of addresses) await this.#show(asked, options.signal)
      if (addresses.length > 0)
        throw new Error(`${name}: the user was shown an address to open first. Call again once they have done so.`)
      const isForgotten = statusOf(error) === 404
      if (!isForgotten && !connection.isClosed) throw new Error(`${name}: ${wordsOf(error)}`, { cause: error })
      if (!isForgotten && !tool.repeatable) {
        const why = await connection.closed
        throw new Error(
          `The server "${name}" ended during the call: ${wordsOf(why)}. It may have taken effect; look before you repeat it.`,
        )
      }
      if (isForgotten) this.#forgotten(connection)
      const again = await this.#there(options.signal)
      return await again.call(tool, input, options)
    }
  }

  /** Gives the user what they have asked for by its name: a prompt, or a resource. */
  async get(...[method, params, signal]: Parameters<Connection["get"]>): Promise<RawResult> {
    const { name } = this.config
    if (this.#state.status === "connecting") throw new Error(`the server "${name}" is still connecting`)
    const connection = await this.#there(signal)
    return await connection.get(method, params, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw new Error(`the server "${name}" says: ${wordsOf(error)}`, { cause: error })
    })
  }

  /** Ends it, with all that it started. */
  async close(): Promise<void> {
    this.#end.abort(new Error("the session is closed"))
    this.#refreshing.stop()
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  async #show(asked: object, signal: AbortSignal): Promise<void> {
    const { message } = asked as { message?: unknown }
    await this.#needs.elicit({ ...asked, mode: "url", message: `${this.config.name}: ${String(message)}` }, signal)
  }

  async #there(signal: AbortSignal): Promise<Connection> {
    try {
      return await abortable(this.#connect(), signal)
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(
        `The server "${this.config.name}" is not there: ${wordsOf(error)}. Do without it, or tell the user.`,
      )
    }
  }

  /** We have started it ourselves. */
  get #isOurs(): boolean {
    return this.config.reach.type === "stdio"
  }

  #connect(): Promise<Connection> {
    if (this.#connection) return this.#connection
    const connecting = this.#connectNow()
    this.#connection = connecting
    connecting.catch(() => {
      if (!this.#isOurs) this.#connection = undefined // the next call may find it
    })
    return connecting
  }

  async #connectNow(): Promise<Connection> {
    const { signal } = this.#end
    this.#become({ status: "connecting" })
    this.#tried = this.#clock.now()
    let connection: Connection | undefined
    try {
      connection = await connectTo(this.config, this.#needs, signal)
      const [tools, prompts] = await Promise.all([connection.tools(signal), connection.prompts(signal)])
      this.#tools = this.#chosen(tools)
      this.#prompts = prompts
      signal.throwIfAborted()
    } catch (error) {
      await connection?.close()
      if (signal.aborted) throw error
      this.#tools = []
      this.#prompts = []
      this.#become(lackOf(error))
      throw error
    }
    const there = connection
    this.#since = this.#clock.now()
    this.#live = there
    this.#become({ status: "connected" })
    void there.closed.then((why) => this.#lost(there, why))
    return there
  }

  /** It is there no more, and is started again, unless that has been tried. */
  #lost(connection: Connection, why: string): void {
    if (this.#end.signal.aborted || this.#live !== connection) return
    this.#live = undefined
    void connection.close()
    if (this.#hasRestarted && this.#clock.now() - this.#since < HEALTHY_MS) {
      this.#connection = this.#isOurs ? Promise.reject(new Error(why)) : undefined
      this.#connection?.catch(() => {}) // told to whoever calls it
      this.#tools = []
      this.#prompts = []
      this.#become({ status: "disconnected", error: wordsOf(why) })
      return
    }
    this.#hasRestarted = true
    this.#connection = undefined
    void this.start()
  }

  /** It knows us no more, and is introduced to again: whoever calls it waits for that. */
  #forgotten(connection: Connection): void {
    if (this.#end.signal.aborted || this.#live !== connection) return
    this.#live = undefined
    this.#connection = undefined
    void connection.close()
    void this.start()
  }

  /** Asks for its tools and prompts again. They hold from the next step of the agent. */
  async #refresh(): Promise<void> {
    const connection = this.#live
    if (!connection) return
    if (this.#isRefreshing) return this.#refreshing.poke()
    this.#isRefreshing = true
    const { signal } = this.#end
    const [tools, prompts] = await Promise.all([
      connection.tools(signal).catch(() => undefined), // those that we know still hold
      connection.prompts(signal),
    ])
    this.#isRefreshing = false
    if (!tools || this.#live !== connection) return
    this.#tools = this.#chosen(tools)
    this.#prompts = prompts
    this.#changed()
  }

  #chosen(tools: readonly RemoteTool[]): RemoteTool[] {
    const { includeTools, excludeTools } = this.config
    return tools
      .filter(({ name }) => (!includeTools || includeTools.includes(name)) && !excludeTools.includes(name))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  #become(state: Omit<ServerState, "name" | "tools">): void {
    this.#state = state
    this.#changed()
  }
}

/** Why it can't be used now. */
function lackOf(error: unknown): Omit<ServerState, "name" | "tools"> {
  if (!(error instanceof LoginNeeded)) return { status: "disconnected", error: wordsOf(error) }
  return { status: "needs_login", error: error.message, ...(error.url !== undefined && { loginUrl: error.url }) }
}
