import { createCore } from "../acp/core.ts"
import type { Runtime } from "../runtime.ts"
import type { Definitions } from "../subagents/definitions.ts"
import type { AgentEntry, Found, RoleScope } from "../subagents/found.ts"
import { BUILT_IN } from "../subagents/profiles.ts"
import { createRole, DefinitionError, deleteRole } from "../subagents/role-changes.ts"
import { meant } from "../text/similar.ts"
import { settingsFrom, settingsLines } from "./agent-settings.ts"
import { UsageError } from "./args.ts"
import { print } from "./print.ts"

/** What `koda agents` is asked to do. */
interface Asked {
  does: (typeof ACTIONS)[number]
  words: readonly string[]
  json: boolean
  scope: RoleScope
  description: string | undefined
}

const ACTIONS = ["list", "check", "create", "delete", "settings"] as const

/** `koda agents`: the roles and profiles of this folder, and the settings of subagents. */
export async function agents(runtime: Runtime, words: readonly string[]): Promise<number> {
  const asked = askedBy(words)
  const core = await createCore(runtime, {})
  try {
    await core.catalog.ready(new AbortController().signal)
    const definitions = core.subagentsIn(runtime.system.cwd)
    const { code, value, text } = await answerTo(asked, definitions, (id) => core.catalog.find(id) !== undefined)
    await print(runtime, asked.json ? JSON.stringify(value, null, 2) : text)
    return code
  } catch (error) {
    if (error instanceof DefinitionError) throw new Error(error.message)
    throw error
  } finally {
    await core.close()
  }
}

interface Answer {
  code: number
  /** For programs. */
  value: object
  /** For people. */
  text: string
}

async function answerTo(asked: Asked, definitions: Definitions, hasModel: (id: string) => boolean): Promise<Answer> {
  const found = await definitions.refresh()
  const { agents, errors } = found
  switch (asked.does) {
    case "list":
      return { code: 0, value: { agents, errors, builtIn: BUILT_IN.map(shortly) }, text: listOf(found) }
    case "check": {
      const lost = agents.filter(({ model, scope }) => model !== null && isRole(scope) && !hasModel(model))
      const warnings = lost.map(({ name, model }) => `${name}: the model "${model}" is not available here`)
      const good = errors.length === 0 && warnings.length === 0 ? [`${agents.length} read, nothing is wrong`] : []
      const text = [...errors.map(({ message }) => message), ...warnings, ...good].join("\n")
      return { code: errors.length === 0 ? 0 : 1, value: { errors, warnings }, text }
    }
    case "create": {
      const { scope, description } = asked
      const created = await createRole(definitions, { name: nameIn(asked), scope, description }, never())
      const text = `${pathOf(created.sourceUri)} is made; say in it what the role does`
      return { code: 0, value: { created }, text }
    }
    case "delete": {
      const name = nameIn(asked)
      const file = [...agents, ...errors].find((entry) => entry.name === name && entry.scope === asked.scope)
      if (!file) throw new Error(`There is no role "${name}" in ${wordsFor(asked.scope)}`)
      const deleted = { name, sourceUri: file.sourceUri }
      await deleteRole(definitions, deleted, never())
      return { code: 0, value: { deleted }, text: `${pathOf(file.sourceUri)} is deleted` }
    }
    case "settings": {
      const changes = settingsFrom(asked.words)
      if (Object.keys(changes).length > 0) await definitions.settings.set(changes)
      const { current } = definitions.settings
      return { code: 0, value: { settings: current }, text: settingsLines(current) }
    }
  }
}

function askedBy(all: readonly string[]): Asked {
  const asked: Asked = { does: "list", words: [], json: false, scope: "workspace", description: undefined }
  const words: string[] = []
  for (let at = 0; at < all.length; at++) {
    const word = all[at] as string
    if (word === "--json") asked.json = true
    else if (word === "--global") asked.scope = "global"
    else if (word === "--description") asked.description = all[++at]
    else if (word.startsWith("--description=")) asked.description = word.slice("--description=".length)
    else if (word.startsWith("-")) throw new UsageError(`There is no option "${word}" of \`koda agents\``)
    else words.push(word)
  }
  const [does = "list", ...rest] = words
  if (!isAction(does)) {
    throw new UsageError(`There is no "koda agents ${does}"${meant(does, ACTIONS)}`)
  }
  if (rest.length > 0 && (does === "list" || does === "check"))
    throw new UsageError(`"${rest[0]}" is one word too many`)
  return { ...asked, does, words: rest }
}

function isAction(word: string): word is Asked["does"] {
  return (ACTIONS as readonly string[]).includes(word)
}

function nameIn({ does, words }: Asked): string {
  if (words.length > 0) return words.join(" ")
  throw new UsageError(`koda agents ${does} NAME: the name is missing`)
}

function listOf({ agents, errors }: Found): string {
  const builtIn = BUILT_IN.map(({ id, description }) => [id, "built in", description])
  const roles = agents.filter(({ scope }) => isRole(scope)).map(rowOf)
  const profiles = agents.filter(({ scope }) => !isRole(scope)).map(rowOf)
  return [
    ...(roles.length > 0 ? ["Roles, for run_subagent", ...table(roles), ""] : []),
    "Profiles, for sub_agent",
    ...table([...builtIn, ...profiles]),
    ...(errors.length > 0 ? ["", "Not read", ...errors.map(({ message }) => `  ${message}`)] : []),
  ].join("\n")
}

function rowOf({ name, scope, enabled, description }: AgentEntry): string[] {
  return [name, enabled ? scope : `${scope}, off`, description.replaceAll(/\s+/g, " ")]
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd())
}

function shortly({ id, description }: (typeof BUILT_IN)[number]): object {
  return { name: id, description }
}

function isRole(scope: string): boolean {
  return scope === "workspace" || scope === "global"
}

function wordsFor(scope: RoleScope): string {
  return scope === "global" ? "Koda home" : "this workspace; --global looks in Koda home"
}

function pathOf(uri: string): string {
  return decodeURIComponent(new URL(uri).pathname).replace(/^\/(?=[A-Za-z]:)/, "")
}

/** A command of a person's ends with the program. */
function never(): AbortSignal {
  return new AbortController().signal
}
