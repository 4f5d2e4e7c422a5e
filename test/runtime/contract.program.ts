import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bunRuntime } from "../../runtime/bun/runtime.ts"
import { bunStdio } from "../../runtime/bun/stdio.ts"
import { denoRuntime } from "../../runtime/deno/runtime.ts"
import { denoStdio } from "../../runtime/deno/stdio.ts"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { processStdio } from "../../runtime/node/stdio.ts"
import { runtimeContract } from "./contract.ts"
import { SCENARIOS } from "./scenarios.ts"

// Plays a scenario that a test watches from outside; without one it is the contract itself, where no test runner can be.
const stdio = "Deno" in globalThis ? denoStdio() : "Bun" in globalThis ? bunStdio() : processStdio()
const runtime =
  "Deno" in globalThis ? denoRuntime(stdio) : "Bun" in globalThis ? bunRuntime(stdio) : nodeRuntime("node", stdio)
const [scenario] = runtime.system.args
if (scenario === undefined) await runContract()
else {
  stdio.guard() // as the entry points do
  await SCENARIOS[scenario]!(runtime)
}

async function runContract(): Promise<void> {
  const tests: { title: string; body(folder: string): Promise<void> }[] = []
  runtimeContract({
    runtime,
    program: [process.execPath],
    test: (title, body) => void tests.push({ title, body }),
  })
  let failed = 0
  for (const { title, body } of tests) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "koda-contract-")))
    try {
      await body(folder)
    } catch (error) {
      failed++
      console.log(`FAILED ${title}\n${error instanceof Error ? error.stack : error}`)
    }
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`${tests.length - failed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
