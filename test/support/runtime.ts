import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { bunRuntime } from "../../runtime/bun/runtime.ts"
import { denoRuntime } from "../../runtime/deno/runtime.ts"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import type { Runtime } from "../../src/runtime.ts"

/** The real thing, of the platform the test runs on. */
export function testRuntime(): Runtime {
  if ("Deno" in globalThis) return denoRuntime()
  return "Bun" in globalThis ? bunRuntime() : nodeRuntime()
}

/** An empty folder, gone when the test is over. No link leads to it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "koda-test-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
