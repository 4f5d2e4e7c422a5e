import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { onTestFinished } from "vitest"
import type { Loose } from "./koda.ts"

/** A server over HTTP that does harm in the way of its name when its tool is called. Gone after the test. */
export async function hostileHttp(how: string): Promise<string> {
  const server = createServer(async (request, response) => {
    response.on("error", () => {}) // whoever asked has gone
    const body = await text(request).catch(() => "")
    if (request.method === "GET") {
      return how === "reconnects" ? events(response).end("retry: 0\nid: 1\ndata: \n\n") : response.writeHead(405).end()
    }
    const { id, method, params } = body === "" ? ({} as Loose) : JSON.parse(body)
    if (id === undefined) return response.writeHead(202).end()
    const plain = (result: object) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }))
    if (method === "initialize") {
      const serverInfo = { name: "h", version: "1" }
      return plain({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
    }
    if (method === "tools/list") return plain({ tools: [{ name: "work", inputSchema: { type: "object" } }] })
    const harm = HARM[how]
    return harm ? harm(response, id) : plain(said("worked"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const said = (words: string) => ({ content: [{ type: "text", text: words }] })
const answer = (id: number, words: string) => JSON.stringify({ jsonrpc: "2.0", id, result: said(words) })
const events = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })
const BIG = "x".repeat(50_000_000)

/** Writes for ever, as fast as it is read. */
function pour(response: ServerResponse, words: string): void {
  while (!response.destroyed && response.write(words)) {}
  response.once("drain", () => pour(response, words))
}

const HARM: Readonly<Record<string, (response: ServerResponse, id: number) => void>> = {
  silent: () => {},
  cut: (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
    response.write('{"jsonrpc":', () => response.destroy())
  },
  "cut event": (response) => void events(response).end('data: {"jsonrpc":'),
  big: (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(answer(id, BIG)),
  "big event": (response, id) => events(response).end(`data: ${answer(id, BIG)}\n\n`),
  endless: (response) => {
    events(response).write("data: ")
    pour(response, "x".repeat(1_000_000))
  },
  chatter: (response) => {
    const notice = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } }
    pour(events(response), `data: ${JSON.stringify(notice)}\n\n`.repeat(1000))
  },
  pings: (response) => {
    pour(events(response), `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n\n`.repeat(1000))
  },
  bomb: (response, id) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
    response.end(gzipSync(answer(id, BIG.repeat(4))))
  },
  nonsense: (response) => response.writeHead(200, { "content-type": "application/json" }).end('[{"jsonrpc":"1.0"}, 5'),
}
