import type { Entry } from "./message.ts"
import { tokensIn } from "./tokens.ts"

/**
 * Where what the model reads may begin: before the last entries that take so many tokens, and before all that no reply
 * has answered, the results of the last calls among it. Never between a call and its results. Undefined if all that
 * could go has gone.
 */
export function whereToCut(entries: readonly Entry[], tokens: number): number | undefined {
  const first = entries.findLast((entry) => entry.role === "summary")?.from ?? 0
  const latest = unansweredFrom(entries)
  let cut = latest
  let kept = 0
  for (let at = latest - 1; at >= first && kept <= tokens; at--) {
    const entry = entries[at] as Entry
    kept += entry.role === "summary" ? 0 : tokensIn([entry])
    if (kept <= tokens && entry.role !== "result") cut = at
  }
  return cut > first && holdsWork(entries.slice(first, cut)) ? cut : undefined
}

/** The first entry that no reply of the model's has answered, or the reply whose calls' results none has. */
function unansweredFrom(entries: readonly Entry[]): number {
  const at = entries.findLastIndex(
    (entry) => entry.role === "assistant" && !entry.scripted && entry.content.length + entry.calls.length > 0,
  )
  const reply = entries[at]
  return reply?.role === "assistant" && reply.calls.length === 0 ? at + 1 : Math.max(at, 0)
}

/** A summary of a prompt alone would say no less than the prompt. */
function holdsWork(entries: readonly Entry[]): boolean {
  return entries.some(({ role }) => role === "assistant")
}
