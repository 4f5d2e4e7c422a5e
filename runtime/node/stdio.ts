import type { Writable } from "node:stream"
import type { Stdio } from "../../src/runtime.ts"
import { guardConsole, guardStdout, type Print, stdoutWrite } from "./guard.ts"
import { lineLog } from "./log.ts"
import { moveStdout } from "./move-stdout.ts"

/** The process's own streams. */
export interface ProcessStdio extends Stdio {
  /** For a program that is ours alone, before anything else: whoever prints, nothing but the output reaches stdout. */
  guard(): void
  /** Resolves when all that was written has left. */
  flushed(): Promise<void>
}

/** How a platform reads and writes them. A write resolves when its bytes have left; one that waits holds up nothing. */
export interface Streams {
  stdin(): ReadableStream<Uint8Array>
  stdout(bytes: Uint8Array): Promise<void>
  stderr(bytes: Uint8Array): Promise<void>
  /** Turns what is written to `process.stdout` to the log. */
  guard(print: Print): void
  /** Hides the descriptor of stdout, where that can be done. */
  hide?(): void
}

/** Bytes read ahead of whoever reads the input. */
const READ_AHEAD = 1024 * 1024

export function processStdio(streams: Streams = nodeStreams()): ProcessStdio {
  const log = lineLog((bytes) => streams.stderr(bytes))
  const guard = () => {
    guardConsole(log)
    streams.guard(log)
  }
  let input: ReadableStream<Uint8Array> | undefined
  let output: WritableStream<Uint8Array> | undefined
  let writing: Promise<void> | undefined

  const write = async (bytes: Uint8Array) => {
    writing = streams.stdout(bytes)
    await writing.finally(() => {
      writing = undefined
    })
  }
  return {
    get input() {
      input ??= streams.stdin()
      return input
    },
    get output() {
      if (!output) guard()
      output ??= new WritableStream({ write })
      return output
    },
    log,
    get isTerminal() {
      return process.getBuiltinModule("node:tty").isatty(0)
    },
    guard() {
      streams.hide?.()
      guard()
    },
    async flushed() {
      do {
        await writing?.catch(() => {})
        await new Promise((resolve) => setTimeout(resolve)) // the stream hands over the next chunk, if there is one
      } while (writing)
      await log.flushed()
    },
  }
}

function nodeStreams(): Streams {
  let hidden: Writable | undefined
  return {
    stdin,
    stdout: (bytes) =>
      hidden ? written(hidden, hidden.write.bind(hidden), bytes) : written(process.stdout, stdoutWrite(), bytes),
    stderr: (bytes) => written(process.stderr, process.stderr.write.bind(process.stderr), bytes),
    guard: guardStdout,
    hide() {
      const fd = moveStdout()
      if (fd !== 1) hidden = new (process.getBuiltinModule("node:net").Socket)({ fd, readable: false })
    },
  }
}

function written(stream: Writable, write: Writable["write"], bytes: Uint8Array): Promise<void> {
  if (stream.listenerCount("error") === 0) stream.on("error", () => {}) // the callback tells; unheard, it would end us
  return new Promise((resolve, reject) => {
    write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

function stdin(): ReadableStream<Uint8Array> {
  const { stdin } = process
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stdin.on("data", (chunk: Buffer) => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) stdin.pause()
        })
        stdin.once("end", () => controller.close())
        stdin.once("error", (error) => controller.error(error))
        stdin.pause()
      },
      pull: () => void stdin.resume(),
      cancel: () => void stdin.destroy(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }),
  )
}
