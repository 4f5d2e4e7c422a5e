import { onTestFinished } from "vitest"
import type { Launch } from "../../src/acp/launch.ts"
import { createServer, type Server } from "../../src/acp/server.ts"
import type { Runtime } from "../../src/runtime.ts"
import { folderOf, type Tree } from "./folder.ts"
import { type Provider, startProvider } from "./provider.ts"
import { temporaryFolder, testRuntime } from "./runtime.ts"

// biome-ignore lint/suspicious/noExplicitAny: the tests look into messages of every shape
export type Loose = any

/** A message as it goes over the wire. */
export interface Message {
  id?: string | number | null
  method?: string
  params?: Loose
  result?: Loose
  error?: { code: number; message: string; data?: Loose }
}

/** What comes of a request: one of the two. */
export type Reply = { result: Loose } | { error: NonNullable<Message["error"]> }

/** Answers what the agent asks. What it throws goes back as an error; `unanswered` leaves it open. */
export type Handler = (params: Loose, message: Message) => unknown

export const unanswered: Promise<never> = new Promise(() => {})

/** An editor at the other end of the wire. */
export interface Client {
  /** All that came and went, one line each, in the order in which the client saw it. */
  readonly story: readonly string[]
  /** All that the agent said, as it said it. */
  readonly received: readonly Message[]
  /** The method of each request that was sent, by its id. */
  readonly methods: ReadonlyMap<unknown, string>
  /** Sends a request and gives back its result; fails with the error. */
  request(method: string, params?: object): Promise<Loose>
  /** Sends a request and gives back whichever of the two came. */
  answerTo(method: string, params?: object): Promise<Reply>
  /** Sends a request with this id. */
  requestAs(id: string | number, method: string, params?: object, more?: object): Promise<Message>
  notify(method: string, params?: object): void
  /** Sends messages in one write. */
  write(...messages: object[]): void
  /** From now on what the agent asks by this name is answered so. */
  on(method: string, handler: Handler): void
  /** Resolves when a line of the story begins so; only lines after `from` count. */
  until(begin: string, from?: number): Promise<string>
  /** The updates that came, of one kind if it is given. */
  updates(kind?: string): Loose[]
  /** What the agent has asked by this name: the params. */
  asked(method: string): Loose[]
  /** Closes our end, and resolves when the agent has closed its own. */
  hangUp(): Promise<void>
}

export interface ClientOptions {
  /** Of `initialize`. Koda's dialect, if nothing is said. */
  readonly capabilities?: object
  readonly info?: { name: string; version: string }
  /** Further members of the params of `initialize`. */
  readonly more?: object
}

export interface WorkshopOptions {
  /** The files of the workspace. */
  readonly files?: Tree
  /** `settings.json` of Koda home. */
  readonly settings?: object
  /** Files of Koda home. */
  readonly home?: Tree
  readonly env?: Readonly<Record<string, string>>
  readonly launch?: Launch
  /** In the place of the platform's. */
  readonly openDatabase?: Runtime["openDatabase"]
  /** Without it the environment names the scripted provider's model, "m". */
  readonly model?: "none"
}

/** An agent in a place of its own, with a provider that says what the test tells it to. */
export interface Workshop extends Desk {
  readonly runtime: Runtime
  readonly provider: Provider
  readonly cwd: string
  /** Koda home. */
  readonly home: string
  /** Another agent in the same place, as another process would be. */
  again(launch?: Launch): Desk
}

/** One agent, and clients of it. */
export interface Desk {
  readonly server: Server
  /** A client that has not said anything. */
  connect(): Client
  /** A client that has introduced itself. */
  client(options?: ClientOptions): Promise<Client>
  /** A client with a session whose start-up updates have come. */
  session(options?: ClientOptions, params?: object): Promise<{ client: Client; sessionId: string }>
}

/** What a client of the standard says of itself. */
export const STANDARD: ClientOptions = { info: { name: "tester", version: "1" } }

export async function workshop(options: WorkshopOptions = {}): Promise<Workshop> {
  const provider = await startProvider()
  onTestFinished(() => provider.close())
  const cwd = await folderOf(options.files ?? {})
  const settings = JSON.stringify({ localModels: false, ...options.settings })
  const home = await folderOf({ "settings.json": settings, ...options.home })
  const platform = await isolated(cwd, home, {
    ...(options.model !== "none" && { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: SECRET, OPENAI_MODEL: "m" }),
    ...options.env,
  })
  const runtime = { ...platform, ...(options.openDatabase && { openDatabase: options.openDatabase }) }
  const again = (launch?: Launch) => deskOf(runtime, cwd, launch)
  return { runtime, provider, cwd, home, again, ...again(options.launch) }
}

function deskOf(runtime: Runtime, cwd: string, launch?: Launch): Desk {
  const server = createServer(runtime, launch)
  onTestFinished(() => server.close())

  const connect = () => clientOf(server)
  const client = async (options: ClientOptions = {}) => {
    const client = connect()
    await client.request("initialize", hello(options))
    return client
  }
  const session = async (options: ClientOptions = {}, params: object = {}) => {
    const opened = await client(options)
    const { sessionId } = await opened.request("session/new", { cwd, mcpServers: [], ...params })
    await opened.until("· session_info_update") // those after it are in the same write
    return { client: opened, sessionId }
  }
  return { server, connect, client, session }
}

/** The key of the scripted provider, which nothing may repeat. */
export const SECRET = "sk-very-secret-0123456789"

export function hello({ capabilities = {}, info, more }: ClientOptions = {}): object {
  return { protocolVersion: 1, clientCapabilities: capabilities, ...(info && { clientInfo: info }), ...more }
}

/** The platform the test runs on, with nothing of the user's in it. */
export async function isolated(
  cwd: string,
  kodaHome: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Runtime> {
  const runtime = testRuntime()
  const home = await temporaryFolder()
  const temp = await temporaryFolder()
  const { PATH = "" } = runtime.system.env()
  const own = { PATH, HOME: home, KODA_CLI_HOME: kodaHome, ...env }
  return { ...runtime, system: { ...runtime.system, home, temp, cwd, env: () => ({ ...own }) } }
}

/** Lets arrive what should not be on its way. */
export async function quiet(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setTimeout(resolve, 2))
}

function clientOf(server: Server): Client {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>()
  const fromAgent = new TransformStream<Uint8Array, Uint8Array>()
  server.connect(toAgent.readable, fromAgent.writable)
  const writer = toAgent.writable.getWriter()
  const story: string[] = []
  const received: Message[] = []
  const handlers = new Map<string, Handler>()
  const open = new Map<unknown, { method: string; resolve(message: Message): void }>()
  const methods = new Map<unknown, string>()
  let lastId = 0
  let isOpen = true
  let stir = Promise.withResolvers<void>()

  function tell(line: string): void {
    story.push(line)
    stir.resolve()
    stir = Promise.withResolvers()
  }

  function write(...messages: object[]): void {
    for (const message of messages as Message[]) {
      if (!message.method) continue
      tell(`→ ${message.method}`)
      if (message.id !== undefined) methods.set(message.id, message.method)
    }
    const text = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")
    writer.write(new TextEncoder().encode(text)).catch(() => {}) // the agent has gone
  }

  async function requestAs(id: string | number, method: string, params?: object, more?: object): Promise<Message> {
    const answer = new Promise<Message>((resolve) => open.set(id, { method, resolve }))
    write({ id, method, ...(params && { params }), ...more })
    return await answer
  }

  async function answerTo(method: string, params: object = {}): Promise<Reply> {
    const { result, error } = await requestAs(++lastId, method, params)
    return error ? { error } : { result }
  }

  function hear(message: Message): void {
    received.push(message)
    const { id, method, params } = message
    if (method === undefined) {
      const asked = open.get(id)
      open.delete(id)
      tell(`← ${asked?.method ?? id}${ending(message)}`) // what was written by hand is told by its id
      asked?.resolve(message)
    } else if (id === undefined) tell(method === "session/update" ? `· ${nameOf(params.update)}` : `· ${method}`)
    else {
      tell(`⇠ ${method}`)
      void serve(message)
    }
  }

  async function serve(message: Message): Promise<void> {
    const { id, method = "", params } = message
    const handler = handlers.get(method)
    const reply: Reply = handler
      ? await (async () => handler(params, message))().then(
          (result) => ({ result: result ?? null }),
          (error: Error) => ({ error: { code: -32603, message: error.message } }),
        )
      : { error: { code: -32601, message: `${method} is not known here` } }
    write({ id, ...reply })
  }

  async function listen(): Promise<void> {
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of fromAgent.readable) {
      text += decoder.decode(bytes, { stream: true })
      const lines = text.split("\n")
      text = lines.pop() as string
      for (const line of lines) hear(JSON.parse(line))
    }
  }
  const ended = listen()
  ended.catch(() => {})

  const client: Client = {
    story,
    received,
    methods,
    answerTo,
    requestAs,
    write,
    async request(method, params) {
      const reply = await answerTo(method, params)
      if ("result" in reply) return reply.result
      throw Object.assign(new Error(`${method}: ${reply.error.message}`), reply.error)
    },
    notify: (method, params) => write({ method, ...(params && { params }) }),
    on: (method, handler) => void handlers.set(method, handler),
    async until(begin, from = 0) {
      for (;;) {
        const line = story.slice(from).find((line) => line.startsWith(begin))
        if (line !== undefined) return line
        await stir.promise
      }
    },
    updates(kind) {
      const all = received.filter(({ method }) => method === "session/update").map(({ params }) => params.update)
      return kind === undefined ? all : all.filter(({ sessionUpdate }) => sessionUpdate === kind)
    },
    asked: (name) => received.filter(({ method, id }) => method === name && id != null).map(({ params }) => params),
    async hangUp() {
      if (isOpen) await writer.close().catch(() => {})
      isOpen = false
    },
  }
  onTestFinished(() => client.hangUp())
  return client
}

function ending({ result, error }: Message): string {
  if (error) return ` error ${error.code}`
  return typeof result?.stopReason === "string" ? ` ${result.stopReason}` : ""
}

/** An update in a few words. */
function nameOf(update: Loose): string {
  const { sessionUpdate, content, status, title, toolCallId } = update
  switch (sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk":
      return `${sessionUpdate} ${content.type === "text" ? content.text.trim() : content.type}`
    case "tool_call":
      return `tool_call ${status}: ${title}`
    case "tool_call_update":
      return `tool_call_update ${toolCallId} ${status ?? "…"}`
    default:
      return sessionUpdate
  }
}
