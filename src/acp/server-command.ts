import type { ServerState } from "../mcp/server.ts"
import { lackWords } from "../mcp/servers.ts"
import type { Session } from "../session/session.ts"
import type { Core } from "./core.ts"
import { loginsOf } from "./mcp-servers.ts"

interface Asked {
  readonly core: Core
  readonly session: Session
  /** What follows `/mcp`. */
  readonly rest: string
  readonly signal: AbortSignal
}

/** `/mcp`: shows the servers, logs in to them, and starts them again. Answers in words for the user. */
export async function serverCommand({ core, session, rest, signal }: Asked): Promise<string> {
  const { servers } = session.parts
  const { does, name: given, address } = wordsIn(rest)
  if (does === undefined) return listOf(session)
  const name = given ?? onlyWanting(session)
  const remote = name === undefined ? undefined : servers.remote(name)
  if (name === undefined || !servers.names.includes(name)) {
    const why = name === undefined ? "Say which server." : `There is no server "${name}".`
    return `${why} \`/mcp ${does} SERVER\`: ${servers.names.map((one) => `\`${one}\``).join(", ") || "there are none"}.`
  }
  if (does !== "restart" && !remote) return `"${name}" is a program, and wants no login.`
  if (remote && does === "login" && address !== undefined) {
    const failed = await loginsOf(core)
      .finish(remote.url, address, signal, remote.client)
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
    signal.throwIfAborted()
    if (failed !== undefined) return `That did not work: ${failed}. \`/mcp login ${name}\` begins the login again.`
  }
  if (remote && does === "logout") await loginsOf(core).forget(remote.url)
  await servers.restart(name, signal)
  const state = servers.state.servers.find((server) => server.name === name)
  return state ? row(state) : listOf(session)
}

/** `login SERVER ADDRESS`, where a server's name may have spaces, and either may be missing. */
function wordsIn(rest: string): { does?: "login" | "logout" | "restart"; name?: string; address?: string } {
  const [, does, more = ""] = /^(login|logout|restart)(?:\s+([\s\S]*))?$/.exec(rest.trim()) ?? []
  if (does === undefined) return {}
  const [, before, address] = /^(?:([\s\S]*?)\s+)?["'`<]?(https?:\/\/[^\s>"'`]+)["'`>]?$/.exec(more.trim()) ?? [
    undefined,
    more.trim(),
  ]
  return {
    does: does as "login" | "logout" | "restart",
    ...(before && { name: before.replace(/^(["'`])(.*)\1$/, "$2") }),
    ...(address !== undefined && { address }),
  }
}

function onlyWanting({ parts: { servers } }: Session): string | undefined {
  const wanting = servers.state.servers.filter(({ status }) => status === "needs_login")
  return wanting.length === 1 ? wanting[0]?.name : undefined
}

function listOf({ parts: { servers } }: Session): string {
  const rows = servers.state.servers.map((server) => `- ${row(server)}`)
  if (rows.length === 0) return 'There are no MCP servers. Settings name them ("mcpServers"), and so may your editor.'
  return ["These are the MCP servers:", "", ...rows].join("\n")
}

function row(server: ServerState): string {
  const { name, status, tools } = server
  const more = status === "connected" ? tools !== undefined && `${tools} tools` : lackWords(server)
  return `\`${name}\` ${status.replace("_", " ")}${more ? `: ${more}` : ""}`
}
