import type { Json, JsonObject } from "../text/jsonc.ts"
import { meant } from "../text/similar.ts"
import { UsageError } from "./args.ts"

/** What `koda mcp` is asked to do. */
export interface McpAsked {
  readonly does: (typeof ACTIONS)[number]
  readonly words: readonly string[]
  readonly json: boolean
  /** Where the settings are changed. */
  readonly scope: "home" | "workspace"
  readonly options: JsonObject
}

export const ACTIONS = ["list", "add", "remove", "test", "login", "logout"] as const

/** Reads what follows `koda mcp`. What stands behind `--` is the server's command, as it is. */
export function mcpAsked(all: readonly string[]): McpAsked {
  const end = all.indexOf("--")
  const ours = end < 0 ? all : all.slice(0, end)
  const words: string[] = []
  const env: { [name: string]: Json } = {}
  const headers: { [name: string]: Json } = {}
  const options: { [name: string]: Json } = {}
  let json = false
  let scope: McpAsked["scope"] = "home"
  for (let at = 0; at < ours.length; at++) {
    const word = ours[at] as string
    const value = () => ours[++at] ?? missing(word)
    if (!word.startsWith("-")) words.push(word)
    else if (word === "--json") json = true
    else if (word === "--workspace") scope = "workspace"
    else if (word === "--trust") options["trust"] = true
    else if (word === "--type") options["type"] = oneOf(value(), ["http", "sse"])
    else if (word === "--timeout") options["timeout"] = count(value())
    else if (word === "--env") Object.assign(env, pair(value(), "=", "--env NAME=VALUE"))
    else if (word === "--header") Object.assign(headers, pair(value(), ":", '--header "NAME: VALUE"'))
    else throw new UsageError(`There is no option "${word}" of \`koda mcp\``)
  }
  const [does = "list", ...rest] = words
  const action = ACTIONS.find((one) => one === does)
  if (!action) throw new UsageError(`There is no "koda mcp ${does}"${meant(does, ACTIONS)}`)
  const command = end < 0 ? [] : all.slice(end + 1)
  return {
    does: action,
    words: [...rest, ...command],
    json,
    scope,
    options: {
      ...options,
      ...(Object.keys(env).length > 0 && { env }),
      ...(Object.keys(headers).length > 0 && { headers }),
    },
  }
}

/** The entry of `mcpServers` that `koda mcp add` writes. */
export function newEntry({ words, options }: McpAsked): { name: string; entry: JsonObject } {
  const [name, target, ...args] = words
  if (name === undefined || target === undefined) {
    throw new UsageError("koda mcp add NAME URL, or koda mcp add NAME -- COMMAND ARGUMENTS…")
  }
  if (/^https?:\/\//i.test(target)) {
    if (args.length > 0) throw new UsageError(`"${args[0]}" is one word too many`)
    return { name, entry: { url: target, ...options } }
  }
  return { name, entry: { command: target, ...(args.length > 0 && { args }), ...options } }
}

function missing(option: string): never {
  throw new UsageError(`${option} needs a value`)
}

function oneOf(value: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value
  throw new UsageError(`--type is one of ${choices.join(", ")}, not "${value}"`)
}

function count(value: string): number {
  const number = Number(value)
  if (Number.isInteger(number) && number > 0) return number
  throw new UsageError(`--timeout is a number of milliseconds, not "${value}"`)
}

/** Never repeats the value: it may be a key. */
function pair(text: string, sign: string, form: string): { [name: string]: Json } {
  const at = text.indexOf(sign)
  if (at <= 0) throw new UsageError(`write ${form}`)
  return { [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
}
