import { canonicalName } from "../agent/tool-names.ts"
import type { SystemParts } from "../instructions/system.ts"
import { Session } from "../session/session.ts"
import type { SettingsRead } from "../settings/settings.ts"
import type { Core } from "./core.ts"

/** What whoever opens a session asks for. */
export interface Asked {
  /** Absolute. */
  cwd: string
  /** `cwd` and the additional directories. */
  roots: readonly string[]
  coreTools?: readonly string[] | undefined
  excludeTools?: readonly string[] | undefined
  client?: SystemParts["client"]
  /** False where nobody can be asked. */
  asks?: boolean
}

/** Opens a new session, with the settings of its folder. */
export async function openSession(core: Core, asked: Asked): Promise<Session> {
  const read = await core.settingsFor(asked.cwd)
  const { needs, dials } = core.first(read)
  const params = {
    id: crypto.randomUUID(),
    cwd: asked.cwd,
    roots: asked.roots,
    dials,
    asks: asked.asks ?? true,
    coreTools: narrowest(read.settings.coreTools, asked.coreTools),
    excludeTools: [...read.settings.excludeTools, ...(asked.excludeTools ?? [])],
    ...(asked.client && { client: asked.client }),
  }
  const session = new Session(params, needs)
  core.sessions.set(session.id, session)
  for (const remark of [...core.catalog.problems(), ...remarksOn(read)]) session.remark(remark)
  return session
}

/** A list of the client's only narrows the user's. */
function narrowest(
  settings: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!settings || !asked) return settings ?? asked
  const wanted = new Set(asked.map(canonicalName))
  return settings.filter((name) => wanted.has(canonicalName(name)))
}

/** What is wrong with the settings, and what was left out of those of a workspace that is not trusted. */
function remarksOn({ problems, leftOut }: SettingsRead): string[] {
  const untrusted =
    leftOut.length > 0 &&
    `This workspace is not trusted, so its settings for ${leftOut.join(", ")} were left out. To trust it, add its folder to "trustedWorkspaces" in the settings of Koda home.`
  return [...problems.map(({ message }) => message), ...(untrusted ? [untrusted] : [])]
}
