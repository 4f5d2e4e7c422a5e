import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { LookupFunction } from "node:net"
import type { FetchInit } from "../../src/runtime.ts"
import { type Connector, connector } from "./agents.ts"
import { bodyOf } from "./body.ts"
import { fetchFailure } from "./fetch-failure.ts"
import { codeOf } from "./file-error.ts"
import { addressOf, hostOf, proxyFor, proxyHeaders } from "./proxy.ts"

/** Statuses that have no body, whatever is sent. */
const BODILESS = [204, 205, 304]

/**
 * A fetch over `node:http`: the one built into Node gives up after 300 seconds, and hands on a model's stream in crumbs.
 * Modules are taken by `getBuiltinModule`, as an import of `node:http` loads the built-in fetch, too (17 ms).
 */
export async function nodeFetch(to: string | URL, init: FetchInit): Promise<Response> {
  const url = new URL(to)
  const { signal } = init
  signal.throwIfAborted()
  const proxy = proxyFor(url, process.env)
  const addresses = init.check && (await checked(url, init.check, proxy !== undefined, signal))
  const connection = connector(url, proxy, addresses !== undefined)
  for (;;) {
    const request = open(url, init, connection, proxy, addresses)
    try {
      return await answered(request, url, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // the server closed a kept connection as we took it: it has read nothing of this request
      if (request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(codeOf(error))) continue
      throw fetchFailure(error, url)
    }
  }
}

/** The addresses of a host, once they were found good. A proxy looks up names by itself, perhaps ones that we can't. */
export async function checked(
  url: URL,
  check: (addresses: readonly string[]) => void,
  isProxied: boolean,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { lookup } = process.getBuiltinModule("node:dns/promises")
  const found = await abortable(lookup(hostOf(url), { all: true }), signal).catch((error) => {
    if (signal.aborted) throw signal.reason
    if (isProxied) return undefined
    throw fetchFailure(error, url)
  })
  if (!found) return undefined
  const addresses = found.map(({ address }) => address)
  check(addresses)
  return isProxied ? undefined : addresses
}

function open(
  url: URL,
  init: FetchInit,
  connection: Connector,
  proxy: URL | undefined,
  addresses?: readonly string[],
): ClientRequest {
  const body = typeof init.body === "string" ? new TextEncoder().encode(init.body) : init.body
  const viaProxy = proxy && url.protocol === "http:" ? proxy : undefined
  const options: RequestOptions = {
    ...addressOf(viaProxy ?? url),
    protocol: (viaProxy ?? url).protocol,
    method: init.method ?? "GET",
    path: viaProxy ? withoutHash(url) : `${url.pathname}${url.search}`,
    agent: connection.agent,
    headers: {
      host: url.host,
      accept: "*/*",
      "accept-encoding": "identity",
      ...(body && { "content-length": body.byteLength }),
      ...(viaProxy && proxyHeaders(viaProxy)),
      ...lowerCased(init.headers ?? {}),
    },
    ...(addresses && { lookup: lookupAmong(addresses) }),
  }
  const request = connection.request(options)
  request.end(body)
  return request
}

function answered(request: ClientRequest, url: URL, signal: AbortSignal): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  let fail = reject
  const abort = () => {
    fail(signal.reason)
    request.destroy()
  }
  const ended = () => signal.removeEventListener("abort", abort)
  signal.addEventListener("abort", abort, { once: true })

  request.once("finish", () => void new Headers()) // Node loads 17 ms of code for the first: let it, while the server thinks
  request.once("response", (message) => {
    const body = bodyOf(message, (error) => fetchFailure(error, url), ended)
    fail = body.fail
    resolve(responseOf(message, body.stream, url))
  })
  request.on("error", (error) => {
    if (fail === reject) ended()
    fail(fail === reject ? error : fetchFailure(error, url))
  })
  return promise
}

function responseOf(message: IncomingMessage, body: ReadableStream<Uint8Array>, url: URL): Response {
  const status = message.statusCode ?? 0
  const isOdd = status < 200 || status > 599 // a Response can't be made with these, and some servers send them
  const hasBody = !BODILESS.includes(status)
  if (!hasBody) message.resume()
  const response = new Response(hasBody ? body : null, { status: isOdd ? 500 : status, headers: headersOf(message) })
  return Object.defineProperties(response, {
    url: { value: url.href },
    statusText: { value: message.statusMessage ?? "" },
    ...(isOdd && { status: { value: status } }),
  })
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2)
    headers.append(message.rawHeaders[i]!, message.rawHeaders[i + 1]!)
  return headers
}

/** The connection goes to what was checked: a second look-up could answer otherwise. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const { isIP } = process.getBuiltinModule("node:net")
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, found) => (options.all ? found(null, all) : found(null, all[0]!.address, all[0]!.family))
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function withoutHash(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length)
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener("abort", abort, { once: true })
  return await Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort))
}
