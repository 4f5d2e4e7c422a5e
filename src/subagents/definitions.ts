import { type Clock, systemClock } from "../clock.ts"
import { meant } from "../text/similar.ts"
import { lookedAt, shared } from "../workspace/looked-at.ts"
import {
  findProfiles,
  findRoles,
  type Places,
  profileFolders,
  projectFolder,
  rolesFolder,
  userFolders,
} from "./find.ts"
import { type Broken, type Defined, type Found, foundOf } from "./found.ts"
import { Listeners } from "./listeners.ts"
import type { LiveSettings } from "./live-settings.ts"
import type { Profile } from "./profiles.ts"
import type { Role } from "./roles.ts"
import { COMMON_EFFORTS, childTools, RESEARCH_TOOLS } from "./settings.ts"

/** The roles and profiles of one workspace, alive as their files are. */
export interface Definitions {
  readonly settings: LiveSettings
  readonly places: Places
  /** As last read; at first, what is built in. */
  readonly current: Found
  /** The efforts that a role may name. */
  efforts(): readonly string[]
  /** Reads the settings and the files now, and calls back if something is not as it was. */
  refresh(): Promise<Found>
  /** The role that a call asks for, where there are these tools. Throws an Error that tells the model why not. */
  roleFor(name: string, available?: readonly string[]): Promise<Role>
  /** The profile that a call asks for, by its id or its bare name. Throws an Error that tells the model why not. */
  profileFor(id: string): Promise<Profile>
  /** Calls back after each change; gives back what ends that. The files are watched while anybody listens. */
  onChange(listener: () => void): () => void
}

export interface DefinitionsOptions extends Places {
  settings: LiveSettings
  efforts?: () => readonly string[]
  hasModel(modelId: string): boolean
  clock?: Clock
}

/** An editor saves in several steps, and a checkout changes many files: they are told of as one. */
const COALESCED_MS = 200

export function createDefinitions(options: DefinitionsOptions): Definitions {
  const { settings, hasModel, efforts = () => COMMON_EFFORTS, clock = systemClock, ...places } = options
  const looked = lookedAt(places.files)
  const seen = { ...places, files: looked.files }
  const memory = new Map()
  const refresh = shared(read)
  let lastAsked = ""
  let current = foundOf([], [], [])
  let isRead = false
  let pluginFolders: readonly string[] = []
  let round: { folders: string; end: AbortController } | undefined
  const listeners = new Listeners(watch)

  async function read(): Promise<Found> {
    const [{ disabledAgentNames }, hasChanged] = await Promise.all([settings.refresh(), looked.hasChanged()])
    const asked = JSON.stringify([disabledAgentNames, settings.rest.plugins, efforts()])
    if (isRead && !hasChanged && asked === lastAsked) return current
    lastAsked = asked
    looked.forget()
    const folders = await profileFolders(seen, settings.rest.plugins)
    const [roles, profiles] = await Promise.all([
      findRoles(seen, efforts(), memory),
      findProfiles(seen, folders, memory),
    ])
    pluginFolders = folders.flatMap(({ scope, folder }) => (scope === "plugin" ? [folder] : []))
    if (round?.folders !== `${watched()}`) round?.end.abort()
    const found = foundOf(roles, profiles, disabledAgentNames)
    if (isRead && printOf(found) === printOf(current)) return current
    current = found
    if (isRead) listeners.call()
    isRead = true
    return current
  }

  function watched(): readonly string[] {
    const roles = (["workspace", "global"] as const).map((scope) => rolesFolder(places, scope))
    return [...roles, projectFolder(places), ...userFolders(places), ...pluginFolders]
  }

  async function watch(signal: AbortSignal): Promise<void> {
    const look = () => refresh().catch(() => {}) // the next reading tells what is wrong
    signal.addEventListener("abort", settings.onChange(look), { once: true })
    while (!signal.aborted) await watchFolders(signal, look)
  }

  /** Until there are others to watch: plug-ins come and go. */
  async function watchFolders(signal: AbortSignal, look: () => Promise<unknown>): Promise<void> {
    const end = new AbortController()
    const folders = watched()
    round = { folders: `${folders}`, end }
    const changes = places.files.watch(folders, AbortSignal.any([signal, end.signal]))[Symbol.asyncIterator]()
    // what changes while we read is seen: we listen first
    for (let next = changes.next(); ; next = changes.next()) {
      await look()
      if ((await next).done) return
      await new Promise<void>((resolve) => clock.after(COALESCED_MS, resolve))
    }
  }

  return {
    settings,
    places,
    get current() {
      return current
    },
    efforts,
    refresh,
    async roleFor(name, available = RESEARCH_TOOLS) {
      const found = await refresh()
      const role = roleIn(found, name)
      if (role.model !== null && !hasModel(role.model)) {
        throw new Error(`The role "${name}" works with the model "${role.model}", which is not available`)
      }
      const isMeant = settings.current.tools?.length === 0
      if (role.tools && !isMeant && childTools(available, settings.current, role).length === 0) {
        throw new Error(`Of the tools of the role "${name}" there are none here (${role.tools.join(", ")})`)
      }
      return role
    },
    async profileFor(id) {
      return profileIn(await refresh(), id)
    },
    onChange: (listener) => listeners.add(listener),
  }
}

/** What makes a difference: also the instructions, which no list shows. */
function printOf({ agents, errors, roles, profiles }: Found): string {
  const prompts = [...roles.values(), ...profiles.values()].map(({ definition }) => definition.prompt)
  return JSON.stringify([agents, errors, prompts])
}

function roleIn({ roles, broken }: Found, name: string): Role {
  const defined = roles.get(name)
  if (!defined) {
    const wrong = broken.find((one) => one.entry.name === name && isRoleFile(one))
    if (wrong) throw new Error(`The role "${name}" can't be used: ${wrong.entry.message}`)
    const names = enabledOf(roles)
    const others = names.length > 0 ? meant(name, names) : "; there are none; leave `agent` out"
    throw new Error(`There is no role "${name}"${others}`)
  }
  if (!defined.enabled) throw new Error(`The role "${name}" is switched off in the user's settings`)
  return defined.definition
}

function profileIn({ profiles, broken }: Found, id: string): Profile {
  const named = [...profiles.values()].filter(({ definition }) => definition.name === id)
  const defined = profiles.get(id) ?? named.find(({ enabled }) => enabled) ?? named[0]
  if (!defined) {
    const wrong = broken.find((one) => one.entry.name === id.replace(/^[^:]*:/, "") && !isRoleFile(one))
    if (wrong) throw new Error(`The profile "${id}" can't be used: ${wrong.entry.message}`)
    throw new Error(`There is no profile "${id}"${meant(id, enabledOf(profiles))}`)
  }
  if (!defined.enabled) throw new Error(`The profile "${id}" is switched off in the user's settings`)
  return defined.definition
}

function enabledOf(defined: ReadonlyMap<string, Defined<unknown>>): readonly string[] {
  return [...defined].flatMap(([name, { enabled }]) => (enabled ? [name] : []))
}

function isRoleFile({ entry: { scope } }: Broken): boolean {
  return scope === "workspace" || scope === "global"
}
