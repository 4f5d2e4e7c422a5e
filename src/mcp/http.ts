import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport"
import type { Runtime } from "../runtime.ts"
import { isPrivateAddress } from "../text/addresses.ts"
import { eventStream, type StreamEnd } from "./event-stream.ts"
import { MESSAGE_BYTES, tooLargeText } from "./message-lines.ts"

/** The server that is meant. Its headers are for nobody else to whom a login leads. */
export interface Home {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** The user goes on with a login: it leads where it led before. */
  readonly isAgreed?: true
  /** Hears of each stream of events that ends: what was asked for by it, and how it ended. */
  readonly streamEnded?: (asked: Asked, end: StreamEnd) => void
}

/** What is asked for in a request, as far as it matters for what becomes of its answer. */
export interface Asked {
  readonly method: string
  /** The message that was sent. */
  readonly body?: string
  /** Where a stream is to be gone on with. */
  readonly lastEventId?: string
}

/** Between two requests for a stream. A server may ask for no more, and then would be asked without end. */
const STREAM_GAP_MS = 200

/**
 * The platform's fetch as the SDK calls it, with what a server sends within bounds: an answer, and each event of a
 * stream. Redirects are the SDK's to judge. A server says itself where its login is: one out in the world can't send us
 * to an address of a private network by it.
 */
export function boundedFetch(fetch: Runtime["fetch"], lifetime: AbortSignal, home: Home): FetchLike {
  let isNear: boolean | undefined = home.isAgreed // else known by the addresses that the server has had so far
  let nextStream = 0
  return async (url, init = {}) => {
    const { method = "GET", headers, body, signal } = init
    const text = body instanceof URLSearchParams ? String(body) : body
    const whole = new Headers(headers)
    if (body instanceof URLSearchParams && !whole.has("content-type"))
      whole.set("content-type", "application/x-www-form-urlencoded")
    const { origin, protocol, host } = new URL(url)
    const isHome = origin === home.origin
    if (isHome) for (const [name, value] of Object.entries(home.headers)) whole.set(name, value)
    else if (protocol !== "https:" && !isNear) throw new Error(`its login leads to ${origin}, which is not https`)
    const asked: Asked = { method, ...lastEventIn(whole), ...(typeof text === "string" && { body: text }) }
    if (method === "GET" && whole.get("accept")?.includes("text/event-stream")) {
      const wait = nextStream - Date.now()
      nextStream = Math.max(nextStream, Date.now()) + STREAM_GAP_MS
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    }
    const response = await fetch(url, {
      method: method as "GET" | "POST" | "DELETE",
      headers: Object.fromEntries(whole),
      ...(text != null && { body: text as string | Uint8Array }),
      check(addresses) {
        if (isHome) isNear = home.isAgreed ?? (isNear !== false && addresses.every(isPrivateAddress))
        else if (!isNear && addresses.some(isPrivateAddress))
          throw new Error(`its login leads to ${host}, in a private network`)
      },
      signal: signal ? AbortSignal.any([signal, lifetime]) : lifetime,
    }).catch((error: unknown) => {
      if (asked.lastEventId !== undefined) home.streamEnded?.(asked, { unopened: true, error })
      throw error
    })
    return bounded(response, asked, home)
  }
}

function bounded(response: Response, asked: Asked, { streamEnded }: Home): Response {
  const { body, status, headers, url } = response
  const isStream = response.ok && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "")
  if (!isStream && asked.lastEventId !== undefined)
    streamEnded?.(asked, { unopened: true, error: new Error(`it answers with ${status}`) })
  if (!body) return response
  const within = isStream ? eventStream(body, (end) => streamEnded?.(asked, end)) : body.pipeThrough(counter())
  const copy = new Response(within, { status, statusText: response.statusText, headers })
  return Object.defineProperty(copy, "url", { value: url })
}

/** Fails when more than a message's bytes come. */
function counter(): TransformStream<Uint8Array, Uint8Array> {
  let count = 0
  return new TransformStream({
    transform(bytes, controller) {
      count += bytes.length
      if (count > MESSAGE_BYTES) controller.error(new Error(tooLargeText(count)))
      else controller.enqueue(bytes)
    },
  })
}

function lastEventIn(headers: Headers): { lastEventId?: string } {
  const lastEventId = headers.get("last-event-id")
  return lastEventId === null ? {} : { lastEventId }
}
