import { canonicalName } from "../agent/tool-names.ts"
import type { Files } from "../runtime.ts"
import { changeSettings } from "../settings/change.ts"
import { homeSettingsPath } from "../settings/home.ts"
import type { Settings } from "../settings/keys.ts"
import { readSettings, type SettingsPlace, type SettingsRead, watchSettings } from "../settings/settings.ts"
import { isObject } from "../text/jsonc-edit.ts"
import { lookedAt, shared } from "../workspace/looked-at.ts"
import { Listeners } from "./listeners.ts"
import { COMMON_EFFORTS, type SubagentValues, subagentValues } from "./settings.ts"

type Said = Pick<SettingsRead, "settings" | "isWhole">

/** The settings of subagents in one workspace, as the files say them now. */
export interface LiveSettings {
  /** As last read. Ask whenever it matters: it may be another the next time. */
  readonly current: SubagentValues
  /** The other settings that definitions depend on, as last read. */
  readonly rest: Pick<Settings, "uiLanguage" | "plugins">
  /** What somebody has just read. Calls back if something else stands there; half a file says nothing yet. */
  take(read: Said): void
  /** Reads the files now, and calls back if something else stands there. */
  refresh(): Promise<SubagentValues>
  /** Writes what the user has chosen to the settings of Koda home. Calls back before it resolves. */
  set(changes: Partial<SubagentValues>): Promise<SubagentValues>
  /** Calls back after each change; gives back what ends that. The files are watched while anybody listens. */
  onChange(listener: () => void): () => void
}

export interface LiveSettingsOptions {
  files: Files
  /** Koda home. */
  home: string
  workspace: string
  /** The efforts there are. */
  efforts?: () => readonly string[]
}

export function liveSettings({
  files,
  home,
  workspace,
  efforts = () => COMMON_EFFORTS,
}: LiveSettingsOptions): LiveSettings {
  const place: SettingsPlace = { home, workspace, toolName: canonicalName }
  let current = subagentValues({})
  let rest: LiveSettings["rest"] = { plugins: [] }
  let isRead = false
  const looked = lookedAt(files)
  let found: Said | undefined
  const refresh = shared(read)
  const listeners = new Listeners(async (signal) => {
    const changes = watchSettings(files, place, signal)[Symbol.asyncIterator]()
    // what changes while we read is seen: we listen first
    for (let next = changes.next(); ; next = changes.next()) {
      await refresh()
      if ((await next).done) return
    }
  })

  async function read(): Promise<SubagentValues> {
    if (!found || (await looked.hasChanged())) {
      found = undefined
      looked.forget()
      found = await readSettings(looked.files, place)
    }
    take(found)
    return current
  }

  function take({ settings, isWhole }: Said): void {
    if (isRead && !isWhole) return
    const before = isRead && JSON.stringify([current, rest])
    current = subagentValues(settings.subagents, efforts())
    rest = { plugins: settings.plugins, ...(settings.uiLanguage !== undefined && { uiLanguage: settings.uiLanguage }) }
    if (isRead && JSON.stringify([current, rest]) !== before) listeners.call()
    isRead = true
  }

  return {
    get current() {
      return current
    },
    get rest() {
      return rest
    },
    take,
    refresh,
    async set(changes) {
      const checked = Object.entries(subagentValues({ ...changes }, efforts()))
      const wanted = Object.fromEntries(checked.filter(([key]) => changes[key as keyof SubagentValues] !== undefined))
      if (!isRead) await refresh()
      await changeSettings(files, homeSettingsPath(home), (old) => ({
        ...old,
        subagents: { ...(isObject(old["subagents"]) && old["subagents"]), ...wanted },
      }))
      return await refresh()
    },
    onChange: (listener) => listeners.add(listener),
  }
}
