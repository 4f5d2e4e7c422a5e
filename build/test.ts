import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compile, HOST_BINARY } from "./binary.ts"
import { check } from "./check.ts"
import { run, secondsSince } from "./run.ts"

interface Tally {
  passed: number
  failed: number
}

/** The same unit tests and contract on each, and then what was built, driven from outside. */
const SUITES: readonly { name: string; command: readonly [string, ...string[]]; config?: string }[] = [
  { name: "Node 24", command: ["node"] },
  { name: "Node 22.13", command: ["node_modules/node-min/bin/node"] },
  { name: "Bun", command: ["bun", "--bun"] },
  { name: "Deno", command: ["deno", "run", "-A"] },
  { name: "end to end", command: ["node"], config: "vitest.end-to-end.config.ts" },
]

if (import.meta.main) {
  const begin = performance.now()
  const folder = await mkdtemp(join(tmpdir(), "koda-test-"))
  const { passed, failed } = await testAll(folder).finally(() => rm(folder, { recursive: true, force: true }))
  console.log(`\nAll of it took ${secondsSince(begin)}`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** Builds, checks and tests all there is, one after another. Goes on after a failure, so that all of them are seen. */
async function testAll(folder: string): Promise<Tally> {
  const tallies = [
    await timed("checks", () => check()),
    await timed("binary", () => asOne(compile("runtime/bun/main.ts", HOST_BINARY))),
    await timed("contract in the binary", () => contractInBinary(folder)),
  ]
  for (const { name, command, config } of SUITES) {
    tallies.push(await timed(name, () => vitest(command, config, join(folder, `${name}.json`))))
  }
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failed: tallies.reduce((sum, tally) => sum + tally.failed, 0),
  }
}

async function timed(name: string, work: () => Promise<Tally>): Promise<Tally> {
  const begin = performance.now()
  console.log(`\n── ${name}`)
  const { passed, failed } = await work()
  console.log(`── ${name}: ${passed} passed, ${failed} failed, ${secondsSince(begin)}`)
  return { passed, failed }
}

/** A suite that found nothing to run, or broke outside of its tests, has failed. */
async function vitest(
  command: readonly [string, ...string[]],
  config: string | undefined,
  report: string,
): Promise<Tally> {
  const options = [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...(config ? ["--config", config] : []),
  ]
  const { code } = await run([...command, "node_modules/vitest/vitest.mjs", "run", ...options], { show: true })
  const text = await readFile(report, "utf8").catch(() => "{}")
  const { numPassedTests: passed = 0, numFailedTests = 0 } = JSON.parse(text) as {
    numPassedTests?: number
    numFailedTests?: number
  }
  return { passed, failed: numFailedTests || (code !== 0 || passed === 0 ? 1 : 0) }
}

/** vitest can't run inside a compiled program, so the contract brings a small one of its own. It prints a tally last. */
async function contractInBinary(folder: string): Promise<Tally> {
  const program = join(folder, "contract")
  const built = await asOne(compile("test/runtime/contract.program.ts", program))
  if (built.failed > 0) return built
  const { code, output } = await run([program])
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? []
  const tally = { passed: Number(passed), failed: Number(failed) || (code !== 0 || passed === "0" ? 1 : 0) }
  if (tally.failed > 0) console.log(output)
  return tally
}

async function asOne(work: Promise<void>): Promise<Tally> {
  try {
    await work
    return { passed: 1, failed: 0 }
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1 }
  }
}
