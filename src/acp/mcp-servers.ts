import { type Configured, fromClient, fromSettings, type ServerConfig } from "../mcp/config.ts"
import { createLogins, type Logins } from "../mcp/logins.ts"
import type { ServersParams } from "../session/servers.ts"
import type { Settings } from "../settings/keys.ts"
import type { SettingsRead } from "../settings/settings.ts"
import { VERSION } from "../version.ts"
import type { Core } from "./core.ts"
import type { Servers } from "./mcp-state.ts"

/** The servers of a session: the client's, and those of the settings whose names the client has not used. */
export function serversFor(core: Core, { settings, own }: SettingsRead, asked: Servers = []): ServersParams {
  const theirs = fromClient(asked)
  const ours = settingsServers(core, settings.mcpServers, own.mcpServers)
  const isTaken = (name: string) => theirs.servers.some((server) => server.name === name)
  return {
    configured: {
      servers: [...theirs.servers, ...ours.servers.filter(({ name }) => !isTaken(name))],
      wrong: [...theirs.wrong, ...ours.wrong.filter(({ name }) => !isTaken(name))],
    },
    version: VERSION,
    login: (url, client) => loginsOf(core).loginFor(url, client),
    ...(settings.mcpTimeoutMs !== undefined && { timeoutMs: settings.mcpTimeoutMs }),
  }
}

/** The user's logins to MCP servers, for all front ends. */
export function loginsOf({ home, runtime }: Pick<Core, "home" | "runtime">): Logins {
  return createLogins(runtime, `${home}/mcp_logins.json`)
}

/** `${NAME}` stands for a variable in the user's own settings only: a workspace's would send what it likes where it likes. */
function settingsServers(
  { runtime: { system } }: Core,
  all: Settings["mcpServers"],
  own: Settings["mcpServers"],
): Configured {
  const servers: ServerConfig[] = []
  const wrong: { name: string; error: string }[] = []
  for (const [name, entry] of Object.entries(all)) {
    const isOwn = JSON.stringify(own[name]) === JSON.stringify(entry)
    const server = fromSettings(name, entry, { env: isOwn ? system.env() : undefined })
    if (typeof server === "string") wrong.push({ name, error: server })
    else if (server) servers.push(server)
  }
  return { servers, wrong }
}
