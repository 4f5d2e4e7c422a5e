import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { CallContext, Outcome, Tool } from "../../src/agent/tool.ts"
import { type Clock, systemClock } from "../../src/clock.ts"
import { fromClient } from "../../src/mcp/config.ts"
import type { ElicitReply } from "../../src/mcp/requests.ts"
import { Servers } from "../../src/mcp/servers.ts"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"
import { never } from "../support/scripted.ts"

const ROOT: string = join(import.meta.dirname, "../..")
/** Servers run on Node, whatever the tests run on. */
export const NODE: string = join(ROOT, "node_modules/node/bin/node")

/** An entry of `mcpServers` for the small server of these tests. */
export function program(name: string, mode = "good", ...more: string[]): object {
  return { name, command: NODE, args: [join(import.meta.dirname, "server.program.ts"), mode, ...more], env: [] }
}

export interface Place {
  servers: Servers
  cwd: string
  /** What was said of servers that are not there. */
  failures: string[]
  /** How all stood, each time that something was new. */
  story: string[]
  /** Resolves when the story has such a line; only lines after `from` count. */
  until(line: string, from?: number): Promise<void>
  tool(name: string): Tool
  call(name: string, input?: unknown, context?: Partial<CallContext>): Promise<Outcome>
}

/** The servers of a session without the session; they end with the test. */
export async function serversWith(
  entries: readonly object[],
  more: { timeoutMs?: number; elicit?: () => Promise<ElicitReply | undefined>; clock?: Clock } = {},
): Promise<Place> {
  const runtime = testRuntime()
  const { clock = systemClock } = more
  const cwd = await temporaryFolder()
  const failures: string[] = []
  const story: string[] = []
  let stir = Promise.withResolvers<void>()
  const { PATH = "" } = runtime.system.env()
  const servers = new Servers(fromClient(entries), {
    place: { processes: runtime.processes, clock, cwd, os: runtime.system.os },
    clock,
    fetch: runtime.fetch,
    env: async () => ({ PATH }),
    version: "1.2.3",
    roots: () => [cwd],
    elicit: more.elicit ?? (async () => undefined),
    ...(more.timeoutMs !== undefined && { timeoutMs: more.timeoutMs }),
    changed() {
      story.push(lineOf(servers))
      stir.resolve()
      stir = Promise.withResolvers()
    },
    completed() {},
    prompted() {},
    instructs() {},
    failed: (words) => void failures.push(words),
  })
  onTestFinished(() => servers.close())
  const tool = (name: string) => {
    const found = servers.tools.find((tool) => tool.name === name)
    if (!found) throw new Error(`There is no ${name} among ${servers.tools.map(({ name }) => name).join(", ")}`)
    return found
  }
  return {
    servers,
    cwd,
    failures,
    story,
    tool,
    async until(line, from = 0) {
      while (!story.slice(from).includes(line)) await stir.promise
    },
    async call(name, input = {}, context = {}) {
      const action = await tool(name).prepare(input, never)
      return await action.run({ call: { id: "1", name, input }, signal: never, report: () => {}, ...context })
    },
  }
}

function lineOf({ state }: Servers): string {
  return state.servers
    .map(({ name, status, tools }) => `${name} ${status}${tools === undefined ? "" : ` ${tools}`}`)
    .join(", ")
}

/** What a server has written down. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look into it
export async function notes(path: string): Promise<any[]> {
  const text = await readFile(path, "utf8").catch(() => "")
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

export async function untilTrue(look: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 10))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
