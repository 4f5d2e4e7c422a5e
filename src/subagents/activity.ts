import type { AgentEvent } from "../agent/event.ts"
import type { Result } from "../agent/message.ts"
import { canonicalName } from "../agent/tool-names.ts"
import { timeOf } from "./snapshot.ts"

/** A step of a subagent's, as a client shows it. */
export interface ActivityEntry {
  readonly id: string
  readonly kind: "model" | "tool" | "compression"
  readonly status: "in_progress" | "completed" | "failed"
  readonly text: string
  readonly timestamp: string
  readonly toolName?: string
  readonly toolCallId?: string
  /** Tokens before and after, once a compression is done. */
  readonly originalTokenCount?: number
  readonly newTokenCount?: number
}

/** Steps that are kept, the latest. */
const MOST = 200
/** Characters of a reply that are kept, the last. */
const TEXT = 1_000
/** Steps that a card shows, and characters of each. */
const SHOWN = 12
const LINE = 120

/** What a subagent does, step by step. It is not kept on disk. */
export class Activity {
  readonly #entries = new Map<string, ActivityEntry>()

  get entries(): readonly ActivityEntry[] {
    return [...this.#entries.values()]
  }

  /** Takes note of what happened; answers with the step it belongs to, if it belongs to one. */
  follow(event: AgentEvent, now: number): ActivityEntry | undefined {
    switch (event.type) {
      case "text":
        return this.#speak(event.message, event.delta, now)
      case "call_made":
        return this.#call(event, now)
      case "call_ended":
        return this.#end(event.result)
      case "used":
        return this.#spoken()
      case "compaction":
        return this.#compress(event, now)
      case "read":
      case "waiting":
      case "resumed":
      case "reasoning":
      case "notice":
      case "call_started":
      case "call_progress":
        return undefined
    }
  }

  /** Nothing goes on any more. Answers with the steps that it ends. */
  close(): ActivityEntry[] {
    return this.entries
      .filter(({ status }) => status === "in_progress")
      .map((entry) => this.#set({ ...entry, status: entry.kind === "model" ? "completed" : "failed" }))
  }

  /** The last steps, one line each. */
  lines(): string[] {
    return this.entries
      .slice(-SHOWN)
      .map(lineOf)
      .filter((line) => line !== "")
  }

  #speak(id: string, delta: string, now: number): ActivityEntry {
    const before = this.#entries.get(id)
    const text = ((before?.text ?? "") + delta).slice(-TEXT).toWellFormed()
    return this.#set({
      id,
      kind: "model",
      status: "in_progress",
      text,
      timestamp: before?.timestamp ?? timeOf(now),
    })
  }

  /** A reply is whole. */
  #spoken(): ActivityEntry | undefined {
    const last = this.entries.findLast(({ kind }) => kind === "model")
    return last?.status === "in_progress" ? this.#set({ ...last, status: "completed" }) : undefined
  }

  #call({ call, shown }: Extract<AgentEvent, { type: "call_made" }>, now: number): ActivityEntry {
    this.#spoken()
    return this.#set({
      id: `tool-${call.id}`,
      kind: "tool",
      status: "in_progress",
      text: shown.title,
      timestamp: timeOf(now),
      toolName: canonicalName(call.name),
      toolCallId: call.id,
    })
  }

  #end({ id, status }: Result): ActivityEntry | undefined {
    const entry = this.#entries.get(`tool-${id}`)
    return entry && this.#set({ ...entry, status: status === "ok" ? "completed" : "failed" })
  }

  #compress(event: Extract<AgentEvent, { type: "compaction" }>, now: number): ActivityEntry {
    const { id, status, before, after, error = "" } = event
    const entry = { id: `compression-${id}`, kind: "compression", timestamp: timeOf(now) } as const
    switch (status) {
      case "started":
        return this.#set({ ...entry, status: "in_progress", text: "" })
      case "completed":
        return this.#set({ ...entry, status, text: "", originalTokenCount: before, newTokenCount: after })
      case "failed":
        return this.#set({ ...entry, status, text: error })
      case "cancelled":
        return this.#set({ ...entry, status: "failed", text: "cancelled" })
    }
  }

  #set(entry: ActivityEntry): ActivityEntry {
    this.#entries.set(entry.id, entry)
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value as string)
    return entry
  }
}

const MARKS: Readonly<Record<ActivityEntry["status"], string>> = { in_progress: "…", completed: "✓", failed: "✗" }

function lineOf({ kind, status, text }: ActivityEntry): string {
  switch (kind) {
    case "tool":
      return `${MARKS[status]} ${text.slice(0, LINE)}`
    case "model":
      return (text.trim().split("\n").at(-1) ?? "").slice(0, LINE)
    case "compression":
      return `${MARKS[status]} Making room`
  }
}
