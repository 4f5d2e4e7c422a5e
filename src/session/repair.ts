import { type Entry, hiddenText, type Result, textContent } from "../agent/message.ts"
import { UNKNOWN } from "../agent/transcript.ts"
import type { Saved } from "./saved.ts"

const INTERRUPTED =
  "The agent was stopped in the middle of its work here, and has been started again. What it was doing may be half " +
  "done; look how things stand before you go on."

/**
 * What is to be appended to a session that was killed: a result for each call without one, what was received and not
 * read, and a line by which the model knows. Nothing for one that had come to rest.
 */
export function repairs({ entries, settled, unread }: Pick<Saved, "entries" | "settled" | "unread">): Entry[] {
  const wasWorking = entries.length > settled || unread.length > 0
  return [...missingResults(entries), ...unread, ...(wasWorking ? [hiddenText(INTERRUPTED)] : [])]
}

/** Of the calls that nothing but results has followed. */
function missingResults(entries: readonly Entry[]): Result[] {
  const at = entries.findLastIndex(({ role }) => role !== "result")
  const reply = entries[at]
  if (reply?.role !== "assistant") return []
  const has = new Set(entries.slice(at + 1).map((entry) => (entry as Result).id))
  const content = textContent(UNKNOWN)
  return reply.calls
    .filter(({ id }) => !has.has(id))
    .map(({ id, name }) => {
      const shown: Result["shown"] = { title: name, kind: "other", locations: [], display: content }
      return { role: "result", id, name, status: "cancelled", content, shown }
    })
}
