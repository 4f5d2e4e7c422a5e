import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Clock } from "../../src/clock.ts"
import type { Files } from "../../src/runtime.ts"
import { createDefinitions, type Definitions } from "../../src/subagents/definitions.ts"
import type { Found } from "../../src/subagents/found.ts"
import { liveSettings } from "../../src/subagents/live-settings.ts"
import { folderOf, type Tree } from "../support/folder.ts"
import { testRuntime } from "../support/runtime.ts"

/** A workspace `ws`, a Koda home `home` and a user's home `user`, gone after the test. */
export interface DefinitionPlace {
  definitions: Definitions
  files: Files
  path(name: string): string
  uri(name: string): string
}

export interface DefinitionPlaceOptions {
  settings?: object
  models?: readonly string[]
  clock?: Clock
  files?: (files: Files) => Files
}

export async function placeOf(tree: Tree, options: DefinitionPlaceOptions = {}): Promise<DefinitionPlace> {
  const settingsFile = { "home/settings.json": JSON.stringify(options.settings ?? {}) }
  const root = await folderOf({ "ws/README.md": "", "user/.profile": "", ...settingsFile, ...tree })
  const real = testRuntime().files
  const files = options.files?.(real) ?? real
  const path = (name: string) => join(root, name)
  const home = path("home")
  const workspace = path("ws")
  const definitions = createDefinitions({
    files,
    home,
    workspace,
    userHome: path("user"),
    settings: liveSettings({ files, home, workspace }),
    hasModel: (id) => (options.models ?? []).includes(id),
    ...(options.clock && { clock: options.clock }),
  })
  return { definitions, files, path, uri: (name) => pathToFileURL(path(name)).href }
}

/** A role's file. */
export function role(name: string, more: { header?: string; description?: string; body?: string } = {}): string {
  const { header = "", description = `Is ${name}.`, body = `You are ${name}.` } = more
  return `---\nname: ${name}\ndescription: ${description}\n${header && `${header}\n`}---\n\n${body}\n`
}

/** Names and where they come from, and what can't be read. */
export function shown({ agents, errors }: Found): string[] {
  return [
    ...agents.map(({ name, scope, enabled }) => `${name} (${scope}${enabled ? "" : ", off"})`),
    ...errors.map(({ name, scope, message }) => `error: ${name} (${scope}): ${message.replace(/^.*?:(?=\d+: )/, "")}`),
  ]
}
