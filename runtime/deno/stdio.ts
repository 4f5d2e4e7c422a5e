import { type ProcessStdio, processStdio } from "../node/stdio.ts"

interface DenoStream {
  write(bytes: Uint8Array): Promise<number>
}

/** Deno's `process.stdout` holds up the whole process while nobody reads; its own streams don't. */
export function denoStdio(): ProcessStdio {
  const { Deno } = globalThis as unknown as { Deno: { stdout: DenoStream; stderr: DenoStream } }
  return processStdio({
    stdout: (bytes) => writeAll(Deno.stdout, bytes),
    stderr: (bytes) => writeAll(Deno.stderr, bytes),
  })
}

async function writeAll(stream: DenoStream, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += await stream.write(bytes.subarray(at))
}
