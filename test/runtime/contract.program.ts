import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bunRuntime } from "../../runtime/bun/runtime.ts"
import { denoRuntime } from "../../runtime/deno/runtime.ts"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { runtimeContract } from "./contract.ts"
import { SCENARIOS } from "./scenarios.ts"

// Plays a scenario that a test watches from outside; without one it is the contract itself, where no test runner can be.
const runtime = "Deno" in globalThis ? denoRuntime() : "Bun" in globalThis ? bunRuntime() : nodeRuntime()
const [scenario] = runtime.system.args
if (scenario === undefined) await runContract()
else await SCENARIOS[scenario]!(runtime)

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
