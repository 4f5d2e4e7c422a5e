import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { expect, onTestFinished, test } from "vitest"
import { handClock } from "../support/clock.ts"
import { serversWith } from "./servers.ts"

// biome-ignore lint/suspicious/noExplicitAny: what a client sends
type Said = any

/** A server over HTTP that answers a message as the test says; undefined: as it should be. */
async function remote(
  answer: (said: Said, request: IncomingMessage, response: ServerResponse) => object | "done" | undefined = () =>
    undefined,
) {
  const heard: { method: string; headers: IncomingMessage["headers"]; said?: Said }[] = []
  const server = createServer(async (request, response) => {
    request.on("error", () => {}) // the client has gone
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const said = body === "" ? undefined : JSON.parse(body)
    heard.push({ method: request.method ?? "", headers: request.headers, said })
    const own = answer(said, request, response)
    if (own === "done") return
    if (request.method === "GET") return void response.writeHead(405).end()
    if (request.method === "DELETE") return void response.writeHead(200).end()
    if (said.id === undefined) return void response.writeHead(202).end()
    const session = { "mcp-session-id": "session-1" }
    response.writeHead(200, { "content-type": "application/json", ...session })
    response.end(JSON.stringify({ jsonrpc: "2.0", id: said.id, result: own ?? usual(said) }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return { url, heard }
}

function usual({ method, params }: Said): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "r", version: "1" },
      }
    case "tools/list":
      return { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
    default:
      return { content: [{ type: "text", text: params?.arguments?.text ?? "" }] }
  }
}

const said = (text: string) => ({ content: [{ type: "text", text }] })

test("R-020 MC-04 a server over HTTP gets the headers of its entry, and is told when the session ends", async () => {
  const { url, heard } = await remote()
  const { servers, until, call } = await serversWith([
    { type: "http", name: "r", url, headers: [{ name: "X-Key", value: "k" }] },
  ])
  servers.start()
  await until("r connected 1")
  expect(await call("mcp__r__echo", { text: "hello" })).toEqual(said("hello"))
  await servers.close()
  expect(heard.every(({ headers }) => headers["x-key"] === "k")).toBe(true)
  expect(heard.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "session-1" } })
})

test("MC-07 a server that has forgotten the session is introduced to again, and the call made once more", async () => {
  let isForgotten = false
  const { url, heard } = await remote(({ method } = {}, _, response) => {
    if (method === "initialize") isForgotten = false
    if (!isForgotten || method !== "tools/call") return undefined
    response.writeHead(404).end()
    return "done"
  })
  const { servers, until, call } = await serversWith([{ type: "http", name: "r", url, headers: {} }])
  servers.start()
  await until("r connected 1")
  isForgotten = true
  expect(await call("mcp__r__echo", { text: "hello" })).toEqual(said("hello"))
  expect(heard.filter(({ said }) => said?.method === "initialize")).toHaveLength(2)
})

test("an entry with a url and no type finds out by itself that the server speaks the older SSE", async () => {
  const { servers, until, call } = await serversWith([{ name: "old", url: await older() }])
  servers.start()
  await until("old connected 1")
  expect(await call("mcp__old__echo", { text: "hello" })).toEqual(said("hello"))
})

/** A server of the older transport: one stream for all answers. */
async function older(): Promise<string> {
  let stream: ServerResponse | undefined
  const { url } = await remote((said, { method }, response) => {
    if (method === "GET") {
      stream = response
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("event: endpoint\ndata: /mcp?post\n\n")
      return "done"
    }
    if (!stream) response.writeHead(405).end()
    else {
      response.writeHead(202).end()
      const answer = { jsonrpc: "2.0", id: said.id, result: usual(said) }
      if (said.id !== undefined) stream.write(`data: ${JSON.stringify(answer)}\n\n`)
    }
    return "done"
  })
  return url
}

test("MC-01 a server that never answers holds up nobody, and one that is not there says so", async () => {
  const { url } = await remote(() => "done")
  const stalled = { type: "http", name: "stalled", url, headers: [] }
  const gone = { type: "http", name: "gone", url: "http://127.0.0.1:9/mcp", headers: [] }
  const { servers, until, failures } = await serversWith([stalled, gone])
  servers.start()
  await until("stalled connecting, gone disconnected")
  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('The MCP server "gone" is not there: ')
})

test("MC-11 a server that wants a login says so, and its key is never repeated", async () => {
  const { url } = await remote((_, __, response) => {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end("who are you?")
    return "done"
  })
  const headers = [{ name: "Authorization", value: "Bearer sk-secret" }]
  const { servers, until, failures } = await serversWith([{ type: "http", name: "r", url, headers }])
  servers.start()
  await until("r needs_login")
  expect(servers.state.servers).toEqual([
    { name: "r", status: "needs_login", error: "it refuses the key or login of its entry; mend that" },
  ])
  expect(failures.join()).not.toContain("sk-secret")
})

test("an answer of 50 MB over HTTP fails its call", async () => {
  const { url } = await remote(({ method } = {}) =>
    method === "tools/call" ? said("x".repeat(50_000_000)) : undefined,
  )
  const { servers, until, call } = await serversWith([{ type: "http", name: "r", url, headers: [] }])
  servers.start()
  await until("r connected 1")
  await expect(call("mcp__r__echo")).rejects.toThrow("MB, more than koda reads; ask for less")
})

const events = (response: ServerResponse, text: string) =>
  void response.writeHead(200, { "content-type": "text/event-stream" }).end(text)

test("MC-07 a call whose answer breaks off fails at once, and the next one is made", async () => {
  let isBroken = true
  const { url } = await remote(({ method } = {}, _, response) => {
    if (method !== "tools/call" || !isBroken) return undefined
    events(response, 'data: {"jsonrpc":')
    return "done"
  })
  const { servers, until, call } = await serversWith([{ type: "http", name: "r", url, headers: [] }])
  servers.start()
  await until("r connected 1")
  await expect(call("mcp__r__echo")).rejects.toThrow("r: its answer broke off. The call may have taken effect")
  isBroken = false
  expect(await call("mcp__r__echo", { text: "again" })).toEqual(said("again"))
})

test("MC-07 an answer that breaks off is gone on with where the server offers that, and fails where it does not", async () => {
  let asked = 0
  const went: unknown[] = []
  const { url } = await remote(({ id, method } = {}, { method: verb, headers }, response) => {
    if (method === "tools/call") {
      asked = id
      events(response, `retry: 10\nid: part-${went.length}\ndata: \n\n`)
      return "done"
    }
    if (verb !== "GET" || headers["last-event-id"] === undefined) return undefined
    went.push(headers["last-event-id"])
    if (went.length === 1) {
      events(response, `id: end\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: asked, result: said("whole") })}\n\n`)
      return "done"
    }
    response.writeHead(404).end()
    return "done"
  })
  const { servers, until, call } = await serversWith([{ type: "http", name: "r", url, headers: [] }])
  servers.start()
  await until("r connected 1")
  expect(await call("mcp__r__echo")).toEqual(said("whole"))
  await expect(call("mcp__r__echo")).rejects.toThrow(
    "r: its answer broke off: it answers with 404. The call may have taken effect",
  )
  expect(went.slice(0, 3)).toEqual(["part-0", "part-1", "part-1"])
})

test("MC-07 a server elsewhere that was away is looked for again with a later prompt", async () => {
  const clock = handClock()
  let isAway = true
  const { url } = await remote((_, __, response) => {
    if (!isAway) return undefined
    response.writeHead(503).end()
    return "done"
  })
  const { servers, until, story, failures } = await serversWith([{ type: "http", name: "r", url, headers: [] }], {
    clock,
  })
  servers.start()
  await until("r disconnected")
  isAway = false
  await servers.ready()
  expect(story.at(-1), "it was tried a moment ago").toBe("r disconnected")
  clock.pass(30_000)
  await servers.ready()
  await until("r connected 1")
  expect(failures).toHaveLength(1)
})
