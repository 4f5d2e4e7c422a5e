import type { Runtime } from "../runtime.ts"
import { addressIn, isLoopbackHost, isPrivateAddress } from "../text/addresses.ts"
import { sizeInWords } from "../text/truncate.ts"

/** What a server has sent. */
export interface Fetched {
  /** Where it came from, after redirects. */
  url: string
  mimeType: string
  text: string
  /** There was more than is read. */
  cut: boolean
}

/** Where pages may be fetched from. */
export interface Web {
  fetch: Runtime["fetch"]
  /** Hosts that may have private addresses; with a port, at that port alone. */
  allowHosts: readonly string[]
}

const TIMEOUT_MS = 30_000
const MOST_REDIRECTS = 5
/** Bytes that are read. */
const LARGEST = 4 * 1024 * 1024

/** The address that somebody means, or an Error that says why it is not fetched. */
export function pageAddress(said: string, allowHosts: readonly string[]): URL {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(said) ? said : `https://${said}`)
  if (!url) throw new Error(`"${said}" is no address of a page.`)
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname) && url.port === "") url.protocol = "https:"
  refuseBad(url, allowHosts)
  url.hash = ""
  return url
}

/** Fetches a page. A redirect to another host is not followed: it must be asked for. */
export async function fetchPage(start: URL, web: Web, signal: AbortSignal): Promise<Fetched> {
  const deadline = new AbortController()
  const late = new Error(`${start.host} took more than ${TIMEOUT_MS / 1000} s`)
  const timer = setTimeout(() => deadline.abort(late), TIMEOUT_MS)
  try {
    return await follow(start, web, AbortSignal.any([signal, deadline.signal]))
  } catch (error) {
    signal.throwIfAborted()
    throw deadline.signal.aborted ? late : error
  } finally {
    clearTimeout(timer)
  }
}

async function follow(start: URL, web: Web, signal: AbortSignal): Promise<Fetched> {
  let url = start
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    refuseBad(url, web.allowHosts)
    const host = url.hostname
    const response = await web.fetch(url, {
      headers: { accept: "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.7, */*;q=0.1", ...AGENT },
      signal,
      ...(!isAllowed(url, web.allowHosts) && {
        check(addresses: readonly string[]) {
          const inner = addresses.find(isPrivateAddress)
          if (inner !== undefined) throw new Error(privateWords(host, inner))
        },
      }),
    })
    const to = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null
    if (to === null) return await bodyOf(response, url, signal)
    await response.body?.cancel()
    const next = URL.parse(to, url)
    if (!next) throw new Error(`${url.href} leads to "${to}", which is no address.`)
    if (next.host !== url.host) {
      throw new Error(`${url.href} leads to another host: ${next.href} . If that is what you want, fetch it.`)
    }
    url = next
  }
  throw new Error(`${start.href} leads from one address to the next, more than ${MOST_REDIRECTS} times.`)
}

const AGENT = { "user-agent": "koda-acp", "accept-language": "en, *;q=0.5" }

function refuseBad(url: URL, allowHosts: readonly string[]): void {
  const { protocol, hostname } = url
  const isOpen = protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname))
  if (!isOpen) throw new Error(`${url.href} is not fetched: only https:// is, and http:// on this machine.`)
  if (url.username !== "" || url.password !== "")
    throw new Error("An address with a name or a password is not fetched.")
  if (isAllowed(url, allowHosts)) return
  const address = addressIn(hostname)
  if (isLoopbackHost(hostname) || (address !== undefined && isPrivateAddress(address))) {
    throw new Error(privateWords(hostname, address ?? hostname))
  }
}

function privateWords(host: string, address: string): string {
  const at = host === address || host === `[${address}]` ? "is" : `has the address ${address}, which is`
  return `${host} ${at} on a private network. The user can allow it: "webFetch": {"allowHosts": ["${host}"]} in the settings.`
}

/** A host of the list: whole, with its port, or all below a domain as `*.domain`. */
function isAllowed({ hostname, host, port, protocol }: URL, allowHosts: readonly string[]): boolean {
  const whole = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host
  return allowHosts.some((entry) => {
    const name = entry.toLowerCase()
    return name === hostname || name === whole || (name.startsWith("*.") && hostname.endsWith(name.slice(1)))
  })
}

async function bodyOf(response: Response, url: URL, signal: AbortSignal): Promise<Fetched> {
  const type = response.headers.get("content-type") ?? "text/plain"
  const mimeType = (type.split(";")[0] ?? "").trim().toLowerCase()
  if (response.status >= 400) {
    await response.body?.cancel()
    throw new Error(`${url.href} could not be fetched: the server answered ${response.status} ${response.statusText}.`)
  }
  if (!/^text\/|[/+](json|xml|javascript|yaml|x-ndjson|xhtml\+xml)$/.test(mimeType)) {
    await response.body?.cancel()
    const size = Number(response.headers.get("content-length"))
    throw new Error(
      `${url.href} is no text but ${mimeType}${size > 0 ? ` (${sizeInWords(size)})` : ""}, which can't be read.`,
    )
  }
  const parts: Uint8Array[] = []
  let left = LARGEST
  let cut = false
  for await (const bytes of response.body ?? []) {
    signal.throwIfAborted()
    parts.push(bytes.subarray(0, left))
    cut = bytes.length > left
    left -= bytes.length
    if (left < 0) break
  }
  const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer())
  return { url: url.href, mimeType, text: decode(bytes, type), cut }
}

/** By the encoding that the server or the page names, else UTF-8. */
function decode(bytes: Uint8Array, type: string): string {
  const begin = new TextDecoder("latin1").decode(bytes.subarray(0, 1024))
  const named = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(begin)?.[1]
  try {
    return new TextDecoder(named ?? "utf-8").decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes) // there is no such encoding
  }
}
