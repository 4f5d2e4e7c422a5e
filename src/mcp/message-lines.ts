/** The largest message of a server that we read. */
export const MESSAGE_BYTES: number = 16 * 1024 * 1024
/** Of a longer one only its ends are kept: the id of what it answers stands in one of them. */
const END_BYTES = 4096

/** No message is so large, however it begins. */
const ENDLESS = 512 * 1024 * 1024

/** A JSON-RPC message, as far as we look at it. */
export interface RpcMessage {
  jsonrpc: "2.0"
  id?: string | number
  method?: string
}

/** Takes a server's bytes apart into messages. */
export interface MessageLines {
  push(bytes: Uint8Array): RpcMessage[]
  /** What stands behind the last line end. */
  end(): RpcMessage[]
  /** Bytes of what was no message, since the last that was one. */
  readonly noise: number
}

/**
 * One message a line, and everything else that a program may print is skipped. A message that is too large is never held;
 * if it answers a request, that request fails.
 */
export function messageLines(limit: number = MESSAGE_BYTES): MessageLines {
  let parts: Uint8Array[] = []
  let length = 0
  let noise = 0

  function add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    parts.push(bytes.slice())
    length += bytes.length
    if (length <= limit) return
    const whole = joined(parts)
    parts = [whole.slice(0, END_BYTES), whole.slice(-END_BYTES)]
  }

  function take(): RpcMessage[] {
    const isWhole = length <= limit
    const text = new TextDecoder().decode(joined(parts))
    const bytes = length
    parts = []
    length = 0
    const found = isWhole ? messagesIn(text) : tooLarge(text, bytes)
    noise = found.length > 0 ? 0 : noise + bytes
    return found
  }

  return {
    get noise() {
      const mayBeMessage = /^\s*[{[]/.test(new TextDecoder().decode(parts[0]?.subarray(0, 64)))
      return noise + (mayBeMessage && length < ENDLESS ? 0 : length)
    },
    push(bytes) {
      const found: RpcMessage[] = []
      let from = 0
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
        add(bytes.subarray(from, at))
        from = at + 1
        if (length > 0) found.push(...take())
      }
      add(bytes.subarray(from))
      return found
    },
    end: () => (length > 0 ? take() : []),
  }
}

function messagesIn(text: string): RpcMessage[] {
  const trimmed = text.trim()
  if (!/^[{[]/.test(trimmed)) return []
  try {
    return [JSON.parse(trimmed)].flat().filter(isMessage)
  } catch {
    return []
  }
}

function isMessage(value: unknown): value is RpcMessage {
  return typeof value === "object" && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === "2.0"
}

/** The answer that stands for one which was too large to read. */
function tooLarge(ends: string, bytes: number): RpcMessage[] {
  const head = ends.slice(0, END_BYTES)
  if (/^\s*\{[^{}[\]]*"method"\s*:/.test(head)) return []
  const [, id] =
    /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/.exec(head) ??
    /[}\]]\s*,[^{}[\]]*"id"\s*:\s*(\d+)[^{}[\]]*\}\s*$/.exec(ends) ??
    []
  if (id === undefined) return []
  return [{ jsonrpc: "2.0", id: Number(id), error: { code: -32000, message: tooLargeText(bytes) } } as RpcMessage]
}

/** What is said in the place of an answer that was not read. */
export function tooLargeText(bytes: number): string {
  return `the server's answer has ${Math.round(bytes / 1e6)} MB, more than koda reads; ask for less`
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts
  if (first && parts.length === 1) return first
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
