import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"

/** Bytes read ahead of whoever reads the body. */
const READ_AHEAD = 64 * 1024

export interface Body {
  readonly stream: ReadableStream<Uint8Array>
  /** Ends it with an error, unless it has ended. */
  fail(error: unknown): void
}

/**
 * The body as it comes. What one read of the socket brought is handed on as one chunk: a model's stream is thousands of
 * small chunks, and each costs more than its bytes.
 */
export function bodyOf(message: IncomingMessage, explain: (error: unknown) => unknown, ended: () => void): Body {
  const source = decoded(message)
  let pending: Uint8Array[] = []
  let isOver = false
  let controller!: ReadableStreamDefaultController<Uint8Array>

  const hand = () => {
    if (isOver || pending.length === 0) return
    controller.enqueue(pending.length === 1 ? pending[0]! : Buffer.concat(pending))
    pending = []
    if ((controller.desiredSize ?? 0) <= 0) source.pause()
  }
  const over = (finish: () => void) => {
    if (isOver) return
    hand()
    isOver = true
    finish()
    ended()
  }
  const fail = (error: unknown) => over(() => controller.error(error))
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (controller = started),
      pull: () => void source.resume(),
      cancel: () => over(() => message.destroy()),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }),
  )
  source.on("data", (bytes: Uint8Array) => {
    if (pending.push(bytes) === 1) queueMicrotask(hand)
  })
  source.once("end", () => over(() => controller.close()))
  source.on("error", (error) => fail(explain(error)))
  message.once("close", () => {
    if (!message.complete)
      fail(explain(Object.assign(new Error("the connection was closed early"), { code: "ECONNRESET" })))
  })
  return { stream, fail }
}

/** We don't ask for a compressed body; some servers send one all the same. */
function decoded(message: IncomingMessage): Readable {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase()
  if (!encoding || !["gzip", "x-gzip", "deflate", "br"].includes(encoding)) return message
  const zlib = process.getBuiltinModule("node:zlib")
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const decoder =
    encoding === "br"
      ? zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
      : zlib.createUnzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH })
  message.on("error", (error) => decoder.destroy(error))
  return message.pipe(decoder)
}
