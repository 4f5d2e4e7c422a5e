import { limited, sleep, systemClock } from "../clock.ts"
import type { Files, Runtime } from "../runtime.ts"
import { shownUrl } from "./base-url.ts"
import { type KeptLists, keepList, readLists } from "./gateway.ts"
import type { Metadata } from "./metadata.ts"
import { askForModels, type ListAnswer, type Server } from "./model-list.ts"

/** What models servers have: as they told it last, and asked for again when that is old. */
export interface ServerLists {
  readonly kept: KeptLists
  /** Reads what was kept by earlier processes. */
  load(): Promise<void>
  /** Asks, unless that was done lately. It never rejects. */
  refresh(server: Server): Promise<void>
  /** Asks now. */
  ask(server: Server, signal: AbortSignal): Promise<ListAnswer["status"]>
  /** Why there are no models of it, for people; undefined if there are, or it was not asked. */
  trouble(server: Server): string | undefined
  /** Stops what goes on behind the callers' backs; resolves when nothing does. */
  close(): Promise<void>
}

/** How long a list holds, and how long a server may take to tell it, in milliseconds. */
const FRESH = 600_000
const REFRESH = 15_000
/** Who waits so long for a list has it, or knows why there is none. */
export const LONGEST_LIST: number = REFRESH + 5_000
/** To open a connection takes the time of many of our own steps: whoever asked has an answer first. */
const PAUSE = 50

/** `heard` is told of each answer. */
export function serverLists(
  { files, fetch, home }: { files: Files; fetch: Runtime["fetch"]; home: string },
  heard: (server: Server, status: ListAnswer["status"]) => void,
): ServerLists {
  const lifetime = new AbortController()
  const asked = new Map<string, { at: number; answer: Promise<void> }>()
  const troubles = new Map<string, string>()
  let kept: KeptLists = new Map<string, Metadata[]>()

  async function ask(server: Server, signal: AbortSignal): Promise<ListAnswer["status"]> {
    const { baseUrl } = server
    const answer = await askForModels(server, fetch, signal)
    if (answer.status === "ok") {
      troubles.delete(baseUrl)
      kept.set(baseUrl, answer.models)
      await keepList(files, home, baseUrl, answer.models).catch(() => {}) // only the next start is slower
    } else troubles.set(baseUrl, `No models came from ${shownUrl(baseUrl)}: ${answer.why}`)
    heard(server, answer.status)
    return answer.status
  }

  return {
    get kept() {
      return kept
    },
    async load() {
      kept = await readLists(files, home)
    },
    refresh(server) {
      const before = asked.get(server.baseUrl)
      if (before && Date.now() - before.at < FRESH) return before.answer
      const answer = (async () => {
        // who comes next sees the signal
        if (kept.has(server.baseUrl)) await sleep(PAUSE, systemClock, lifetime.signal).catch(() => {})
        const signal = limited(lifetime.signal, REFRESH)
        if ((await ask(server, signal)) !== "ok") asked.delete(server.baseUrl)
      })()
      asked.set(server.baseUrl, { at: Date.now(), answer })
      return answer
    },
    ask,
    trouble: ({ baseUrl }) => troubles.get(baseUrl),
    async close() {
      lifetime.abort()
      await Promise.all([...asked.values()].map(({ answer }) => answer))
    },
  }
}
