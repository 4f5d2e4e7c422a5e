import * as v from "valibot"
import type { McpServerSettings } from "../settings/keys.ts"
import { expectedInWords } from "../text/expected.ts"
import { type OwnClient, ownClientIn } from "./own-client.ts"

/** How a server is reached, whoever named it. */
export interface ServerConfig {
  readonly name: string
  readonly reach:
    | {
        readonly type: "stdio"
        readonly command: string
        readonly args: readonly string[]
        readonly env: Strings
        readonly cwd?: string
      }
    | {
        readonly type: "http" | "sse" | "either"
        readonly url: string
        readonly headers: Strings
        readonly client?: OwnClient
      }
  /** The user's settings say that its tools need no question. */
  readonly trusted: boolean
  /** How long a call may take, in milliseconds, if the user has said. */
  readonly timeoutMs?: number
  /** Undefined: all. */
  readonly includeTools?: readonly string[]
  readonly excludeTools: readonly string[]
}

type Strings = Readonly<Record<string, string>>

/** Servers that can be started, and what is wrong with those that can't. */
export interface Configured {
  readonly servers: readonly ServerConfig[]
  readonly wrong: readonly { name: string; error: string }[]
}

const VALUE = v.pipe(
  v.union([v.string(), v.number(), v.boolean()]),
  v.transform((value) => String(value)),
)
/** Variables and headers: the standard's list of pairs, or an object as settings write it. */
const PAIRS = v.pipe(
  v.nullish(
    v.union([v.array(v.looseObject({ name: v.string(), value: v.nullish(VALUE, "") })), v.record(v.string(), VALUE)]),
  ),
  v.transform((pairs): Strings => {
    return Array.isArray(pairs) ? Object.fromEntries(pairs.map(({ name, value }) => [name, value])) : (pairs ?? {})
  }),
)
const ENTRY = v.looseObject({
  name: v.nullish(v.string(), ""),
  type: v.nullish(v.string()),
  command: v.nullish(v.string()),
  args: v.nullish(v.array(VALUE), []),
  env: PAIRS,
  url: v.nullish(v.string()),
  httpUrl: v.nullish(v.string()),
  headers: PAIRS,
})

/** Servers as clients send them, in any of the shapes in which they do. A bad entry spoils no other. */
export function fromClient(entries: readonly unknown[]): Configured {
  const servers: ServerConfig[] = []
  const wrong: { name: string; error: string }[] = []
  for (const [at, entry] of entries.entries()) {
    const given = nameIn(entry)
    const name = given === "" ? `server ${at + 1}` : given
    const { success, output, issues } = v.safeParse(ENTRY, entry)
    if (!success) {
      wrong.push({ name, error: `Its entry can't be read: ${issues.map(fault).join("; ")}` })
      continue
    }
    const reach = reachOf(output)
    if (typeof reach === "string") wrong.push({ name, error: reach })
    else if (servers.some((server) => server.name === name))
      wrong.push({ name, error: `Another server is called "${name}", too; only the first is used` })
    else servers.push({ name, reach, trusted: false, excludeTools: [] })
  }
  return { servers, wrong }
}

/** Whose words a server's settings are, and what the user's may refer to. */
export interface Source {
  /** Undefined where `${NAME}` must not be filled in: the words are not the user's own. */
  readonly env: Strings | undefined
}

/** A server of the settings. Undefined if it is turned off; a text says what is wrong. */
export function fromSettings(
  name: string,
  settings: McpServerSettings,
  { env }: Source,
): ServerConfig | string | undefined {
  if (settings.disabled) return undefined
  const missing = new Set<string>()
  const filled = (text: string) => (env ? fill(text, env, missing) : text)
  const each = <Value>(values: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? filled(value) : value]),
    ) as Record<string, Value>
  const reach = reachOf({
    ...settings,
    args: [...(settings.args ?? [])],
    env: each(settings.env),
    headers: each(settings.headers),
    oauth: isObject(settings["oauth"]) ? each(settings["oauth"]) : undefined,
  })
  if (typeof reach === "string") return reach
  if (missing.size > 0) return `The environment has no ${[...missing].join(", ")}`
  const { trust, timeout, includeTools, excludeTools = [] } = settings
  return {
    name,
    reach,
    trusted: trust === true,
    excludeTools,
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(includeTools && { includeTools }),
  }
}

interface Parts {
  type?: string | null | undefined
  command?: string | null | undefined
  args?: readonly string[] | null | undefined
  env?: Strings | undefined
  cwd?: string | undefined
  url?: string | null | undefined
  httpUrl?: string | null | undefined
  headers?: Strings | undefined
  oauth?: unknown
}

function reachOf({
  type,
  command,
  args,
  env = {},
  cwd,
  url,
  httpUrl,
  headers = {},
  oauth,
}: Parts): ServerConfig["reach"] | string {
  const kind = type == null ? undefined : KINDS[type.toLowerCase()]
  if (type != null && kind === undefined) return `Its type "${type}" is not known; it can be stdio, http or sse`
  const address = httpUrl ?? url
  if (kind === "stdio" || (kind === undefined && command)) {
    if (!command) return "It has no command"
    return { type: "stdio", command, args: args ?? [], env, ...(cwd !== undefined && { cwd }) }
  }
  if (!address) return kind === undefined ? "It has neither a command nor a url" : "It has no url"
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ""))
    return `Its url "${address}" is no http address`
  const client = ownClientIn(oauth)
  if (typeof client === "string") return client
  return { type: kind ?? (httpUrl ? "http" : "either"), url: address, headers, ...(client && { client }) }
}

const KINDS: Readonly<Record<string, "stdio" | "http" | "sse">> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  "streamable-http": "http",
  streamable_http: "http",
  streamablehttp: "http",
  remote: "http",
  sse: "sse",
}

function fill(text: string, env: Strings, missing: Set<string>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = env[name] ?? otherwise
    if (value === undefined) missing.add(name)
    return value ?? ""
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

function nameIn(entry: unknown): string {
  return isObject(entry) && typeof entry["name"] === "string" ? entry["name"].trim() : ""
}

/** Never the value: it may be a key. */
function fault(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  return `${path ? `"${path}"` : "it"} must be ${issue.expected === null ? "something else" : expectedInWords(issue.expected)}`
}
