import { MESSAGE_BYTES, tooLargeText } from "./message-lines.ts"

/** Events that pass at once; then others of ours get their turn. */
const AT_ONCE = 50
const LONGEST_ID = 1_000

/** How a stream of events ended. */
export interface StreamEnd {
  /** It never began. */
  readonly unopened?: true
  /** The last id that it gave: it can be gone on with from there. */
  readonly lastId?: string
  readonly error?: unknown
}

/** A server's stream of events within bounds: none is too large, and many leave room for others. */
export function eventStream(
  body: ReadableStream<Uint8Array>,
  ended: (end: StreamEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const scan = scanner()
  let left: Uint8Array = new Uint8Array()

  async function next(): Promise<Uint8Array | undefined> {
    while (left.length === 0) {
      const { value, done } = await reader.read()
      if (done) return undefined
      left = value
    }
    const { length, events } = scan.take(left)
    const part = left.subarray(0, length)
    left = left.subarray(length)
    if (scan.size > MESSAGE_BYTES) throw new Error(tooLargeText(scan.size))
    if (events >= AT_ONCE) await new Promise((resolve) => setTimeout(resolve, 1))
    return part
  }

  const withId = () => (scan.lastId === undefined ? {} : { lastId: scan.lastId })
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await next()
        if (part) return controller.enqueue(part)
        controller.close()
        ended(withId())
      } catch (error) {
        controller.error(error)
        ended({ ...(!(scan.size > MESSAGE_BYTES) && withId()), error })
        await reader.cancel(error).catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Follows the lines of a stream: where events end, how large the one under way is, and which id came last. */
function scanner() {
  let line: number[] = []
  let length = 0
  const state = {
    size: 0,
    lastId: undefined as string | undefined,
    /** How much of these bytes passes at once, and the events in it. */
    take(bytes: Uint8Array): { length: number; events: number } {
      let events = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]!
        state.size++
        if (byte !== 10) {
          if (byte !== 13) length++
          if (line.length < LONGEST_ID) line.push(byte)
          continue
        }
        const [, id] = /^id: ?([^\r]*)/.exec(line[0] === 105 ? String.fromCharCode(...line) : "") ?? []
        if (id) state.lastId = id
        if (length === 0) {
          events++
          state.size = 0
        }
        line = []
        length = 0
        if (events === AT_ONCE) return { length: at + 1, events }
      }
      return { length: bytes.length, events }
    },
  }
  return state
}
