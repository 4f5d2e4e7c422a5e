import type { Agent, ClientRequest, RequestOptions } from "node:http"
import { trusted } from "./certificates.ts"
import { tunnel } from "./proxy.ts"

/** How requests to one kind of address are made. */
export interface Connector {
  readonly agent: Agent | false
  request(options: RequestOptions): ClientRequest
}

const agents = new Map<string, Agent>()

/** Connections are kept for the next request, one set for each way out; a connection that was checked serves one alone. */
export function connector(url: URL, proxy: URL | undefined, isSingle: boolean): Connector {
  const speaksTls = (url.protocol === "http:" && proxy ? proxy : url).protocol === "https:"
  const { request, Agent } = process.getBuiltinModule(speaksTls ? "node:https" : "node:http")
  const ca = speaksTls ? trusted(process.env) : undefined
  const options = ca ? { ca } : {}
  const send = (with_: RequestOptions) => request({ ...with_, ...options })
  if (isSingle) return { agent: false, request: send }

  const via = proxy && url.protocol === "https:" ? proxy : undefined
  const key = `${speaksTls} ${via?.href} ${ca?.length}`
  let agent = agents.get(key)
  if (!agent) {
    agent = new Agent({ keepAlive: true, ...options })
    if (via) agent.createConnection = tunnelling(via, options)
    agents.set(key, agent)
  }
  return { agent, request: send }
}

/** TLS inside a connection that a proxy made for us. */
function tunnelling(proxy: URL, trust: object): Agent["createConnection"] {
  return (options, done) => {
    const { host, port } = options as { host: string; port: number }
    const target = `${host.includes(":") ? `[${host}]` : host}:${port}`
    tunnel(proxy, target, trust).then(
      (socket) => {
        const { connect } = process.getBuiltinModule("node:tls")
        done?.(null, connect({ ...(options as object), socket, ...(!isAddress(host) && { servername: host }) }))
      },
      (error) => done?.(error, undefined as never),
    )
    return undefined as never
  }
}

function isAddress(host: string): boolean {
  return process.getBuiltinModule("node:net").isIP(host) !== 0
}
