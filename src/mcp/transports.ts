import type { Transport } from "@modelcontextprotocol/sdk/shared/transport"
import type { ServerConfig } from "./config.ts"
import { boundedFetch, type Home } from "./http.ts"
import type { ConnectNeeds, Login } from "./needs.ts"
import { type OwnTransport, programOf, stdioTransport } from "./stdio.ts"
import { unanswered } from "./unanswered.ts"

/** The way to a program of our own. */
export async function ownTransport(
  reach: Extract<ServerConfig["reach"], { type: "stdio" }>,
  needs: ConnectNeeds,
): Promise<OwnTransport> {
  const { os, cwd, ...place } = needs.place
  const env = { ...(await needs.env()), ...reach.env }
  const folder =
    reach.cwd === undefined ? cwd : /^(\/|[A-Za-z]:[\\/])/.test(reach.cwd) ? reach.cwd : `${cwd}/${reach.cwd}`
  return stdioTransport(programOf(reach.command, reach.args, os), { ...place, cwd: folder, env })
}

/** The way to a server elsewhere. It ends with all its requests when it is closed. */
export async function remote(
  type: "http" | "sse",
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  needs: ConnectNeeds,
  login: Login | undefined,
): Promise<Transport> {
  const lifetime = new AbortController()
  const broken = unanswered((id, message) => {
    transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32000, message } })
  })
  const streamEnded: Home["streamEnded"] = (asked, end) => {
    if (type === "http") broken(asked, end)
    else if (asked.method === "GET") void transport.close() // all its answers were to come there
  }
  const options = {
    fetch: boundedFetch(needs.fetch, lifetime.signal, { origin: new URL(url).origin, headers, streamEnded }),
    ...(login && { authProvider: login.provider }),
  }
  const transport = await made()
  const close = transport.close.bind(transport)
  transport.close = async () => {
    lifetime.abort(new Error("the connection is closed"))
    await close()
  }
  return transport

  async function made(): Promise<Transport> {
    if (type === "sse") {
      const { SSEClientTransport } = await import("./sdk.ts")
      return new SSEClientTransport(new URL(url), options)
    }
    const { StreamableHTTPClientTransport } = await import("./sdk.ts")
    return new StreamableHTTPClientTransport(new URL(url), options) as Transport
  }
}
