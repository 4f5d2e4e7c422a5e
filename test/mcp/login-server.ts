import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** A server that wants a login, and gives it to whoever asks. Gone after the test. */
export async function loginServer() {
  const heard: { path: string; body: string; authorization: string | undefined }[] = []
  const tokens = new Set<string>()
  const server = createServer(async (request, response) => {
    request.on("error", () => {}) // the client has gone
    const body = await text(request).catch(() => "")
    const { pathname, searchParams } = new URL(request.url ?? "/", url())
    const { authorization } = request.headers
    heard.push({ path: pathname, body, authorization })
    const answer = (value: object, status = 200, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return answer({
          issuer: url(),
          authorization_endpoint: `${url()}/authorize`,
          token_endpoint: `${url()}/token`,
          registration_endpoint: `${url()}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        })
      case "/register":
        return answer({ ...JSON.parse(body), client_id: "registered" }, 201)
      case "/authorize": {
        const to = new URL(searchParams.get("redirect_uri") as string)
        to.search = String(new URLSearchParams({ code: "good", state: searchParams.get("state") as string }))
        return response.writeHead(302, { location: to.href }).end()
      }
      case "/token": {
        const token = `token-${tokens.size + 1}`
        tokens.add(token)
        return answer({ access_token: token, token_type: "Bearer", expires_in: 3600 })
      }
      case "/mcp":
        if (!tokens.has(authorization?.replace("Bearer ", "") ?? ""))
          return answer({}, 401, { "www-authenticate": "Bearer" })
        return mcp(body, answer, response)
      default:
        return response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${url()}/mcp`,
    heard,
    /** From now on nobody is logged in. */
    forget: () => tokens.clear(),
  }
}

/** One that has a single tool. */
function mcp(
  body: string,
  answer: (value: object) => unknown,
  response: { writeHead(status: number): { end(): void } },
) {
  const { id, method, params } = body === "" ? ({} as Record<string, never>) : JSON.parse(body)
  if (id === undefined) return response.writeHead(method === undefined ? 405 : 202).end()
  const serverInfo = { name: "l", version: "1" }
  const results: Record<string, object> = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "called" }] },
  }
  return answer({ jsonrpc: "2.0", id, result: results[method] ?? {} })
}
