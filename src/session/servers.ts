import { Inbox } from "../agent/inbox.ts"
import type { Configured } from "../mcp/config.ts"
import type { ConnectNeeds } from "../mcp/needs.ts"
import type { ElicitReply } from "../mcp/requests.ts"
import { Servers } from "../mcp/servers.ts"
import type { Runtime } from "../runtime.ts"
import { cutEnd } from "../text/truncate.ts"
import { childEnvironment } from "../workspace/environment.ts"
import { type Machine, machineOf } from "../workspace/machine.ts"

/** Characters of what a server says of itself; it is in every request from then on. */
const LONGEST_INSTRUCTIONS = 2_000

/** The MCP servers that a session is opened with. */
export interface ServersParams {
  readonly configured: Configured
  /** Ours. */
  readonly version: string
  /** How long a call may take, in milliseconds, if the user has said. */
  readonly timeoutMs?: number
  readonly login?: NonNullable<ConnectNeeds["login"]>
}

/** What servers need of the session. */
export interface ServersTies {
  elicit(params: object, signal: AbortSignal): Promise<ElicitReply | undefined>
  tell(event: { type: "elicited"; elicitationId: string }): void
  /** Clients are told how they stand now, or what their prompts add to the commands. */
  announce(changed: "servers" | "commands"): void
  /** The user is told, as soon as that can be. */
  remark(text: string): void
}

const NONE: ServersParams = { configured: { servers: [], wrong: [] }, version: "" }

/** The servers of a session. They share nothing with those of another. */
export function serversOf(
  { cwd, roots, servers = NONE }: { cwd: string; roots: readonly string[]; servers?: ServersParams | undefined },
  { runtime, machine }: { runtime: Runtime; machine: Machine },
  ties: ServersTies,
  inbox: Inbox,
): Servers {
  const { processes, system } = runtime
  const { configured, ...more } = servers
  return new Servers(configured, {
    ...more,
    place: { processes, clock: machine.clock, cwd, os: system.os },
    clock: machine.clock,
    fetch: runtime.fetch,
    env: async () => childEnvironment(system.env(), await machine.path()),
    roots: () => roots,
    async elicit(params, signal) {
      const reply = await ties.elicit(params, signal)
      const { mode, url, message } = params as { mode?: unknown; url?: unknown; message?: unknown }
      if (!reply && mode === "url") ties.remark(`${String(message)}\nIt wants you to open ${String(url)}`)
      return reply
    },
    completed: (elicitationId) => ties.tell({ type: "elicited", elicitationId }),
    changed: () => ties.announce("servers"),
    prompted: () => ties.announce("commands"),
    instructs(words, name) {
      const told = cutEnd(words.trim(), LONGEST_INSTRUCTIONS)
      const from = `The MCP server "${name}" says how it is used; its authors have written that, not the user:`
      inbox.remind(`instructions of server ${name}`, `${from}\n${told}`)
    },
    failed(words, name) {
      ties.remark(words)
      inbox.remind(`server ${name}`, `${words} Its tools can't be used now.`)
    },
  })
}

/** Servers without a session, to see whether they start. */
export function aloneServers(servers: ServersParams, runtime: Runtime): Servers {
  const { cwd } = runtime.system
  const alone = { elicit: async () => undefined, tell() {}, announce() {}, remark() {} }
  return serversOf({ cwd, roots: [cwd], servers }, { runtime, machine: machineOf(runtime) }, alone, new Inbox())
}
