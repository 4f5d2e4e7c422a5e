import type { Received } from "../../src/jsonrpc/answering.ts"
import { connect, type Peer, type PeerOptions } from "../../src/jsonrpc/peer.ts"

export const never: AbortSignal = new AbortController().signal

export const delta = (text: string, sessionUpdate = "agent_message_chunk"): object => ({
  sessionId: "s",
  update: { sessionUpdate, content: { type: "text", text } },
})

interface TextDelta {
  params?: { update?: { sessionUpdate: string; content: { text: string } } }
}

/** Merges the deltas above, as the product does its own. */
export function merge(earlier: unknown, later: unknown): unknown {
  const before = (earlier as TextDelta).params?.update
  const after = (later as TextDelta).params?.update
  if (!before?.sessionUpdate.endsWith("_chunk") || before.sessionUpdate !== after?.sessionUpdate) return undefined
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: delta(before.content.text + after.content.text, before.sessionUpdate),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the tests look into messages of every shape
type Loose = any

export interface Sent {
  id?: string | number | null
  method?: string
  params?: Loose
  result?: Loose
  error?: Loose
}

/** A peer whose other side is written and read by hand, and whose output can be held up or broken. */
export function wire(handle: (received: Received, peer: Peer) => unknown, options: Partial<PeerOptions> = {}) {
  const written: string[] = []
  const writes: number[] = []
  const errors: { error: unknown; of: string }[] = []
  let more = Promise.withResolvers<void>()
  let gate: Promise<void> = Promise.resolve()
  let input!: ReadableStreamDefaultController<Uint8Array>
  let broken!: WritableStreamDefaultController
  const output = new WritableStream<Uint8Array>({
    start: (controller) => void (broken = controller),
    async write(bytes) {
      await gate
      writes.push(bytes.length)
      written.push(...new TextDecoder().decode(bytes).trimEnd().split("\n"))
      more.resolve()
      more = Promise.withResolvers()
    },
  })
  const readable = new ReadableStream<Uint8Array>({ start: (controller) => void (input = controller) })
  const onError = (error: unknown, of: string) => void errors.push({ error, of })
  const peer = connect(readable, output, { handle, merge, onError, ...options })
  const raw = (text: string) => input.enqueue(new TextEncoder().encode(text))
  const say = (...messages: object[]) =>
    raw(messages.map((m) => `${JSON.stringify({ jsonrpc: "2.0", ...m })}\n`).join(""))
  return {
    peer,
    written,
    writes,
    errors,
    raw,
    say,
    bytes: (bytes: Uint8Array) => input.enqueue(bytes),
    get sent(): Sent[] {
      return written.map((line) => JSON.parse(line))
    },
    /** Resolves with what has left once it is so many lines. */
    async lines(count: number): Promise<Sent[]> {
      while (written.length < count) await more.promise
      return written.map((line) => JSON.parse(line))
    },
    hangUp: () => input.close(),
    tear: (error: Error) => input.error(error),
    breakOutput: (error: Error) => broken.error(error),
    /** Holds up the output until the function it returns is called. */
    block(): () => void {
      const held = Promise.withResolvers<void>()
      gate = held.promise
      return held.resolve
    },
  }
}

/** Lets everything that is ready have its turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
