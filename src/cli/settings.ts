import type { Runtime } from "../runtime.ts"
import { changeSettings } from "../settings/change.ts"
import { checkSettings, isKey } from "../settings/check.ts"
import { homeSettingsPath, kodaHome, workspaceSettingsPath } from "../settings/home.ts"
import { readSettings } from "../settings/settings.ts"
import { SHAPES } from "../settings/shape.ts"
import type { Json, JsonObject } from "../text/jsonc.ts"
import { isObject } from "../text/jsonc-edit.ts"
import { meant } from "../text/similar.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

const ACTIONS = ["get", "set", "unset", "path", "schema"]

/** `koda settings`: what holds here, and changing it. */
export async function settings(runtime: Runtime, words: readonly string[]): Promise<number> {
  const { files, system } = runtime
  const isOurs = (word: string) => word === "--json" || word === "--workspace"
  const options = words.filter(isOurs)
  const [does = "get", key, ...more] = words.filter((word) => !isOurs(word))
  const home = await kodaHome(system, files)
  const workspace = options.includes("--workspace")
  const path = workspace ? workspaceSettingsPath(system.cwd) : homeSettingsPath(home)
  switch (does) {
    case "get": {
      if (more.length > 0) throw new UsageError(`"${more[0]}" stands after the key; \`koda settings get\` takes one`)
      const read = await readSettings(files, { home, workspace: system.cwd })
      const all = masked(read.settings) as JsonObject
      const value = key === undefined ? all : valueAt(all, known(key))
      const isText = typeof value === "string" && !options.includes("--json")
      await print(runtime, isText ? value : JSON.stringify(value ?? null, null, 2))
      for (const { message } of read.problems) runtime.stdio.log(message)
      if (read.leftOut.length > 0) {
        runtime.stdio.log(`This workspace is not trusted; left out: ${read.leftOut.join(", ")}. See \`koda trust\``)
      }
      return 0
    }
    case "set": {
      if (key === undefined || more.length !== 1) throw new UsageError("`koda settings set` takes a key and a value")
      const value = parsedValue(more[0] as string)
      const names = namesOf(known(key))
      refuseWrong(path, names, value)
      await changeSettings(files, path, (old) => withValue(old, names, value), workspace ? 0o666 : 0o600)
      await print(runtime, `${key} is ${names.some(isSecret) ? "set" : JSON.stringify(value)} in ${path}`)
      return 0
    }
    case "unset": {
      if (key === undefined || more.length > 0) throw new UsageError("`koda settings unset` takes a key")
      await changeSettings(files, path, (old) => withValue(old, namesOf(known(key)), undefined))
      await print(runtime, `${key} is not in ${path} any more`)
      return 0
    }
    case "path":
      await print(runtime, [homeSettingsPath(home), workspaceSettingsPath(system.cwd)].join("\n"))
      return 0
    case "schema": {
      const { settingsSchema } = await import("../settings/schema.ts")
      await print(runtime, JSON.stringify(settingsSchema(), null, 2))
      return 0
    }
    default:
      throw new UsageError(`There is no "koda settings ${does}"${meant(does, ACTIONS)}`)
  }
}

/** The key, if the part before the first dot is one. */
function known(key: string): string {
  const [first = ""] = namesOf(key)
  if (isKey(first)) return key
  throw new UsageError(`There is no setting "${first}"${meant(first, Object.keys(SHAPES))}`)
}

/** `a.b.c`; a name that holds dots is a model's or a host's, and so the last. */
function namesOf(key: string): [string, ...string[]] {
  const [first = "", ...rest] = key.split(".")
  const within = rest.join(".")
  if (within === "") return [first]
  return /^(reasoningEffort|contextWindow)$/.test(first) ? [first, within] : [first, ...rest]
}

function valueAt(all: JsonObject, key: string): Json | undefined {
  return namesOf(key).reduce<Json | undefined>((value, name) => {
    return isObject(value) ? value[name] : undefined
  }, all)
}

/** JSON, or else a text as it is written. */
function parsedValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function withValue(old: JsonObject, [name, ...inner]: readonly string[], value: Json | undefined): JsonObject {
  const { [name as string]: before, ...others } = old
  const [next] = inner
  if (next === undefined) return value === undefined ? others : { ...old, [name as string]: value }
  return { ...old, [name as string]: withValue(isObject(before) ? before : {}, inner, value) }
}

/** What would not be understood is not written. */
function refuseWrong(path: string, names: readonly string[], value: Json): void {
  const { problems } = checkSettings(path, JSON.stringify(withValue({}, names, value)))
  const [wrong] = problems
  if (wrong) throw new UsageError(wrong.message.replace(`${wrong.path}:${wrong.line}: `, ""))
}

function isSecret(name: string): boolean {
  return /^(env|headers|apiKey)$/.test(name)
}

/** Keys are not printed. */
function masked(value: unknown, isKept = false): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one, isKept))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one, isKept || isSecret(name))]))
  }
  return isKept && value !== undefined ? "***" : value
}
