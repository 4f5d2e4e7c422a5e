import type { RequestOptions } from "node:http"
import type { Duplex } from "node:stream"

type Env = Record<string, string | undefined>

/** The proxy that the environment names for an address; undefined where it is reached directly. */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const either = (name: string) => env[name.toLowerCase()] || env[name] || undefined
  const value = either(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") ?? either("ALL_PROXY")
  if (!value || isDirect(url, either("NO_PROXY") ?? "")) return undefined

  const proxy = URL.parse(value.includes("://") ? value : `http://${value}`)
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy
  const kind = proxy ? `a ${proxy.protocol.slice(0, -1)} proxy` : "no address"
  throw new TypeError(
    `the proxy for ${url.host} can't be used: the environment names ${kind}; set HTTPS_PROXY to an http:// or https:// one, or add the host to NO_PROXY`,
  )
}

/** What a proxy wants to know of us. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  if (!proxy.username) return {}
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }
}

/** Asks a proxy for a connection to a host, through which TLS is spoken. */
export function tunnel(proxy: URL, target: string, options: RequestOptions): Promise<Duplex> {
  const { request } = process.getBuiltinModule(proxy.protocol === "https:" ? "node:https" : "node:http")
  return new Promise((resolve, reject) => {
    const connect = request({
      ...options,
      ...addressOf(proxy),
      method: "CONNECT",
      path: target,
      agent: false,
      headers: { host: target, ...proxyHeaders(proxy) },
    })
    connect.once("connect", (answer, socket) => {
      if (answer.statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(
        new Error(
          `the proxy ${proxy.host} refused to connect to ${target}: ${answer.statusCode} ${answer.statusMessage}`,
        ),
      )
    })
    connect.once("error", reject)
    connect.end()
  })
}

export function addressOf(url: URL): { host: string; port: number } {
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80)
  return { host: hostOf(url), port }
}

/** Without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}

function isDirect(url: URL, list: string): boolean {
  const host = hostOf(url)
  if (host === "localhost" || host === "::1" || host.startsWith("127.")) return true // no proxy reaches our own machine
  const { port } = addressOf(url)
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true
    if (entry.includes("/")) return isWithin(host, entry)
    const [, name = "", only] = /^\[?([^[\]]*?)\]?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    if (only && Number(only) !== port) return false
    const domain = name.replace(/^\*?\./, "")
    return domain !== "" && (host === domain || host.endsWith(`.${domain}`))
  })
}

function isWithin(host: string, subnet: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule("node:net")
  const [network = "", bits] = subnet.split("/")
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")
  if (!isIP(host) || !isIP(network)) return false
  try {
    const block = new BlockList()
    block.addSubnet(network, Number(bits), family(network))
    return block.check(host, family(host))
  } catch {
    return false // "10.0.0.0/99" is no subnet
  }
}
