import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport"
import type { Runtime } from "../runtime.ts"
import { isPrivateAddress } from "../text/addresses.ts"
import { MESSAGE_BYTES, tooLargeText } from "./message-lines.ts"

/** The server that is meant. Its headers are for nobody else to whom a login leads. */
export interface Home {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** The user goes on with a login: it leads where it led before. */
  readonly isAgreed?: true
}

/**
 * The platform's fetch as the SDK calls it, with what a server sends within bounds: an answer, and each event of a
 * stream. Redirects are the SDK's to judge. A server says itself where its login is: one out in the world can't send us
 * to an address of a private network by it.
 */
export function boundedFetch(fetch: Runtime["fetch"], lifetime: AbortSignal, home: Home): FetchLike {
  let isNear: boolean | undefined = home.isAgreed // else known by the addresses that the server has had so far
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
    })
    return bounded(response)
  }
}

function bounded(response: Response): Response {
  const { body, status, headers, url } = response
  if (!body) return response
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "")
  const copy = new Response(body.pipeThrough(counter(isStream)), { status, statusText: response.statusText, headers })
  return Object.defineProperty(copy, "url", { value: url })
}

/** Fails when more than a message's bytes come; in a stream of events, before the blank line that ends one. */
function counter(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0
  let isLineEmpty = true
  return new TransformStream({
    transform(bytes, controller) {
      if (!isStream) count += bytes.length
      else {
        for (const byte of bytes) {
          count++
          if (byte !== 10) isLineEmpty = isLineEmpty && byte === 13
          else if (isLineEmpty) count = 0
          else isLineEmpty = true
        }
      }
      if (count > MESSAGE_BYTES) controller.error(new Error(tooLargeText(count)))
      else controller.enqueue(bytes)
    },
  })
}
