import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { expect, onTestFinished } from "vitest"
import type { Place } from "./place.ts"
import type { Subject } from "./subjects.ts"

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
export type Loose = any

export interface Frame {
  jsonrpc: "2.0"
  id?: number | string | null
  method?: string
  params?: Loose
  result?: Loose
  error?: { code: number; message: string; data?: Loose }
}

/** A running `koda --acp`, and we as its client, as near to the bytes as can be. */
export interface Koda {
  readonly child: ChildProcess
  readonly pid: number
  /** All it said, in order. */
  readonly frames: Frame[]
  /** The same as it was written. */
  readonly lines: string[]
  /** What we answer to its requests, by method; the result. One that is not here is left open. */
  readonly replies: Record<string, (params: Loose, id: number | string) => unknown>
  /** What it told of itself on standard error. */
  complaints(): string
  /** Writes bytes as they are. Resolves when they have left. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Sends one message on a line of its own. */
  send(message: object): void
  notify(method: string, params: object): void
  /** Resolves with the answer, be it an error. */
  request(method: string, params: object): Promise<Frame>
  /** The first frame of this kind, come or to come. */
  until(isIt: (frame: Frame) => boolean): Promise<Frame>
  /** Ends its input. Resolves with its exit code or the signal that ended it. */
  hangUp(): Promise<number | string>
  /** Resolves when it has ended and its streams are closed. */
  readonly ended: Promise<number | string>
}

export interface StartOptions {
  args?: readonly string[]
  env?: Record<string, string>
  cwd?: string
  /** Its standard error is not read. */
  deafToErrors?: true
}

/** Nothing takes this long; what does is told with all that is known of it. */
const LOST_MS = 25_000

/**
 * Starts it. When the test is done it is killed if it still runs, and every byte it wrote must have been a frame, for whatever
 * the test did (R-006, JR-01).
 */
export function startKoda(subject: Subject, place: Place, options: StartOptions = {}): Koda {
  const { args = ["--acp"], env = {}, cwd = place.workspace, deafToErrors } = options
  const [program, ...first] = subject.command
  const child = spawn(program, [...first, ...args], { cwd, env: { ...place.env, ...env }, stdio: "pipe" })
  const frames: Frame[] = []
  const lines: string[] = []
  const noise: string[] = []
  const waiting = new Set<{ isIt(frame: Frame): boolean; resolve(frame: Frame): void; reject(error: Error): void }>()
  const replies: Koda["replies"] = {}
  let rest: Buffer[] = []
  let complaints = ""
  let lastId = 0

  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

  child.stdout.on("data", (bytes: Buffer) => {
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      hear(Buffer.concat([...rest, bytes.subarray(start, end)]))
      rest = []
      start = end + 1
    }
    if (start < bytes.length) rest.push(bytes.subarray(start))
  })
  if (!deafToErrors) child.stderr.on("data", (bytes: Buffer) => (complaints += bytes))
  child.stdin.on("error", () => {}) // its end is told by `ended`
  child.stdout.on("error", () => {})
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string)
  void ended.then(() => {
    for (const { reject } of waiting) reject(new Error(lost("koda has ended")))
  })

  function hear(line: Buffer): void {
    const frame = frameIn(line)
    if (!frame) {
      noise.push(line.toString().slice(0, 500))
      return
    }
    frames.push(frame)
    lines.push(line.toString())
    for (const waiter of waiting) {
      if (!waiter.isIt(frame)) continue
      waiting.delete(waiter)
      waiter.resolve(frame)
    }
    const reply = frame.method !== undefined && frame.id != null && replies[frame.method]
    if (reply) send({ id: frame.id, result: reply(frame.params, frame.id!) })
  }

  function until(isIt: (frame: Frame) => boolean): Promise<Frame> {
    const found = frames.find(isIt)
    if (found) return Promise.resolve(found)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.reject(new Error(lost("it did not come"))), LOST_MS)
      const waiter = {
        isIt,
        resolve: (frame: Frame) => {
          clearTimeout(timer)
          resolve(frame)
        },
        reject: (error: Error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      waiting.add(waiter)
    })
  }

  function lost(what: string): string {
    const last = frames.slice(-5).map((frame) => JSON.stringify(frame).slice(0, 400))
    return [what, ...last, complaints.slice(-2000)].join("\n")
  }

  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
    expect(noise, "every line on stdout is a frame").toEqual([])
  })

  return {
    child,
    pid: child.pid!,
    frames,
    lines,
    replies,
    complaints: () => complaints,
    write: (bytes) => new Promise((resolve) => child.stdin.write(bytes, () => resolve())),
    send,
    notify: (method, params) => send({ method, params }),
    request(method, params) {
      const id = ++lastId
      const answer = until((frame) => frame.id === id && frame.method === undefined)
      send({ id, method, params })
      return answer
    },
    until,
    hangUp() {
      child.stdin.end()
      return ended
    },
    ended,
  }
}

function frameIn(line: Buffer): Frame | undefined {
  try {
    const frame = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line)) as Frame
    return frame.jsonrpc === "2.0" ? frame : undefined
  } catch {
    return undefined
  }
}

/** An editor of the standard that can do nothing but show. */
export const INITIALIZE = {
  protocolVersion: 1,
  clientInfo: { name: "end-to-end", version: "1.0.0" },
  clientCapabilities: {},
}

/** Begins the connection and a session; answers with the session's id. */
export async function begin(koda: Koda, cwd: string, initialize: object = INITIALIZE): Promise<string> {
  const first = await koda.request("initialize", initialize)
  expect(first.error).toBeUndefined()
  const { result, error } = await koda.request("session/new", { cwd, mcpServers: [] })
  expect(error).toBeUndefined()
  return result.sessionId
}

export function prompt(koda: Koda, sessionId: string, text: string): Promise<Frame> {
  return koda.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
}

/** The updates of a session, without the envelope. */
export function updates(koda: Koda, sessionId: string): Loose[] {
  return koda.frames.flatMap(({ method, params }) =>
    method === "session/update" && params.sessionId === sessionId ? [params.update] : [],
  )
}

export interface Ran {
  code: number | string
  stdout: string
  stderr: string
}

/** Runs a command line of koda's to its end. */
export async function runKoda(
  subject: Subject,
  place: Place,
  args: readonly string[],
  { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const [program, ...first] = subject.command
  const options = { cwd: place.workspace, env: { ...place.env, ...env } }
  const child = spawn(program, [...first, ...args], { ...options, stdio: "pipe" })
  onTestFinished(() => void child.kill("SIGKILL"))
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  child.stdin.on("error", () => {}) // not every command reads it
  child.stdin.end(stdin)
  const [code, signal] = await once(child, "close")
  return { code: code ?? signal, stdout, stderr }
}

/** Answers every question of this kind with the option of that kind. */
export function choose(kind: "allow_once" | "allow_always" | "reject_once"): (params: Loose) => object {
  return ({ options }) => ({
    outcome: { outcome: "selected", optionId: options.find((option: Loose) => option.kind === kind).optionId },
  })
}

/** What the model was heard to say. */
export function said(koda: Koda, sessionId: string): string {
  return updates(koda, sessionId)
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(({ content }) => content.text)
    .join("")
}
