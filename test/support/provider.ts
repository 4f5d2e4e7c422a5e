import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** One thing a scripted server does with an answer, in order. */
export type Step =
  /** Sends these bytes, as they are, at once. */
  | string
  | Uint8Array
  /** Waits for an event of the test's. */
  | Promise<unknown>
  /** "well" closes the answer as it should be; "reset" tears the connection; "hang" leaves it open. */
  | { ends: "well" | "reset" | "hang" }

export interface Script {
  /** 200 if not given. */
  status?: number
  /** An event stream's if not given. */
  headers?: Record<string, string>
  /** "well" follows if none is given. */
  steps?: Step[]
  /** Tears the connection instead of answering. */
  refuse?: true
}

export interface Asked {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  /** The body, if it is JSON. */
  body: Record<string, unknown>
  text: string
  /** Resolves when the client has gone, or has read the end. */
  closed: Promise<void>
}

export interface Provider {
  /** Where the API begins. */
  url: string
  origin: string
  /** What was asked, in order. */
  asked: Asked[]
  /** The answers to come, one for each request. The last one is given again and again. */
  script(...scripts: Script[]): void
  close(): Promise<void>
}

/** A small server that answers as it is told, byte by byte, and remembers what it was asked. */
export async function startProvider(): Promise<Provider> {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  let scripts: Script[] = []
  const server = createServer((request, response) => {
    const script = scripts.length > 1 ? scripts.shift()! : (scripts[0] ?? { status: 500, steps: ["no script"] })
    request.on("error", () => {}) // the client has gone
    answer(request, response, script, asked).catch(() => {})
  })
  server.on("connection", (socket) => {
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    origin,
    asked,
    script: (...next) => {
      scripts = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A server-sent event that holds this value. */
export function event(value: unknown): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
}

/** An event that holds a chunk of chat completions: `choices[0]`, or what is beside it. */
export function chunk(delta: unknown, more: { finish?: string | null; usage?: unknown } = {}): string {
  const { finish = null, usage } = more
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return event({ id: "c", object: "chat.completion.chunk", model: "m", choices, ...(usage !== undefined && { usage }) })
}

export const DONE = event("[DONE]")

/** An answer of one text, whole. */
export function says(text: string): Script {
  return { steps: [chunk({ role: "assistant", content: text }), chunk({}, { finish: "stop" }), DONE] }
}

/** An answer that refuses, with a body of JSON or any other. */
export function refuses(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers: { "content-type": "application/json", ...headers }, steps: [text] }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  asked: Asked[],
): Promise<void> {
  let text = ""
  for await (const part of request) text += part
  const closed = new Promise<void>((resolve) => response.on("close", resolve))
  const { method = "", url = "", headers } = request
  asked.push({ method, url, headers, body: text.startsWith("{") ? JSON.parse(text) : {}, text, closed })

  if (script.refuse) {
    request.socket.destroy()
    return
  }
  response.writeHead(script.status ?? 200, script.headers ?? { "content-type": "text/event-stream" })
  response.flushHeaders()
  for (const step of script.steps ?? []) {
    if (typeof step === "string" || step instanceof Uint8Array) {
      await new Promise<void>((resolve) => response.write(step, () => resolve()))
      await new Promise<void>((resolve) => setImmediate(resolve))
    } else if (step instanceof Promise) await step
    else if (step.ends === "hang") return
    else if (step.ends === "reset") {
      request.socket.resetAndDestroy()
      return
    } else break
  }
  response.end()
}
