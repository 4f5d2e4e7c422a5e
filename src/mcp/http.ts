import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport"
import type { Runtime } from "../runtime.ts"
import { MESSAGE_BYTES, tooLargeText } from "./message-lines.ts"

/** Headers that are for one server, and for nobody else that a login leads to. */
export interface OwnHeaders {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The platform's fetch as the SDK calls it, with what a server sends within bounds: an answer, and each event of a
 * stream. Redirects are the SDK's to judge.
 */
export function boundedFetch(fetch: Runtime["fetch"], lifetime: AbortSignal, own?: OwnHeaders): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", headers, body, signal } = init
    const text = body instanceof URLSearchParams ? String(body) : body
    const whole = new Headers(headers)
    if (body instanceof URLSearchParams && !whole.has("content-type"))
      whole.set("content-type", "application/x-www-form-urlencoded")
    if (own && new URL(url).origin === own.origin)
      for (const [name, value] of Object.entries(own.headers)) whole.set(name, value)
    const response = await fetch(url, {
      method: method as "GET" | "POST" | "DELETE",
      headers: Object.fromEntries(whole),
      ...(text != null && { body: text as string | Uint8Array }),
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
