import type { StreamEnd } from "./event-stream.ts"
import { wordsOf } from "./failure.ts"
import type { Asked } from "./http.ts"

/** The SDK tries so often to go on with a stream, and then waits for ever. */
const MOST_TRIES = 2
/** Streams that may still be gone on with. */
const MOST_KEPT = 100
/** What a stream has brought is read by then. */
const READ_MS = 100

/**
 * Tells of requests that nobody will answer any more: the stream on which the answer was to come has ended, and can't be
 * gone on with. Of those that were answered the SDK has forgotten, and does not listen.
 */
export function unanswered(fail: (id: number | string, why: string) => void) {
  /** What was asked for, by where its stream can be gone on with. */
  const kept = new Map<string, { id: number | string; tries: number }>()
  return ({ body, lastEventId }: Asked, { unopened, lastId, error }: StreamEnd): void => {
    const known = lastEventId === undefined ? undefined : kept.get(lastEventId)
    const id = known?.id ?? (body === undefined ? undefined : idIn(body))
    if (id === undefined) return
    if (lastEventId !== undefined) kept.delete(lastEventId)
    const tries = unopened ? (known?.tries ?? 0) + 1 : 0
    const from = unopened ? lastEventId : lastId
    if (from !== undefined && tries < MOST_TRIES) {
      kept.set(from, { id, tries })
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
      return
    }
    const why = error === undefined ? "its answer broke off" : `its answer broke off: ${wordsOf(error)}`
    setTimeout(() => fail(id, `${why}. The call may have taken effect`), READ_MS)
  }
}

function idIn(body: string): number | string | undefined {
  const { id, method } = JSON.parse(body) as { id?: number | string; method?: string }
  return method === undefined ? undefined : id
}
