import type { Files } from "../runtime.ts"
import type { Session } from "../session/session.ts"
import { changeSettings } from "../settings/change.ts"
import { homeSettingsPath } from "../settings/home.ts"
import { readSettings, watchSettings } from "../settings/settings.ts"

type Chosen = Readonly<Record<string, string>>

/** The efforts that the user has chosen, by model: one choice for every front end and every process. */
export interface Efforts {
  remember(modelId: string, effort: string): Promise<void>
  /** Takes over, into these sessions, what is chosen elsewhere, until the signal aborts. `known` is how it stands now. */
  follow(sessions: ReadonlyMap<string, Session>, known: Chosen, signal: AbortSignal): Promise<void>
}

export function effortsIn(files: Files, home: string): Efforts {
  let writing = 0
  return {
    async remember(modelId, effort) {
      writing++
      try {
        await changeSettings(files, homeSettingsPath(home), (settings) => ({
          ...settings,
          reasoningEffort: { ...(settings.reasoningEffort as object | undefined), [modelId]: effort },
        }))
      } finally {
        writing--
      }
    },

    async follow(sessions, known, signal) {
      let before = known
      for await (const _ of watchSettings(files, { home }, signal)) {
        const { settings, isWhole } = await readSettings(files, { home })
        if (writing > 0 || !isWhole) continue // what is on disk is about to be something else
        const now = settings.reasoningEffort
        const news = Object.entries(now).filter(([modelId, effort]) => before[modelId] !== effort)
        before = now
        if (news.length > 0) for (const session of sessions.values()) take(session, news)
      }
    },
  }
}

function take(session: Session, news: readonly (readonly [string, string])[]): void {
  const { efforts, model } = session.dials
  const changed = news.filter(([modelId, effort]) => efforts.get(modelId) !== effort)
  if (changed.length === 0) return
  try {
    session.change({ efforts: new Map([...efforts, ...changed]) })
  } catch {
    return // it goes on in another process, or was deleted there
  }
  if (changed.some(([modelId]) => modelId === model)) session.announce("efforts")
}
