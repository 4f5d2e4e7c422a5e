import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"
import { ROOT } from "../../build/run.ts"
import type { Loose } from "./koda.ts"

/** A server of the suite, and what a user of it would know beforehand. */
export interface Scenario {
  scenario: string
  url: string
  context: Loose
}

/** As many at once; more would be no quicker. */
const SIDE_BY_SIDE = 3
const NODE = join(ROOT, "node_modules/node/bin/node")
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

/** Runs all scenarios of the conformance suite against a client. Answers with what the suite found wrong in each. */
export async function faultsOf(client: (scenario: Scenario) => Promise<void>): Promise<Record<string, string[]>> {
  const results = await mkdtemp(join(tmpdir(), "koda-conformance-"))
  onTestFinished(() => rm(results, { recursive: true, force: true }))
  const broken: Record<string, string[]> = {}
  const port = await listen((given) =>
    client(given).catch((error: Error) => {
      broken[given.scenario] = [error.message]
    }),
  )
  const command = `${NODE} ${join(import.meta.dirname, "conformance.program.ts")} ${port}`
  const args = [SUITE, "client", "--command", command, "--suite", "all", "--timeout", "240000", "--output-dir", results]
  await new Promise<void>((resolve) => {
    const suite = execFile(NODE, args, { cwd: results, maxBuffer: 64_000_000 }, () => resolve())
    onTestFinished(() => void suite.kill("SIGKILL"))
  })
  const faults: Record<string, string[]> = {}
  for (const path of (await readdir(results, { recursive: true })).filter((path) => path.endsWith("checks.json"))) {
    const scenario = path.replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, "")
    const wrong = wrongIn(JSON.parse(await readFile(join(results, path), "utf8")))
    faults[scenario] = [...(broken[scenario] ?? []), ...wrong]
  }
  return faults
}

/** The clock of a busy machine may be late, but never early. */
function wrongIn(checks: Loose[]): string[] {
  if (!checks.some(({ status }) => status === "SUCCESS")) return ["nothing was right"]
  return checks.flatMap(({ id, status, description, errorMessage, details }) => {
    const isWrong = status === "FAILURE" || status === "WARNING"
    const isOnlyLate = id === "client-sse-retry-timing" && details.actualDelayMs >= details.minAcceptableMs
    return isWrong && !isOnlyLate ? [errorMessage ?? description] : []
  })
}

/** Each connection is a scenario, and is closed when the client is done with it. */
async function listen(client: (scenario: Scenario) => Promise<void>): Promise<number> {
  const waiting: (() => Promise<void>)[] = []
  let running = 0
  const next = () => {
    const run = running < SIDE_BY_SIDE ? waiting.shift() : undefined
    if (!run) return
    running++
    void run().finally(() => {
      running--
      next()
    })
  }
  const server = createServer((socket) => {
    socket.on("error", () => {}) // the suite has ended
    createInterface(socket).once("line", (line) => {
      waiting.push(() => client(JSON.parse(line)).finally(() => socket.end()))
      next()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
