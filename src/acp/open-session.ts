import type { Entry } from "../agent/message.ts"
import { canonicalName } from "../agent/tool-names.ts"
import { damagedIn } from "../session/entry-row.ts"
import { journalOf, NO_JOURNAL } from "../session/journal.ts"
import type { SessionParams } from "../session/needs.ts"
import type { Remark } from "../session/remark.ts"
import { repairs } from "../session/repair.ts"
import type { Asked, SavedSession } from "../session/saved.ts"
import { Session } from "../session/session.ts"
import type { Store } from "../session/store.ts"
import type { SettingsRead } from "../settings/settings.ts"
import type { Request } from "./asked.ts"
import { offerCommands } from "./commands.ts"
import type { Core } from "./core.ts"
import { serversFor } from "./mcp-servers.ts"

/** Opens a new session, with the settings of its folder. */
export async function newSession(
  core: Core,
  { cwd, roots, asked, servers }: Pick<Request, "cwd" | "roots" | "asked"> & Partial<Pick<Request, "servers">>,
  asks = true,
): Promise<Session> {
  const read = await core.settingsFor(cwd)
  const { needs, dials, problems } = core.first(read)
  const id = crypto.randomUUID()
  const store = await core.store()
  const folder = await core.runtime.files.realPath(cwd)
  const { model, mode, efforts } = dials
  store?.create({ id, cwd, folder, roots, mode, model, efforts, asked })
  const journal = store ? journalOf(store, id) : NO_JOURNAL
  const definitions = core.subagentsIn(cwd)
  const params = { id, cwd, roots, dials, asks, journal, definitions, servers: serversFor(core, read, servers) }
  const session = new Session({ ...params, ...limits(read, asked) }, needs)
  return await opened(core, session, [...problems, ...untrusted(read)])
}

/** Where a saved session is told of while it is read: entry by entry, and that there are no more. */
export type Follow = (entry?: Entry) => void | Promise<void>

/** Opens a saved session, and mends what a kill tore. From now on this process owns it. */
export async function restoreSession(
  core: Core,
  store: Store,
  saved: SavedSession,
  { roots, asked, servers }: Pick<Request, "roots" | "asked"> & Partial<Pick<Request, "servers">>,
  follow: Follow,
  asks = true,
): Promise<Session> {
  const { id, cwd, plan, title, mode } = saved
  store.claim(id)
  const entries: Entry[] = []
  for (const entry of store.entries(id)) {
    entries.push(entry)
    await follow(entry)
  }
  const torn = repairs({ entries, settled: saved.settled, unread: store.unread(id) })
  store.atomically(() => {
    torn.forEach((entry, at) => {
      store.append(id, entries.length + at, entry)
    })
    store.settle(id, entries.length + torn.length)
  })
  for (const entry of torn) await follow(entry)
  await follow()

  const read = await core.settingsFor(cwd)
  const { needs, dials, problems } = core.first(read)
  const isThere = core.catalog.find(saved.model) !== undefined
  const params: SessionParams = {
    id,
    cwd,
    roots,
    plan,
    entries: [...entries, ...torn],
    dials: { ...dials, mode, model: isThere ? saved.model : dials.model, efforts: saved.efforts },
    asks,
    journal: journalOf(store, id),
    definitions: core.subagentsIn(cwd),
    servers: serversFor(core, read, servers),
    ...(title !== undefined && { title }),
    ...limits(read, { ...saved.asked, ...asked }),
  }
  const session = await opened(core, new Session(params, needs), [...problems, ...untrusted(read)])
  if (!isThere) {
    core.missed.set(session, { model: saved.model, said: session.entries.length })
    session.remark(() => gone(saved.model, session.dials.model))
  }
  const damaged = damagedIn(entries).length
  if (damaged > 0) session.remark(damagedWords(damaged))
  return session
}

function gone(model: string, used: string): string | undefined {
  return used === model ? undefined : `The model "${model}" is not there any more; this session uses ${used}`
}

function damagedWords(count: number): string {
  const parts = count === 1 ? "One message or result" : `${count} messages or results`
  return `${parts} of this session can't be read any more: what was kept of it is damaged. The rest is there.`
}

async function opened(core: Core, session: Session, remarks: readonly Remark[]): Promise<Session> {
  await offerCommands(core, session)
  core.sessions.set(session.id, session)
  remarkProblems(core, session)
  for (const remark of remarks) session.remark(remark)
  return session
}

const remarked = new WeakMap<Session, Set<string>>()

/** Has the user told why models are not there that could be, once a session: a list may be late. */
export function remarkProblems({ catalog }: Core, session: Session): void {
  const before = remarked.get(session) ?? new Set()
  remarked.set(session, before)
  for (const { words } of catalog.problems()) {
    if (!before.has(words)) session.remark(words)
    before.add(words)
  }
}

/** What the client and the settings leave of the tools, and the client's words. A list of the client's only narrows. */
function limits(
  { settings }: SettingsRead,
  asked: Asked,
): Pick<SessionParams, "coreTools" | "excludeTools" | "allowedSkills" | "client"> {
  return {
    coreTools: narrowest(settings.coreTools, asked.coreTools),
    excludeTools: [...settings.excludeTools, ...(asked.excludeTools ?? [])],
    ...(asked.allowedSkills && { allowedSkills: asked.allowedSkills }),
    ...(asked.system && { client: asked.system }),
  }
}

function narrowest(
  settings: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!settings || !asked) return settings ?? asked
  const wanted = new Set(asked.map(canonicalName))
  return settings.filter((name) => wanted.has(canonicalName(name)))
}

/** What was left out of the settings of a workspace that is not trusted, in words. */
function untrusted({ leftOut }: SettingsRead): string[] {
  if (leftOut.length === 0) return []
  return [
    `This workspace is not trusted, so its settings for ${leftOut.join(", ")} were left out. The command /trust changes that; so does its folder in "trustedWorkspaces" of Koda home's settings.`,
  ]
}
