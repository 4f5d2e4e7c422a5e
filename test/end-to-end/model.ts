import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { chunk, DONE } from "../support/provider.ts"
import type { Loose } from "./koda.ts"

/** What a request for a reply says. */
export interface Asked {
  messages: Loose[]
  tools?: Loose[]
  [field: string]: unknown
}

/** Events as they are sent, and things to wait for in between; or a refusal. */
export type Reply = Iterable<string | Promise<unknown>> | { status: number; type: string; body: string }

export interface FakeModel {
  /** The variables by which koda finds it. */
  env: Record<string, string>
  asked: Asked[]
}

export const KEY = "sk-end-to-end-4f1d0c7a9b"

/** A server of OpenAI's chat completions that says what the test makes of each request. Gone after the test. */
export async function startModel(reply: (asked: Asked, nth: number) => Reply): Promise<FakeModel> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    response.on("error", () => {}) // whoever asked has gone
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ object: "list", data: [{ id: "fake" }] }))
      return
    }
    const text = await textOf(request).catch(() => undefined)
    if (text === undefined) return // whoever asked was killed in the middle of it
    const body = JSON.parse(text) as Asked
    asked.push(body)
    const answer = reply(body, asked.length - 1)
    if ("status" in answer) {
      response.writeHead(answer.status, { "content-type": answer.type })
      response.end(answer.body)
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    for (const part of answer) {
      if (response.destroyed) return
      if (typeof part !== "string") await part
      else if (!response.write(part)) await untilDrained(response)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: "fake" }
  return { env, asked }
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** A reply of these words, one piece each. */
export function words(...pieces: string[]): string[] {
  return [
    ...pieces.map((content) => chunk({ role: "assistant", content })),
    chunk({}, { finish: "stop", usage: USAGE }),
    DONE,
  ]
}

const USAGE = { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 }

/** A reply that calls tools. */
export function calls(...tools: readonly (readonly [name: string, input: object])[]): string[] {
  const tool_calls = tools.map(([name, input], index) => ({
    index,
    id: `call_${++made}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }))
  return [chunk({ role: "assistant", tool_calls }), chunk({}, { finish: "tool_calls" }), DONE]
}

let made = 0

/** The text of what was said last: by a tool, or by the user. */
export function lastOf({ messages }: Asked): { role: string; text: string } {
  const { role, content } = messages.at(-1)
  return { role, text: typeof content === "string" ? content : content.map(({ text = "" }) => text).join("") }
}
