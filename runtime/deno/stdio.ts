import { guardStdout } from "../node/guard.ts"
import { type ProcessStdio, processStdio } from "../node/stdio.ts"

/** What we use of Deno's own streams. */
interface DenoStreams {
  stdin: { readonly readable: ReadableStream<Uint8Array> }
  stdout: Writer
  stderr: Writer
}

interface Writer {
  write(bytes: Uint8Array): Promise<number>
}

/** Deno's `process.stdout` holds up the whole process while nobody reads; its own streams don't, and are there sooner. */
export function denoStdio(): ProcessStdio {
  const { stdin, stdout, stderr } = (globalThis as unknown as { Deno: DenoStreams }).Deno
  return processStdio({
    stdin: () => stdin.readable,
    stdout: (bytes) => writeAll(stdout, bytes),
    stderr: (bytes) => writeAll(stderr, bytes),
    guard: guardStdout,
  })
}

async function writeAll(stream: Writer, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += await stream.write(bytes.subarray(at))
}
