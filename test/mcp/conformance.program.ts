/** A client as the conformance suite runs it: connects to the server of its last argument, and calls each tool. */
import { bunRuntime } from "../../runtime/bun/runtime.ts"
import { denoRuntime } from "../../runtime/deno/runtime.ts"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { systemClock } from "../../src/clock.ts"
import { fromClient } from "../../src/mcp/config.ts"
import { createLogins } from "../../src/mcp/logins.ts"
import { Servers } from "../../src/mcp/servers.ts"

const runtime = "Deno" in globalThis ? denoRuntime() : "Bun" in globalThis ? bunRuntime() : nodeRuntime()
const url = process.argv.at(-1) as string
const signal = new AbortController().signal
const logins = createLogins(runtime, `${runtime.system.temp}/koda-conformance-${process.pid}.json`)

const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
const client = context.client_id && { clientId: context.client_id, clientSecret: context.client_secret }

function open(): Servers {
  return new Servers(fromClient([{ name: "c", type: "http", url }]), {
    place: { processes: runtime.processes, clock: systemClock, cwd: runtime.system.cwd, os: runtime.system.os },
    clock: systemClock,
    fetch: runtime.fetch,
    env: async () => ({}),
    version: "0.0.0",
    roots: () => [runtime.system.cwd],
    elicit: async () => ({ action: "accept", content: {} }),
    changed() {},
    completed() {},
    prompted() {},
    failed: (words) => console.error(words),
    login: (to) => logins.loginFor(to, client),
  })
}

/** The user who opens what is shown, and brings back the address at which the browser ends. */
async function logIn(shown: string): Promise<void> {
  const answer = await fetch(shown, { redirect: "manual" })
  await logins.finish(url, answer.headers.get("location") ?? "", signal, client)
}

let servers = open()

/** Logs in wherever that is asked for. False if nothing asks for it. */
async function loggedIn(): Promise<boolean> {
  const { loginUrl } = servers.state.servers[0] ?? {}
  if (loginUrl === undefined) return false
  await logIn(loginUrl)
  return true
}

for (let round = 0; round < 3; round++) {
  await servers.started()
  if (!(await loggedIn())) break
  await servers.close()
  servers = open()
}
for (const tool of servers.tools) {
  const input = tool.name.endsWith("add_numbers") ? { a: 5, b: 3 } : {}
  const call = async () => {
    const action = await tool.prepare(input, signal)
    return await action.run({ call: { id: "1", name: tool.name, input }, signal, report() {} })
  }
  for (let round = 0; round < 3; round++) {
    const done = await call().catch((error: Error) => console.error(error.message))
    if (done || !(await loggedIn())) break
  }
}
await servers.close()
await runtime.files.remove(`${runtime.system.temp}/koda-conformance-${process.pid}.json`)
process.exit(0)
