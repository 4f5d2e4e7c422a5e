import type { Readable } from "node:stream"
import type { Output } from "../../src/runtime.ts"
import { unrefStream } from "./lifeline.ts"

/** Bytes read ahead of whoever reads the output; then the program waits. */
const READ_AHEAD = 256 * 1024
/** After the program's end, what it left in the pipes is read within a few turns of the loop. */
const LOOK_MS = 40
const LOOKS = 5
/** Pipes hold less than this: what comes beyond it after the program's end is another's. */
const PIPES_HOLD = 4 * 1024 * 1024

export interface ChildOutput {
  readonly stream: ReadableStream<Output>
  /** Whether something holds the pipes, as far as we have read. */
  isHeld(): boolean
  /** The program has ended. What still comes is read a moment longer. */
  ended(): void
  /** All of it has come, or never will. */
  close(): void
}

/** Both streams of a program in one, at the pace of its reader. */
export function childOutput(sources: Record<Output["from"], Readable>): ChildOutput {
  const pipes = Object.values(sources)
  let controller!: ReadableStreamDefaultController<Output>
  let isPaused = false
  let isClosed = false
  let received = 0
  let limit = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined

  const pace = (paused: boolean) => {
    if (isPaused === paused) return
    isPaused = paused
    for (const pipe of pipes) paused ? pipe.pause() : pipe.resume()
  }
  const close = () => {
    if (isClosed) return
    isClosed = true
    clearInterval(timer)
    controller.close()
  }
  /** A program left behind must not die of a closed pipe: what it still says is read and forgotten. */
  const forget = () => {
    isClosed = true
    clearInterval(timer)
    pace(false)
    for (const pipe of pipes) unrefStream(pipe)
  }
  const stream = new ReadableStream<Output>(
    { start: (started) => void (controller = started), pull: () => pace(false), cancel: forget },
    { highWaterMark: READ_AHEAD, size: ({ bytes }) => bytes.byteLength },
  )
  for (const [from, pipe] of Object.entries(sources)) {
    pipe.on("data", (bytes: Uint8Array) => {
      if (isClosed) return
      received += bytes.byteLength
      controller.enqueue({ from: from as Output["from"], bytes })
      if (received > limit) leave()
      else if ((controller.desiredSize ?? 0) <= 0) pace(true)
    })
    pipe.on("error", () => {}) // it ends, then
  }
  const leave = () => {
    close()
    forget()
  }
  return {
    stream,
    isHeld: () => !isClosed && !isPaused && pipes.some((pipe) => !pipe.readableEnded),
    ended() {
      if (isClosed) return
      limit = received + PIPES_HOLD
      let looks = 0
      timer = setInterval(() => {
        if (!isPaused && ++looks === LOOKS) leave()
      }, LOOK_MS)
    },
    close,
  }
}
