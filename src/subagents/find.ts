import { FileError, type Files } from "../runtime.ts"
import { joinPath, nameOf, resolvePath } from "../workspace/paths.ts"
import { type FolderRules, type FoundFile, filesIn } from "./definition-files.ts"
import type { ReadFile, RoleScope } from "./found.ts"
import { PROFILE_BYTES, type Profile, parseProfile } from "./profiles.ts"
import { type Fault, parseRole, ROLE_BYTES, type Role } from "./roles.ts"

/** Where definitions lie. */
export interface Places {
  readonly files: Files
  /** Koda home. */
  readonly home: string
  readonly userHome: string
  readonly workspace: string
}

/** What files were read as, by path: most of them never change. */
export type Remembered = Map<string, { key: string; read: Promise<unknown> }>

const ROLE_RULES: FolderRules = { limit: ROLE_BYTES, links: "refused", folders: "refused" }

const PROFILE_RULES: FolderRules = { limit: PROFILE_BYTES, links: "followed", folders: "passed over" }

export function rolesFolder({ workspace, home }: Places, scope: RoleScope): string {
  return scope === "workspace" ? joinPath(workspace, ".koda", "agents") : joinPath(home, "agents")
}

/** The roles of the workspace, and then those of Koda home. */
export async function findRoles(
  places: Places,
  efforts: readonly string[],
  memory: Remembered,
): Promise<readonly ReadFile<Role>[]> {
  const scopes: readonly RoleScope[] = ["workspace", "global"]
  const found = scopes.map(async (scope) => {
    const rules = { ...ROLE_RULES, ...(scope === "workspace" && { within: places.workspace }) }
    const files = await filesIn(places.files, rolesFolder(places, scope), rules)
    return await readAll(files, scope, memory, `${efforts}`, (name, text) => parseRole(name, text, efforts))
  })
  return (await Promise.all(found)).flat()
}

/** A folder of profiles, and the part of their ids before the colon. */
export interface ProfileFolder {
  readonly scope: "project" | "user" | "plugin"
  readonly space: string
  readonly folder: string
}

/** The profiles of these folders, in the order of the folders. */
export async function findProfiles(
  { files, workspace }: Places,
  folders: readonly ProfileFolder[],
  memory: Remembered,
): Promise<readonly ReadFile<Profile>[]> {
  const found = folders.map(async ({ scope, space, folder }) => {
    const rules = { ...PROFILE_RULES, ...(scope === "project" && { within: workspace }) }
    const found = await filesIn(files, folder, rules)
    return await readAll(found, scope, memory, space, (name, text) => parseProfile(name, text, scope, space))
  })
  return (await Promise.all(found)).flat()
}

/** Where profiles are looked for: in the project, at the user's, in plug-ins. */
export async function profileFolders(places: Places, plugins: readonly string[]): Promise<readonly ProfileFolder[]> {
  const { files, userHome } = places
  const own = joinPath(userHome, ".kodik")
  const names = await foldersIn(files, own)
  // both are looked for as they are written there: where case says nothing, only one is
  const userFolders = ["Agents", "agents"].filter((name) => names.includes(name))
  return [
    { scope: "project", space: "project", folder: projectFolder(places) },
    ...userFolders.map((name): ProfileFolder => ({ scope: "user", space: "user", folder: joinPath(own, name) })),
    ...(await pluginFolders(places, plugins)),
  ]
}

export function projectFolder({ workspace }: Pick<Places, "workspace">): string {
  return joinPath(workspace, ".kodik", "agents")
}

/** Folders in which profiles of the user may appear. */
export function userFolders({ userHome }: Places): readonly string[] {
  return ["Agents", "agents"].map((name) => joinPath(userHome, ".kodik", name))
}

/** The folders of plug-ins: those that are named, and those in the user's folder of them. */
export async function pluginRoots(
  { files, userHome, workspace }: Pick<Places, "files" | "userHome" | "workspace">,
  plugins: readonly string[],
): Promise<readonly string[]> {
  const place = joinPath(userHome, ".kodik", "plugins")
  const named = plugins.map((plugin) => resolvePath(workspace, plugin, userHome))
  const there = (await foldersIn(files, place)).map((name) => joinPath(place, name))
  return [...new Set([...named, ...there])]
}

async function pluginFolders(places: Places, plugins: readonly string[]): Promise<readonly ProfileFolder[]> {
  const { files } = places
  const found = (await pluginRoots(places, plugins)).map(async (root): Promise<ProfileFolder[]> => {
    const space = await pluginId(files, root)
    return space === undefined ? [] : [{ scope: "plugin", space, folder: joinPath(root, "agents") }]
  })
  return (await Promise.all(found)).flat()
}

/** Names that are ours: a plug-in must not pass for the user. */
const TAKEN = ["project", "user", "builtin"]

async function pluginId(files: Files, root: string): Promise<string | undefined> {
  const { id, name } = await manifestOf(files, joinPath(root, "plugin.json"))
  const named = [id, name, nameOf(root)]
  return named.find(
    (one): one is string => typeof one === "string" && /^[\w][\w.@/-]*$/.test(one) && !TAKEN.includes(one),
  )
}

async function manifestOf(files: Files, path: string): Promise<{ id?: unknown; name?: unknown }> {
  try {
    const value: unknown = JSON.parse(await files.readText(path))
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {} // the folder's name will do
  }
}

async function foldersIn(files: Files, folder: string): Promise<readonly string[]> {
  try {
    const entries = await files.list(folder)
    return entries
      .filter(({ name, kind }) => (kind === "folder" || kind === "link") && !name.startsWith("."))
      .map(({ name }) => name)
  } catch (error) {
    if (error instanceof FileError) return [] // not there, or not ours to read
    throw error
  }
}

function readAll<Definition>(
  found: readonly FoundFile[],
  scope: ReadFile<Definition>["scope"],
  memory: Remembered,
  more: string,
  parse: (name: string, text: string) => Promise<Definition | Fault>,
): Promise<ReadFile<Definition>[]> {
  const reads = found.map(async ({ text, ...file }) => {
    if (typeof text !== "string") return { file, scope, read: text }
    const key = `${more}\n${text}`
    const before = memory.get(file.path)
    const read = before?.key === key ? (before.read as Promise<Definition | Fault>) : parse(file.name, text)
    memory.set(file.path, { key, read })
    return { file, scope, read: await read }
  })
  return Promise.all(reads)
}
