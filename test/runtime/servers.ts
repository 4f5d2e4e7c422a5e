import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { CERTIFICATE, KEY } from "./certificates.ts"

export interface TestServer {
  readonly port: number
  readonly url: string
  /** The requests that came, as they were sent. */
  readonly requests: string[]
  readonly connections: Socket[]
  close(): void
}

/** Answers by hand, byte by byte: what a server says is then what the test says. */
export function serverThat(answer: (socket: Socket, request: string) => void): Promise<TestServer> {
  const requests: string[] = []
  return listening(
    "http",
    requests,
    (each) => createServer((socket) => each(socket)),
    (socket) => {
      onRequest(socket, requests, answer)
    },
  )
}

export function tlsServerThat(answer: (socket: Socket, request: string) => void): Promise<TestServer> {
  const requests: string[] = []
  return listening(
    "https",
    requests,
    (each) => createTlsServer({ cert: CERTIFICATE, key: KEY }, (socket) => each(socket)),
    (socket) => onRequest(socket, requests, answer),
  )
}

export function ok(body: string, ...headers: string[]): string {
  return ["HTTP/1.1 200 OK", `content-length: ${Buffer.byteLength(body)}`, ...headers, "", body].join("\r\n")
}

async function listening(
  scheme: string,
  requests: string[],
  create: (each: (socket: Socket) => void) => Server,
  each: (socket: Socket) => void,
): Promise<TestServer> {
  const connections: Socket[] = []
  const server = create((socket) => {
    connections.push(socket)
    socket.on("error", () => {}) // tests leave in the middle
    each(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  const close = () => {
    for (const socket of connections) socket.destroy()
    server.close()
  }
  return { port, url: `${scheme}://127.0.0.1:${port}`, requests, connections, close }
}

/** Calls back with each whole request. */
function onRequest(socket: Socket, requests: string[], answer: (socket: Socket, request: string) => void): void {
  let text = ""
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
    const head = text.indexOf("\r\n\r\n")
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    const request = text.slice(0, head + 4 + length)
    text = text.slice(request.length)
    requests.push(request)
    answer(socket, request)
  })
}
