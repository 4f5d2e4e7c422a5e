import type { FoundFile } from "./definition-files.ts"
import { BUILT_IN, type Profile, type ProfileOrigin } from "./profiles.ts"
import { type Fault, isFault, type Role } from "./roles.ts"

/** A definition as clients see it. */
export interface AgentEntry {
  /** Of a profile, its id. */
  readonly name: string
  readonly description: string
  readonly model: string | null
  readonly reasoningEffort: string | null
  readonly tools: readonly string[] | null
  readonly scope: Scope
  readonly sourceUri: string
  readonly enabled: boolean
  /** Of a profile. */
  readonly color?: string | null
}

export type Scope = RoleScope | Exclude<ProfileOrigin, "builtin">
export type RoleScope = "workspace" | "global"

/** A file that is not read, as clients see it. */
export interface ErrorEntry {
  readonly name: string
  readonly scope: Scope
  readonly sourceUri: string
  /** Begins with the file and the line. */
  readonly message: string
}

/** All definitions at one moment. */
export interface Found {
  readonly agents: readonly AgentEntry[]
  readonly errors: readonly ErrorEntry[]
  /** By name. */
  readonly roles: ReadonlyMap<string, Defined<Role>>
  /** By id; the built-in ones first, and then in the order in which a bare name is looked for. */
  readonly profiles: ReadonlyMap<string, Defined<Profile>>
  /** The files that are not read. */
  readonly broken: readonly Broken[]
}

export interface Defined<Definition> {
  readonly definition: Definition
  readonly enabled: boolean
  /** Where it was read; undefined for what is built in. */
  readonly file: { readonly entry: AgentEntry; readonly path: string } | undefined
}

export interface Broken {
  readonly entry: ErrorEntry
  readonly path: string
  readonly kind: FoundFile["kind"]
}

/** A file of a folder of definitions, and what it was read as. */
export interface ReadFile<Definition> {
  readonly file: Omit<FoundFile, "text">
  readonly scope: Scope
  readonly read: Definition | Fault
}

/**
 * Puts together what was read, all of it in the order in which it counts: a role of the workspace stands in for the one
 * of Koda home, even if it can't be read; of two profiles of one id the first counts.
 */
export function foundOf(
  roles: readonly ReadFile<Role>[],
  profiles: readonly ReadFile<Profile>[],
  disabledNames: readonly string[],
): Found {
  const disabled = new Set(disabledNames)
  const broken: Broken[] = []
  const byName = new Map<string, Defined<Role>>()
  const reserved = new Set(roles.filter(({ scope, file }) => scope === "workspace" && isMarkdown(file)).map(nameOf))
  for (const { file, scope, read } of roles) {
    if (isFault(read)) broken.push(brokenOf(file, scope, read))
    else if (scope === "workspace" || !reserved.has(read.name)) {
      const enabled = !disabled.has(read.name)
      const { prompt: _, ...shown } = read
      const entry = { ...shown, scope, sourceUri: file.uri, enabled }
      byName.set(read.name, { definition: read, enabled, file: { entry, path: file.path } })
    }
  }
  const byId = new Map<string, Defined<Profile>>(
    BUILT_IN.map((definition) => [definition.id, { definition, enabled: true, file: undefined }]),
  )
  for (const { file, scope, read } of profiles) {
    if (isFault(read)) {
      broken.push(brokenOf(file, scope, read))
      continue
    }
    const { id, description, model, color } = read
    const before = byId.get(id)
    if (before) {
      broken.push(brokenOf(file, scope, { line: 1, problem: `"${id}" is there already, in ${before.file?.path}` }))
      continue
    }
    const enabled = !disabled.has(id)
    const plain = { reasoningEffort: null, tools: null, scope, sourceUri: file.uri, enabled, color }
    const entry = { name: id, description, model, ...plain }
    byId.set(id, { definition: read, enabled, file: { entry, path: file.path } })
  }
  const entries = [...byName.values(), ...byId.values()].flatMap(({ file }) => (file ? [file.entry] : []))
  return {
    agents: entries,
    errors: broken.map(({ entry }) => entry),
    roles: byName,
    profiles: byId,
    broken,
  }
}

function brokenOf({ name, uri, path, kind }: Omit<FoundFile, "text">, scope: Scope, { line, problem }: Fault): Broken {
  return { entry: { name, scope, sourceUri: uri, message: `${path}:${line}: ${problem}` }, path, kind }
}

function isMarkdown({ path }: { path: string }): boolean {
  return path.endsWith(".md")
}

function nameOf({ file }: ReadFile<Role>): string {
  return file.name
}
