import { createCore } from "../acp/core.ts"
import { loginsOf, serversFor } from "../acp/mcp-servers.ts"
import type { Configured, ServerConfig } from "../mcp/config.ts"
import type { OwnClient } from "../mcp/own-client.ts"
import type { Servers } from "../mcp/servers.ts"
import type { Runtime } from "../runtime.ts"
import { aloneServers } from "../session/servers.ts"
import { changeSettings } from "../settings/change.ts"
import { homeSettingsPath, workspaceSettingsPath } from "../settings/home.ts"
import type { SettingsRead } from "../settings/settings.ts"
import type { Json, JsonObject } from "../text/jsonc.ts"
import { meant } from "../text/similar.ts"
import { UsageError } from "./args.ts"
import { type McpAsked, mcpAsked, newEntry } from "./mcp-entry.ts"
import { print } from "./print.ts"

/** What a command comes to: for programs, and for people. */
interface Answer {
  code: number
  value: object
  text: string
}

/** `koda mcp`: the MCP servers of the settings. */
export async function mcp(runtime: Runtime, words: readonly string[]): Promise<number> {
  const asked = mcpAsked(words)
  const core = await createCore(runtime, {})
  try {
    const read = await core.settingsFor(runtime.system.cwd)
    const { code, value, text } = await answerTo(asked, { runtime, core, read })
    await print(runtime, asked.json ? JSON.stringify(value, null, 2) : text)
    return code
  } finally {
    await core.close()
  }
}

interface At {
  runtime: Runtime
  core: Awaited<ReturnType<typeof createCore>>
  read: SettingsRead
}

async function answerTo(asked: McpAsked, at: At): Promise<Answer> {
  switch (asked.does) {
    case "list":
      return list(configured(at), at.read)
    case "add":
      return await add(asked, at)
    case "remove":
      return await remove(asked, at)
    case "test":
      return await test(asked, at)
    case "login":
      return await login(asked, at)
    case "logout": {
      const { url } = await remoteNamed(nameIn(asked), at)
      const forgotten = await loginsOf(at.core).forget(url)
      return { code: 0, value: { forgotten }, text: forgotten ? "The login is forgotten" : "There was no login" }
    }
  }
}

function configured({ core, read }: At): Configured {
  return serversFor(core, read).configured
}

/** Values of variables and headers are never printed: they may be keys. */
function list({ servers, wrong }: Configured, { settings, leftOut }: SettingsRead): Answer {
  const off = Object.entries(settings.mcpServers).flatMap(([name, { disabled }]) => (disabled ? [name] : []))
  const rows = [
    ...servers.map(({ name, reach }) => ({ name, ...shown(reach) })),
    ...wrong.map(({ name, error }) => ({ name, error })),
    ...off.map((name) => ({ name, disabled: true })),
  ]
  const lines = rows.map((row) => {
    if ("error" in row) return [row.name, `can't be used: ${row.error}`]
    if ("disabled" in row) return [row.name, "off"]
    return [row.name, "url" in row ? `${row.url} (${row.type})` : [row.command, ...row.args].join(" ")]
  })
  const note = leftOut.includes("mcpServers")
    ? ["", "This workspace names servers, too, and is not trusted: they are not started."]
    : []
  const none = "There are no MCP servers. `koda mcp add NAME URL` or `koda mcp add NAME -- COMMAND` adds one."
  return {
    code: 0,
    value: { servers: rows },
    text: [...(lines.length > 0 ? table(lines) : [none]), ...note].join("\n"),
  }
}

function shown(reach: ServerConfig["reach"]) {
  if (reach.type === "stdio") return { type: reach.type, command: reach.command, args: reach.args }
  const url = URL.parse(reach.url)
  if (url?.password) url.password = "***"
  for (const name of new Set(url?.searchParams.keys())) url?.searchParams.set(name, "***")
  return { type: reach.type === "either" ? "http or sse" : reach.type, url: url?.href ?? reach.url }
}

async function add(asked: McpAsked, { runtime, core }: At): Promise<Answer> {
  const { name, entry } = newEntry(asked)
  const path = pathOf(asked, core.home, runtime.system.cwd)
  await changeServers(runtime, path, (servers) => {
    if (Object.hasOwn(servers, name))
      throw new Error(`There is a server "${name}" already in ${path}; \`koda mcp remove\` removes it`)
    return { ...servers, [name]: entry }
  })
  return {
    code: 0,
    value: { added: name, path },
    text: `"${name}" is in ${path} now. \`koda mcp test ${/\s/.test(name) ? `"${name}"` : name}\` tries it.`,
  }
}

async function remove(asked: McpAsked, { runtime, core }: At): Promise<Answer> {
  const name = nameIn(asked)
  const path = pathOf(asked, core.home, runtime.system.cwd)
  await changeServers(runtime, path, (servers) => {
    if (!Object.hasOwn(servers, name))
      throw new Error(`There is no server "${name}" in ${path}${meant(name, Object.keys(servers))}`)
    return Object.fromEntries(Object.entries(servers).filter(([one]) => one !== name))
  })
  return { code: 0, value: { removed: name, path }, text: `"${name}" is not in ${path} any more` }
}

/** Starts the servers, or the one that is named, as a session would, and says how that went. */
async function test(asked: McpAsked, at: At): Promise<Answer> {
  const { core, read } = at
  const [only] = asked.words
  const { configured } = serversFor(core, read)
  const isAsked = ({ name }: { name: string }) => only === undefined || name === only
  const these = { servers: configured.servers.filter(isAsked), wrong: configured.wrong.filter(isAsked) }
  if (only !== undefined && these.servers.length + these.wrong.length === 0) {
    const names = [...configured.servers, ...configured.wrong].map(({ name }) => name)
    throw new Error(`The settings have no server "${only}" that is on${meant(only, names)}`)
  }
  return await tried(these, at)
}

async function tried(configured: Configured, { runtime, core, read }: At): Promise<Answer> {
  const stop = new AbortController()
  runtime.system.onStop(() => stop.abort())
  const servers: Servers = aloneServers({ ...serversFor(core, read), configured }, runtime)
  stop.signal.addEventListener("abort", () => void servers.close())
  try {
    await servers.started()
    const { servers: states } = servers.state
    const tools = servers.tools.map(({ name }) => name)
    const rows = states.map(({ name, status, error, loginUrl, tools }) => {
      const more = [tools !== undefined && `${tools} tools`, error, loginUrl].filter(Boolean).join("; ")
      return [name, `${status.replace("_", " ")}${more && `: ${more}`}`]
    })
    const isGood = states.every(({ status }) => status === "connected")
    return {
      code: isGood ? 0 : 1,
      value: { servers: states, tools },
      text: [...table(rows), ...(states.length === 1 ? tools.map((name) => `  ${name}`) : [])].join("\n"),
    }
  } finally {
    await servers.close()
  }
}

/** Without an address it says where to log in; with the one at which the browser ended, the login is done. */
async function login(asked: McpAsked, at: At): Promise<Answer> {
  const [, address] = asked.words
  const { server, url, client } = await remoteNamed(nameIn(asked), at)
  if (address !== undefined) await loginsOf(at.core).finish(url, address, new AbortController().signal, client)
  return await tried({ servers: [server], wrong: [] }, at)
}

/** A server of the settings by its name, or any by its address. */
async function remoteNamed(name: string, at: At): Promise<{ server: ServerConfig; url: string; client?: OwnClient }> {
  const { servers } = configured(at)
  const isUrl = /^https?:\/\//.test(name)
  const other: ServerConfig = {
    name,
    reach: { type: "either", url: name, headers: {} },
    trusted: false,
    excludeTools: [],
  }
  const found = servers.find((one) => one.name === name || ("url" in one.reach && one.reach.url === name))
  const server = found ?? (isUrl ? other : undefined)
  const names = servers.map(({ name }) => name)
  if (!server) throw new Error(`The settings have no server "${name}" that is on${meant(name, names)}`)
  if (server.reach.type === "stdio") throw new Error(`"${name}" is a program, and wants no login`)
  return { server, ...server.reach }
}

async function changeServers(
  { files }: Runtime,
  path: string,
  change: (servers: JsonObject) => JsonObject,
): Promise<void> {
  await changeSettings(files, path, (old) => {
    const servers: Json = old["mcpServers"] ?? {}
    if (typeof servers !== "object" || servers === null || Array.isArray(servers)) {
      throw new Error(`"mcpServers" in ${path} is no object; mend it first`)
    }
    return { ...old, mcpServers: change(servers as JsonObject) }
  })
}

function pathOf({ scope }: McpAsked, home: string, cwd: string): string {
  return scope === "home" ? homeSettingsPath(home) : workspaceSettingsPath(cwd)
}

function nameIn({ does, words }: McpAsked): string {
  const [name] = words
  if (name !== undefined) return name
  throw new UsageError(`koda mcp ${does} NAME: the name is missing`)
}

function table(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([name = ""]) => name.length))
  return rows.map(([name = "", words = ""]) => `${name.padEnd(width)}  ${words}`)
}
