import { type ProcessStdio, processStdio } from "../node/stdio.ts"

/** What we use of Bun's own streams. */
interface BunStreams {
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
  const { stdin, stdout, stderr } = (globalThis as unknown as { Bun: BunStreams }).Bun
  return processStdio({ stdin: () => stdin.stream(), stdout: writeTo(stdout), stderr: writeTo(stderr) })
}

function writeTo(stream: { writer(): Sink }): (bytes: Uint8Array) => Promise<void> {
  let sink: Sink | undefined
  return async (bytes) => {
    sink ??= stream.writer()
    await sink.write(bytes)
    await sink.flush()
  }
}
