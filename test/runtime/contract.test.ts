import { fileURLToPath } from "node:url"
import { test } from "vitest"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"
import { runtimeContract } from "./contract.ts"

const runtime = testRuntime()
const program = fileURLToPath(new URL("contract.program.ts", import.meta.url))
const FLAGS = { node: ["--experimental-strip-types"], bun: [], deno: ["run", "-A"] }

runtimeContract({
  runtime,
  program: [process.execPath, ...FLAGS[runtime.name], program],
  test: (title, body) => test(title, async () => body(await temporaryFolder()), 60_000),
})
