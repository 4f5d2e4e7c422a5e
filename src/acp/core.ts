import { canonicalName } from "../agent/tool-names.ts"
import { type Catalog, createCatalog } from "../model/catalog.ts"
import { forgetKey } from "../model/gateway.ts"
import { OFFLINE } from "../model/offline.ts"
import { preload } from "../model/request.ts"
import { parseRule } from "../permission/rules.ts"
import type { Runtime } from "../runtime.ts"
import type { Dials } from "../session/dials.ts"
import type { SessionNeeds } from "../session/needs.ts"
import type { Remark } from "../session/remark.ts"
import type { Session } from "../session/session.ts"
import { openStore, type Store } from "../session/store.ts"
import { kodaHome } from "../settings/home.ts"
import { readSettings, type SettingsRead } from "../settings/settings.ts"
import { createDefinitions, type Definitions } from "../subagents/definitions.ts"
import { liveSettings } from "../subagents/live-settings.ts"
import { COMMON_EFFORTS } from "../subagents/settings.ts"
import { machineOf } from "../workspace/machine.ts"
import { effortsIn } from "./efforts.ts"
import { type Launch, storeFolder } from "./launch.ts"

/** A saved session on its way to being open. */
export interface Loading {
  /** Rejects if it can't be opened, or was closed meanwhile. */
  readonly opened: Promise<Session>
  /** Ends it: whoever asked for it is told that it was cancelled. */
  cancel(): void
}

/** What outlives a connection. Made at the first message that needs it. */
export interface Core {
  readonly runtime: Runtime
  readonly launch: Launch
  /** Koda home. */
  readonly home: string
  readonly catalog: Catalog
  /** The sessions that are open. */
  readonly sessions: Map<string, Session>
  /** Those whose model the user has chosen, so that no other takes its place. */
  readonly chosen: WeakSet<Session>
  /** Those whose own model was not there when they were loaded, and how much had been said. */
  readonly missed: WeakMap<Session, { model: string; said: number }>
  /** Those that are being loaded. */
  readonly loading: Map<string, Loading>
  /** Where sessions are kept, if they are. */
  store(): Promise<Store | undefined>
  /** The user's settings, with those of a workspace. */
  settingsFor(cwd: string): Promise<SettingsRead>
  /** The roles, profiles and settings of subagents in a folder: one for all its sessions. */
  subagentsIn(cwd: string): Definitions
  /** What a session with these settings needs, how its dials stand at first, and what is wrong with the settings. */
  first(read: SettingsRead): { needs: SessionNeeds; dials: Dials; problems: readonly Remark[] }
  /** Keeps what the user chose, for sessions to come of any front end. */
  rememberEffort(modelId: string, effort: string): Promise<void>
  /** Looks for models on this machine, and after what is chosen in other processes, once. */
  lookAround(): void
  forgetKey(): Promise<void>
  /** Makes ready what the first session and the first prompt will need. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

export async function createCore(runtime: Runtime, launch: Launch): Promise<Core> {
  const { files, system } = runtime
  const home = await kodaHome(system, files)
  const sessions = new Map<string, Session>()
  const chosen = new WeakSet<Session>()
  const missed: Core["missed"] = new WeakMap()
  const efforts = effortsIn(files, home)
  const machine = machineOf(runtime)
  const ended = new AbortController()
  let settings = (await readSettings(files, { home })).own
  let looked = false
  let store: Promise<Store> | undefined

  const catalog = createCatalog({
    files,
    fetch: runtime.fetch,
    env: system.env(),
    home,
    settings: () => settings,
    ...(launch.model !== undefined && { chosen: launch.model }),
    ...(launch.scenario !== undefined && { scenario: launch.scenario }),
    ...(launch.models && { embedder: launch.models }),
  })
  catalog.onChange(() => {
    for (const session of sessions.values()) settle(session)
  })

  /** A session that had to do without the right model takes it when it comes, as long as nothing was said. */
  function settle(session: Session): void {
    const { model, said } = missed.get(session) ?? { said: 0 }
    if (!chosen.has(session) && session.entries.length === said && !session.isWorking) {
      if (model !== undefined && catalog.find(model)) session.change({ model })
      else if (session.dials.model === OFFLINE.modelId) session.change({ model: catalog.defaultId() })
    }
    session.announce("models")
  }

  const subagents = new Map<string, Definitions>()
  function subagentsIn(workspace: string): Definitions {
    const before = subagents.get(workspace)
    if (before) return before
    const efforts = () => {
      const ofModels = catalog.list().flatMap(({ reasoning }) => reasoning?.supportedEfforts ?? [])
      return [...new Set([...COMMON_EFFORTS, ...ofModels])]
    }
    const settings = liveSettings({ files, home, workspace, efforts })
    const hasModel = (modelId: string) => catalog.find(modelId) !== undefined
    const made = createDefinitions({ files, home, userHome: system.home, workspace, settings, efforts, hasModel })
    subagents.set(workspace, made)
    return made
  }

  return {
    runtime,
    launch,
    home,
    catalog,
    sessions,
    chosen,
    missed,
    loading: new Map(),

    async store() {
      const folder = storeFolder(runtime, launch)
      if (folder === undefined) return undefined
      store ??= openStore(runtime, folder)
      store.catch(() => (store = undefined)) // what was in the way may be gone when it is needed next
      return await store
    },

    async settingsFor(cwd) {
      const read = await readSettings(files, { home, workspace: cwd, toolName: canonicalName })
      settings = read.own
      subagentsIn(cwd).settings.take(read)
      return read
    },

    subagentsIn,

    first({ settings, problems }) {
      const rules = settings.permissions.allow.map((text) => parseRule(text, system.home))
      const preferred = launch.model === undefined && settings.model !== undefined && catalog.find(settings.model)
      return {
        needs: {
          runtime,
          machine,
          catalog,
          home,
          allowed: rules.flatMap((parsed) => ("rule" in parsed ? [parsed.rule] : [])),
          maxSteps: settings.maxTurnRequests,
          ownTools: launch.tools ?? [],
          settings: launch.sandbox ? { ...settings, sandbox: { ...settings.sandbox, enabled: true } } : settings,
        },
        dials: {
          model: preferred ? preferred.modelId : catalog.defaultId(),
          policy: launch.policy ?? settings.approvalMode,
          mode: launch.mode ?? settings.mode,
          efforts: new Map(Object.entries(settings.reasoningEffort)),
        },
        problems: [
          () => missing(catalog, launch.model ?? settings.model), // its list may come later
          ...problems.map(({ message }) => message),
          ...rules.flatMap((parsed) => ("error" in parsed ? [parsed.error] : [])),
        ],
      }
    },

    rememberEffort: efforts.remember,

    lookAround() {
      if (looked) return
      looked = true
      void catalog.probeLocal(settings.localModels, ended.signal).catch(() => {}) // nothing there is no failure
      void efforts.follow(sessions, settings.reasoningEffort, ended.signal).catch(() => {}) // read at the next start
    },

    async forgetKey() {
      await forgetKey(files, home)
      await catalog.ready(ended.signal)
    },

    async warmUp() {
      await catalog.ready(ended.signal)
      if (catalog.list().every(({ source }) => source === "built-in")) return
      await preload()
    },

    async close() {
      ended.abort(new Error("the server is closed"))
      await Promise.allSettled([catalog.close(), ...Array.from(sessions.values(), (session) => session.close())])
      sessions.clear()
      ;(await store?.catch(() => undefined))?.close()
    },
  }
}

/** A model that was asked for and is not there, in words. */
function missing(catalog: Catalog, modelId: string | undefined): string | undefined {
  if (modelId === undefined || catalog.find(modelId)) return undefined
  return `There is no model "${modelId}"; this session uses ${catalog.defaultId()}`
}
