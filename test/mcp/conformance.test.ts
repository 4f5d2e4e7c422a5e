import { execFile } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { inPackages, NODE } from "./servers.ts"

/**
 * What the suite asks of clients. Left out: `auth/basic-cimd`, which needs a document that somebody hosts, and what only
 * extensions of the protocol have (client credentials, access across applications).
 */
const SCENARIOS = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
]

const PROGRAM = join(import.meta.dirname, "conformance.program.ts")
const COMMAND =
  "Deno" in globalThis
    ? `${process.execPath} run -A ${PROGRAM}`
    : "Bun" in globalThis
      ? `${process.execPath} ${PROGRAM}`
      : `${NODE} ${PROGRAM}`

test.each(SCENARIOS)("MC-11 the conformance suite is content: %s", async (scenario) => {
  const { code, output } = await suite("client", "--command", COMMAND, "--scenario", scenario)
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" })
})

function suite(...args: string[]): Promise<{ code: number; output: string }> {
  const program = inPackages("@modelcontextprotocol/conformance/dist/index.js")
  return new Promise((resolve) => {
    execFile(NODE, [program, ...args], { maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? 1 : 0, output: `${stdout}\n${stderr}` })
    })
  })
}
