import { type Entry, textOf } from "../agent/message.ts"
import { canonicalName } from "../agent/tool-names.ts"
import { cutEnd } from "../text/truncate.ts"
import { timeOf } from "./snapshot.ts"

/** What was said in a subagent's conversation, as a client shows it. */
export interface HistoryRow {
  readonly kind: "user" | "model" | "tool" | "summary"
  readonly text: string
  readonly toolName?: string
  readonly status?: string
  /** What the subagent might do in the turn that these words of a person began. */
  readonly policy?: string
  readonly at?: string
}

/** An entry with what else is kept of it. */
export type Noted = Entry & { readonly at?: number; readonly policy?: string }

/** Rows that are shown, the last ones, and characters of each. */
const MOST = 400
const TEXT = 4_000

/** The rows of what the subagent remembers: what a summary stands for is not among them. */
export function historyOf(entries: readonly Noted[], at: (entry: Entry) => number | undefined): HistoryRow[] {
  const last = entries.findLast((entry) => entry.role === "summary")
  const kept = last ? [last, ...entries.slice(last.from).filter(({ role }) => role !== "summary")] : entries
  return kept
    .flatMap((entry): HistoryRow[] => {
      const row = rowOf(entry)
      const time = entry.at ?? at(entry)
      return row ? [{ ...row, text: cut(row.text), ...(time !== undefined && { at: timeOf(time) }) }] : []
    })
    .slice(-MOST)
}

function rowOf(entry: Noted): HistoryRow | undefined {
  switch (entry.role) {
    case "user":
      if (entry.hidden) return undefined
      return { kind: "user", text: textOf(entry.content), ...(entry.policy !== undefined && { policy: entry.policy }) }
    case "assistant": {
      const text = textOf(entry.content)
      return text.trim() === "" ? undefined : { kind: "model", text }
    }
    case "result": {
      const status = entry.status === "ok" ? "completed" : entry.status
      return { kind: "tool", text: textOf(entry.content), toolName: canonicalName(entry.name), status }
    }
    case "summary":
      return entry.text === "" ? undefined : { kind: "summary", text: entry.text }
    case "report":
    case "returned":
      return undefined
  }
}

function cut(text: string): string {
  return text.length > TEXT ? `${cutEnd(text, TEXT)} [cut]` : text
}
