import { type Print, printing } from "../node/guard.ts"
import { moveStdout } from "../node/move-stdout.ts"
import { type ProcessStdio, processStdio } from "../node/stdio.ts"

/** What we use of Bun's own streams. */
interface BunStreams {
  file(descriptor: number): { writer(): Sink }
  stdin: { stream(): ReadableStream<Uint8Array> }
  stdout: { writer(): Sink }
  stderr: { writer(): Sink }
}

interface Sink {
  write(bytes: Uint8Array): number | Promise<number>
  flush(): number | Promise<number>
}

/** Bun's own streams are there at once, where `process.stdin` and `process.stdout` take 14 ms of every start. */
export function bunStdio(): ProcessStdio {
  const { file, stdin, stdout, stderr } = (globalThis as unknown as { Bun: BunStreams }).Bun
  let write = writeTo(stdout)
  return processStdio({
    stdin: () => stdin.stream(),
    stdout: (bytes) => write(bytes),
    stderr: writeTo(stderr),
    guard,
    hide() {
      const descriptor = moveStdout()
      if (descriptor !== 1) write = writeTo(file(descriptor))
    },
  })
}

/** Bun makes the stream as soon as its property is looked at; assigned, it is never made. */
function guard(print: Print): void {
  const self = () => stream
  const stream: Record<string, unknown> = {
    writable: true,
    write: printing(print),
    end: self,
    emit: () => false,
    listenerCount: () => 0,
  }
  const listening = ["on", "once", "off", "addListener", "prependListener", "removeListener", "removeAllListeners"]
  for (const method of [...listening, "cork", "uncork"]) stream[method] = self
  Object.assign(process, { stdout: stream })
}

function writeTo(stream: { writer(): Sink }): (bytes: Uint8Array) => Promise<void> {
  let sink: Sink | undefined
  return async (bytes) => {
    sink ??= stream.writer()
    await sink.write(bytes)
    await sink.flush()
  }
}
