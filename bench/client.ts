import { spawn } from "node:child_process"
import { StringDecoder } from "node:string_decoder"
import { clockMs } from "./clock.ts"

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
type Loose = any

export interface Started {
  readonly pid: number
  readonly spawnedMs: number
  /** The updates so far, as they came; read after the measurement, so that reading is no part of it. */
  readonly updates: { atMs: number; line: string }[]
  /** Resolves with the result and when it came; rejects with the words of an error. */
  request(method: string, params: object): Promise<{ atMs: number; result: Loose }>
  /** Ends its input and waits for its end. */
  stop(): Promise<void>
}

interface Waiting {
  resolve(answer: { atMs: number; result: Loose }): void
  reject(error: Error): void
}

/** How our and most agents' updates begin. Others are found too, but are parsed as they come. */
const UPDATE = '{"jsonrpc":"2.0","method":"session/update"'

/** What an agent has to end by itself once its input has. */
const END_MS = 3000

/** Starts an agent, with a client that does as little as it can. */
export function start(command: readonly [string, ...string[]], cwd: string, env: Record<string, string>): Started {
  const spawnedMs = clockMs()
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio: "pipe" })
  const waiting = new Map<number, Waiting>()
  const updates: Started["updates"] = []
  const decoder = new StringDecoder("utf8")
  let rest = ""
  let complaints = ""
  let lastId = 0

  child.stdout.on("data", (bytes: Buffer) => {
    const atMs = clockMs()
    const lines = (rest + decoder.write(bytes)).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line.startsWith(UPDATE)) updates.push({ atMs, line })
      else if (line) hear(line, atMs)
    }
  })
  child.stderr.on("data", (bytes: Buffer) => (complaints = (complaints + bytes).slice(-2000)))
  child.stdin.on("error", () => {}) // its end is told below
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => end(`can't be started: ${error.message}`, resolve))
    child.once("close", (code, signal) => end(`ended with ${code ?? signal}`, resolve))
  })

  function end(how: string, resolve: () => void): void {
    for (const { reject } of waiting.values()) reject(new Error(`${command.join(" ")} ${how}\n${complaints}`))
    resolve()
  }

  function hear(line: string, atMs: number): void {
    const message = JSON.parse(line)
    if (message.method === "session/update") updates.push({ atMs, line })
    else if (message.method === undefined) settle(message, atMs)
    else if (message.id !== undefined) answer(message)
  }

  function settle(message: { id: number; result?: Loose; error?: object }, atMs: number): void {
    const open = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) open?.reject(new Error(`${command.join(" ")}: ${JSON.stringify(message.error)}`))
    else open?.resolve({ atMs, result: message.result })
  }

  /** Allows whatever it is asked for. */
  function answer({ id, method, params }: { id: unknown; method: string; params: Loose }): void {
    const allowed = params?.options?.find(({ kind }: { kind: string }) => kind === "allow_once")
    if (allowed) send({ id, result: { outcome: { outcome: "selected", optionId: allowed.optionId } } })
    else send({ id, error: { code: -32601, message: `The bench can't do ${method}` } })
  }

  function send(message: object): void {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }

  return {
    pid: child.pid ?? 0,
    spawnedMs,
    updates,
    request(method, params) {
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<{ atMs: number; result: Loose }>()
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
      return promise
    },
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill("SIGKILL"), END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
