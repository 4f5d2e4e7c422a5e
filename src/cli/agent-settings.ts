import type { SubagentValues } from "../subagents/settings.ts"
import { meant } from "../text/similar.ts"
import { UsageError } from "./args.ts"

type Key = keyof SubagentValues

/** How the value of each setting is written on a command line. */
const FORMS: Readonly<Record<Key, "true|false" | "NUMBER" | "TEXT|null" | "NAME,NAME|null" | "NAME,NAME">> = {
  enabled: "true|false",
  maxConcurrent: "NUMBER",
  allowParentToContinue: "true|false",
  model: "TEXT|null",
  reasoningEffort: "TEXT|null",
  tools: "NAME,NAME|null",
  disabledAgentNames: "NAME,NAME",
}

/** The settings that words such as `maxConcurrent=3` name. */
export function settingsFrom(words: readonly string[]): Partial<SubagentValues> {
  return Object.fromEntries(words.map(settingFrom))
}

/** The settings in such words, one a line: what is printed can be given back. */
export function settingsLines(values: SubagentValues): string {
  const keys = Object.keys(FORMS) as Key[]
  return keys.map((key) => `${key}=${Array.isArray(values[key]) ? values[key].join(",") : values[key]}`).join("\n")
}

function settingFrom(word: string): [Key, unknown] {
  const [, key = word, text] = /^([^=]*)=(.*)$/s.exec(word) ?? []
  if (!isKey(key)) throw new UsageError(`There is no setting "${key}"${meant(key, Object.keys(FORMS))}`)
  const form = FORMS[key]
  const value = text === undefined ? undefined : valueIn(text, form)
  if (value === undefined) throw new UsageError(`A setting is given as ${key}=${form}, not "${word}"`)
  return [key, value]
}

function valueIn(text: string, form: (typeof FORMS)[Key]): unknown {
  if (text === "null" && form.endsWith("|null")) return null
  switch (form) {
    case "true|false":
      return text === "true" || text === "false" ? text === "true" : undefined
    case "NUMBER":
      return /^\d+$/.test(text) ? Number(text) : undefined
    case "TEXT|null":
      return text === "" ? undefined : text
    case "NAME,NAME|null":
    case "NAME,NAME":
      return text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
  }
}

function isKey(key: string): key is Key {
  return Object.hasOwn(FORMS, key)
}
