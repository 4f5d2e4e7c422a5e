import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { parentPort } from "node:worker_threads"
import { clockMs } from "./clock.ts"
import { word } from "./words.ts"

/**
 * A model that answers without thinking: what to say is in the last prompt, as `bench: say`, `bench: stream COUNT`,
 * `bench: paced COUNT MS` or `bench: read TIMES PATH`. Runs in a thread of its own.
 */

/** One request as it was seen here. Times are of the clock that all threads share. */
export interface Request {
  arrivedMs: number
  /** When its last byte was written. */
  answeredMs: number
  bytes: number
  tools: number
}

interface Body {
  messages: { role: string; content?: unknown }[]
  tools?: unknown[]
}

/** Bytes in one write of a long reply. */
const PIECE = 16 * 1024

let requests: Request[] = []
let pacedMs: number[] = []
const replies = new Map<number, Buffer[]>()

const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }))

/** Tells what was asked since it was asked last. */
parentPort?.on("message", () => {
  parentPort?.postMessage({ requests, pacedMs })
  requests = []
  pacedMs = []
})

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const arrivedMs = clockMs()
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ object: "list", data: [{ id: "bench-model", object: "model" }] }))
    return
  }
  const bytes = Buffer.concat(parts)
  const body = JSON.parse(bytes.toString()) as Body
  response.socket?.setNoDelay(true)
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  await answer(body, response)
  response.end()
  requests.push({ arrivedMs, answeredMs: clockMs(), bytes: bytes.length, tools: body.tools?.length ?? 0 })
}

async function answer({ messages }: Body, response: ServerResponse): Promise<void> {
  const at = messages.findLastIndex(
    ({ role, content }) => role === "user" && JSON.stringify(content).includes("bench: "),
  )
  const said = /bench: (\w+) ?(\d*) ?([^"\\]*)/.exec(JSON.stringify(messages[at]?.content))
  const [, kind, number, rest] = said ?? []
  const count = Number(number)
  if (kind === "stream") {
    for (const piece of replyOf(count)) if (!response.write(piece)) await once(response, "drain")
    return
  }
  if (kind === "paced") {
    for (let i = 0; i < count; i++) {
      pacedMs.push(clockMs())
      response.write(delta({ content: word(i) }))
      await sleep(Number(rest))
    }
    response.write(end("stop"))
    return
  }
  const results = messages.slice(at).filter(({ role }) => role === "tool").length
  if (kind === "read" && results < count) {
    // Each call another: a model that asks for the same again and again is stopped.
    const call = { name: "read_file", arguments: JSON.stringify({ path: rest, limit: 1000 + results }) }
    response.write(
      delta({ tool_calls: [{ index: 0, id: `call_${messages.length}`, type: "function", function: call }] }),
    )
    response.write(end("tool_calls"))
    return
  }
  for (const content of ["It ", "is ", "done."]) response.write(delta({ content }))
  response.write(end("stop"))
}

function replyOf(count: number): Buffer[] {
  const known = replies.get(count)
  if (known) return known
  const all = Buffer.from(Array.from({ length: count }, (_, i) => delta({ content: word(i) })).join("") + end("stop"))
  const pieces: Buffer[] = []
  for (let at = 0; at < all.length; at += PIECE) pieces.push(all.subarray(at, at + PIECE))
  replies.set(count, pieces)
  return pieces
}

function delta(content: object): string {
  return event([{ index: 0, delta: content, finish_reason: null }])
}

function end(reason: string): string {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
  return `${event([{ index: 0, delta: {}, finish_reason: reason }])}${event([], usage)}data: [DONE]\n\n`
}

function event(choices: object[], usage?: object): string {
  const chunk = { id: "bench", object: "chat.completion.chunk", created: 1, model: "bench-model", choices, usage }
  return `data: ${JSON.stringify(chunk)}\n\n`
}
