import { abortable } from "../agent/abortable.ts"
import type { Content } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import { type Clock, within } from "../clock.ts"
import type { Configured, ServerConfig } from "./config.ts"
import { toolNames } from "./names.ts"
import type { ConnectNeeds } from "./needs.ts"
import type { OwnClient } from "./own-client.ts"
import { argumentsOf, type ServerPrompt, wordsOfPrompt } from "./prompt.ts"
import { contentOfResource } from "./resource.ts"
import { Server, type ServerState } from "./server.ts"
import { toolOf } from "./tool.ts"

/** How long the first prompt waits for servers that are still connecting, at most. Their tools come later, then. */
const FIRST_WAIT_MS = 3_000

/** What a client is told of a session's servers. */
export interface ServersState {
  readonly discoveryState: "not_started" | "in_progress" | "completed"
  readonly servers: readonly ServerState[]
}

export interface ServersNeeds extends Omit<ConnectNeeds, "changed"> {
  readonly clock: Clock
  /** Something about them is new. */
  changed(): void
  /** They have other prompts than before. */
  prompted(): void
  /** What a server says of how it is used: said once, when it is there. */
  instructs(words: string, name: string): void
  /** A server is not there: a sentence for the user, and for the model. */
  failed(words: string, name: string): void
}

/** The MCP servers of a session. They are started beside everything else, and end with it. */
export class Servers {
  readonly #needs: ServersNeeds
  readonly #servers: Server[] = []
  readonly #wrong: ServerState[] = []
  /** What was said of each server that failed, so that it is said once. */
  readonly #said = new Map<string, string>()
  readonly #heard = new Set<string>()
  #starting: Promise<unknown> | undefined
  #firstWait: Promise<unknown> | undefined
  #isClosed = false
  #tools: readonly Tool[] = []
  #prompts: readonly ServerPrompt[] = []

  constructor(configured: Configured, needs: ServersNeeds) {
    this.#needs = needs
    this.add(configured)
  }

  get isEmpty(): boolean {
    return this.#servers.length === 0 && this.#wrong.length === 0
  }

  get state(): ServersState {
    const servers = [...this.#servers.map(({ state }) => state), ...this.#wrong]
    const isBusy = servers.some(({ status }) => status === "connecting")
    return { discoveryState: !isBusy ? "completed" : this.#starting ? "in_progress" : "not_started", servers }
  }

  /** Of all servers that are there, always in the same order. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** Of all servers that are there, as commands of the user's. */
  get prompts(): readonly ServerPrompt[] {
    return this.#prompts
  }

  get names(): readonly string[] {
    return this.#servers.map(({ config }) => config.name)
  }

  /** What a prompt says with these words for its arguments; what is missing among them in words. */
  async prompt(
    { server, name, ...more }: ServerPrompt,
    rest: string,
    signal: AbortSignal,
  ): Promise<Content[] | string> {
    const values = argumentsOf({ name, ...more }, rest)
    if (typeof values === "string") return values
    return wordsOfPrompt(await this.#named(server).get("prompts/get", { name, arguments: values }, signal))
  }

  /** What a resource holds, marked as what it is. `said` is how the user named it. */
  async resource(server: string, uri: string, said: string, signal: AbortSignal): Promise<Content[]> {
    await this.ready()
    return contentOfResource(said, await this.#named(server).get("resources/read", { uri }, signal))
  }

  /** Where a server is, and as whom we log in to it; undefined for a program, or for none of ours. */
  remote(name: string): { url: string; client?: OwnClient } | undefined {
    const reach = this.#servers.find(({ config }) => config.name === name)?.config.reach
    return reach?.type === "stdio" ? undefined : reach
  }

  /** Ends a server and starts it anew, as the user wishes. Resolves when it is there, or known not to be. */
  async restart(name: string, signal: AbortSignal): Promise<void> {
    await abortable(this.#named(name).restart(), signal)
  }

  /** Takes in further servers; one whose name is taken stays out. */
  add({ servers, wrong }: Configured): void {
    const isTaken = (name: string) => this.#servers.some(({ config }) => config.name === name)
    for (const config of servers) if (!isTaken(config.name)) this.#servers.push(this.#server(config))
    for (const { name, error } of wrong) {
      if (this.#wrong.some((one) => one.name === name && one.error === error)) continue
      this.#wrong.push({ name, status: "disconnected", error })
      this.#needs.failed(sentence(name, error), name)
    }
    if (this.#starting) this.#startAll()
  }

  /** Starts all that are not started, at the same time. Nobody waits for them. */
  start(): void {
    if (!this.#starting) this.#startAll()
  }

  /** Resolves when each of them is there, or is known not to be. */
  async started(): Promise<void> {
    this.start()
    await this.#starting
  }

  /** Before a prompt: the first one waits a moment for servers that are still connecting. */
  async ready(): Promise<void> {
    this.start()
    for (const server of this.#servers) server.revive()
    if (this.state.discoveryState === "completed") return
    this.#firstWait ??= within(this.#starting ?? Promise.resolve(), FIRST_WAIT_MS, this.#needs.clock)
    await this.#firstWait
  }

  /** Ends them all. Nothing of them is left when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#servers.map((server) => server.close()))
  }

  #startAll(): void {
    if (this.#isClosed) return
    this.#starting = Promise.all(this.#servers.map((server) => server.start()))
  }

  #named(name: string): Server {
    const server = this.#servers.find(({ config }) => config.name === name)
    if (server) return server
    throw new Error(`there is no server "${name}"`)
  }

  #server(config: ServerConfig): Server {
    const server = new Server(config, this.#needs, () => {
      if (this.#isClosed) return
      this.#renew()
      const { status, error = "" } = server.state
      if (status === "connected") {
        this.#said.delete(config.name)
        this.#hear(server)
      }
      if ((status === "disconnected" || status === "needs_login") && this.#said.get(config.name) !== error) {
        this.#said.set(config.name, error)
        this.#needs.failed(sentence(config.name, lackWords(server.state)), config.name)
      }
      this.#needs.changed()
      this.#offer()
    })
    return server
  }

  #hear({ config: { name }, instructions }: Server): void {
    if (!instructions || this.#heard.has(name)) return
    this.#heard.add(name)
    this.#needs.instructs(instructions, name)
  }

  #offer(): void {
    const all = this.#servers
      .flatMap(({ config, prompts }) => prompts.map((prompt) => ({ ...prompt, server: config.name })))
      .sort((one, other) => order(one.server, other.server) || order(one.name, other.name))
    const names = toolNames(all.map(({ server, name }) => ({ server, tool: name })))
    const prompts = all.map((prompt, at) => ({ ...prompt, command: names[at] as string }))
    if (JSON.stringify(prompts) === JSON.stringify(this.#prompts)) return
    this.#prompts = prompts
    this.#needs.prompted()
  }

  #renew(): void {
    const all = this.#servers
      .flatMap((server) => server.tools.map((tool) => ({ server, tool })))
      .sort(
        (one, other) =>
          order(one.server.config.name, other.server.config.name) || order(one.tool.name, other.tool.name),
      )
    const names = toolNames(all.map(({ server, tool }) => ({ server: server.config.name, tool: tool.name })))
    this.#tools = all.map(({ server, tool }, at) => toolOf(names[at] as string, tool, server, this.#needs.clock))
  }
}

function sentence(name: string, error: string): string {
  return `The MCP server "${name}" is not there: ${error}`
}

/** Why a server is not there, and how the user logs in to it where that is why. */
export function lackWords({ name, error = "", loginUrl }: ServerState): string {
  if (loginUrl === undefined) return error
  const command = `/mcp login ${name} ADDRESS`
  return `${error}. Open ${loginUrl} and log in; then send \`${command}\` with the address at which the browser ends, whatever it shows there`
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
