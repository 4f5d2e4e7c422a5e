import { FileError, type Files } from "../runtime.ts"
import { fileUri } from "../text/file-uri.ts"
import { byteLength } from "../text/truncate.ts"
import { PROCESS_LOCKS } from "../workspace/locks.ts"
import { joinPath } from "../workspace/paths.ts"
import { tooLarge } from "./definition-files.ts"
import type { Definitions } from "./definitions.ts"
import { rolesFolder } from "./find.ts"
import type { Broken, RoleScope } from "./found.ts"
import { kebabCase, roleTemplate } from "./role-template.ts"
import { isFault, parseRole, ROLE_BYTES, type Role, renderRole } from "./roles.ts"

/** A role's file, as clients name it: both must be as the catalogue says. */
export interface RoleFile {
  readonly name: string
  readonly sourceUri: string
}

/** What was asked of a definition can't be done. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError"
  readonly reason: "invalid_params" | "definition_exists" | "definition_mismatch" | "definition_invalid"

  constructor(reason: DefinitionError["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Makes a role of the template. What is there is never overwritten. Listeners have been told when it resolves. */
export async function createRole(
  definitions: Definitions,
  { name: asked, scope, description }: { name: string; scope: RoleScope; description?: string | undefined },
  signal: AbortSignal,
): Promise<RoleFile & { scope: RoleScope }> {
  const { places, settings } = definitions
  const name = kebabCase(asked)
  if (name === "") {
    throw new DefinitionError(
      "invalid_params",
      `name: nothing of "${asked}" can stand in a role's name (a-z, 0-9, "-")`,
    )
  }
  const folder = rolesFolder(places, scope)
  const release = await PROCESS_LOCKS.hold([folder], signal)
  try {
    const { broken } = await definitions.refresh()
    const unread = broken.find((one) => one.path === folder)
    if (unread) throw new DefinitionError("definition_invalid", unread.entry.message)
    const path = joinPath(folder, `${name}.md`)
    const text = await checked(definitions, path, name, roleTemplate(name, description, settings.rest.uiLanguage))
    if (await isThere(places.files, folder, `${name}.md`)) throw taken(path)
    await places.files.makeFile(path, text).catch((error: unknown) => {
      throw error instanceof FileError && error.code === "exists" ? taken(path) : error
    })
    await definitions.refresh()
    return { name, scope, sourceUri: fileUri(path) }
  } finally {
    release()
  }
}

/** The role in a file. One that is broken is named by what is wrong with it. */
export async function readRole(definitions: Definitions, file: RoleFile): Promise<Role> {
  const { broken, role } = await located(definitions, file)
  if (broken) throw new DefinitionError("definition_invalid", broken.entry.message)
  return role
}

/** Writes a role to its file, or mends a broken one. What the parser refuses does not touch the file. */
export async function writeRole(
  definitions: Definitions,
  file: RoleFile,
  role: Omit<Role, "name">,
  signal: AbortSignal,
): Promise<void> {
  await changed(definitions, file, signal, async ({ path, broken }) => {
    if (broken && broken.kind !== "file") throw new DefinitionError("definition_invalid", broken.entry.message)
    const text = await checked(definitions, path, file.name, renderRole({ ...role, name: file.name }))
    await definitions.places.files.write(path, text)
  })
}

/** Removes a role's file, also one that is broken. Folders are left to the user. */
export async function deleteRole(definitions: Definitions, file: RoleFile, signal: AbortSignal): Promise<void> {
  await changed(definitions, file, signal, async ({ path, broken }) => {
    if (broken?.kind === "folder")
      throw new DefinitionError("definition_invalid", `${path} is a folder; remove it yourself`)
    await definitions.places.files.remove(path)
  })
}

type Located = { path: string; role: Role; broken?: never } | { path: string; broken: Broken; role?: never }

async function changed(
  definitions: Definitions,
  file: RoleFile,
  signal: AbortSignal,
  change: (located: Located) => Promise<void>,
): Promise<void> {
  const release = await PROCESS_LOCKS.hold([file.sourceUri], signal)
  try {
    await change(await located(definitions, file))
    await definitions.refresh()
  } finally {
    release()
  }
}

/** Looks anew: the client's list may be an old one. */
async function located(definitions: Definitions, { name, sourceUri }: RoleFile): Promise<Located> {
  const { roles, profiles, broken } = await definitions.refresh()
  const role = roles.get(name)
  if (role?.file?.entry.sourceUri === sourceUri) return { path: role.file.path, role: role.definition }
  const wrong = broken.find(({ entry }) => entry.name === name && entry.sourceUri === sourceUri && isRole(entry.scope))
  if (wrong) return { path: wrong.path, broken: wrong }
  const profile = profiles.get(name)?.file
  if (profile?.entry.sourceUri === sourceUri) {
    throw new DefinitionError(
      "definition_mismatch",
      `"${name}" is a profile, and no role; edit ${profile.path} yourself`,
    )
  }
  throw new DefinitionError(
    "definition_mismatch",
    `There is no role "${name}" in ${sourceUri}; ask for the list again, it may have changed`,
  )
}

function isRole(scope: string): boolean {
  return scope === "workspace" || scope === "global"
}

/** The text, if it reads as a role. */
async function checked(definitions: Definitions, path: string, name: string, text: string): Promise<string> {
  const bytes = byteLength(text)
  if (bytes > ROLE_BYTES) throw new DefinitionError("definition_invalid", `${path}:1: ${tooLarge(bytes, ROLE_BYTES)}`)
  const read = await parseRole(name, text, definitions.efforts())
  if (isFault(read)) throw new DefinitionError("definition_invalid", `${path}:${read.line}: ${read.problem}`)
  return text
}

function taken(path: string): DefinitionError {
  return new DefinitionError("definition_exists", `There is a file ${path} already; choose another name`)
}

/** Also under another spelling, which is the same file where case says nothing; also a link that leads nowhere. */
async function isThere(files: Files, folder: string, name: string): Promise<boolean> {
  try {
    return (await files.list(folder)).some((entry) => entry.name.toLowerCase() === name)
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return false
    throw error
  }
}
