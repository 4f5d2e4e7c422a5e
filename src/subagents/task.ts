import type { AgentEvent } from "../agent/event.ts"
import type { Entry, Usage } from "../agent/message.ts"
import type { Ending } from "../agent/subagent.ts"
import { Transcript } from "../agent/transcript.ts"
import { type Clock, type Throttle, throttle } from "../clock.ts"
import { Activity, type ActivityEntry } from "./activity.ts"
import { agentName, type Brief } from "./brief.ts"
import { type HistoryRow, historyOf, type Noted } from "./history.ts"
import { changed, isAlive, newSnapshot, type TaskSnapshot } from "./snapshot.ts"
import type { KeptTask, TaskJournal } from "./task-journal.ts"

/** What a task is told of and tells. */
export interface TaskTies {
  readonly journal: TaskJournal
  readonly clock: Clock
  /** The level that requests of this brief ask for now. */
  effortOf(brief: Brief): string | null
  /** It stands differently now; `activity` if a step of its work is why. */
  changed(task: Task, activity: ActivityEntry | undefined): void
  spent(usage: Usage): void
}

/** The parent, by a delivery; the call that waits for it; the person who began it. */
export type Hears = "parent" | "call" | "person"

/** A task is told of so often for its activity, at most. */
const TELL_EVERY_MS = 100

/** Replies in one run of a task, at most. */
export const MAX_STEPS = 80

/** The work of one subagent, from when it is asked for. */
export class Task {
  readonly id: string
  readonly activity: Activity = new Activity()
  readonly #ties: TaskTies
  #throttle: Throttle
  #snapshot: TaskSnapshot
  #brief: Brief
  #transcript: Transcript | undefined
  /** When what is in memory was said. */
  readonly #times = new WeakMap<Entry, number>()
  /** Steps that are new or have changed, and were not told of yet. */
  readonly #news = new Map<string, ActivityEntry>()
  #ended = Promise.withResolvers<void>()
  /** Its history is being put in few words. */
  isCompressing = false
  /** Who hears of the end of its work. */
  hears: Hears

  constructor(brief: Brief, hears: Hears, ties: TaskTies, kept?: TaskSnapshot) {
    this.hears = hears
    this.id = kept?.taskId ?? crypto.randomUUID()
    this.#ties = ties
    this.#brief = brief
    this.#snapshot = kept ?? newSnapshot(firstOf(this.id, brief, ties.effortOf(brief)), ties.clock.now())
    this.#throttle = this.#newThrottle()
    if (kept) this.#ended.resolve()
  }

  get snapshot(): TaskSnapshot {
    return this.#snapshot
  }

  get brief(): Brief {
    return this.#brief
  }

  get isAlive(): boolean {
    return isAlive(this.#snapshot)
  }

  /** Resolves when nothing more is to come of it. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** What it said and read; from the disk, if it is not in memory. */
  get transcript(): Transcript {
    const { journal, clock } = this.#ties
    this.#transcript ??= (() => {
      const entries = journal.entries(this.id)
      let seq = entries.length
      return new Transcript(entries, (entry) => {
        const at = clock.now()
        const noted: Noted = { ...entry, at }
        journal.append(this.id, seq, noted)
        this.#times.set(entry, at)
        seq++
      })
    })()
    return this.#transcript
  }

  get history(): HistoryRow[] {
    const rows = historyOf(this.transcript.entries, (entry) => this.#times.get(entry))
    this.#release()
    return rows
  }

  /** Writes it down for the first time. */
  create(): void {
    this.#ties.journal.begin(this.id, this.#brief.model)
    this.save()
  }

  /** It is to be done again, or goes on. */
  renew(brief: Brief, hears: Hears): void {
    this.#brief = brief
    this.hears = hears
    if (!this.isAlive) this.#ended = Promise.withResolvers()
    const { model } = brief
    const started = { startedAt: null, finishedAt: null, result: null, error: null }
    this.set({
      status: "queued",
      model,
      reasoningEffort: this.#ties.effortOf(brief),
      agentName: agentName(brief),
      progress: "",
      ...started,
    })
  }

  begin(): void {
    this.#throttle.stop()
    this.#throttle = this.#newThrottle()
    this.set({ status: "running", steps: 0, startedAt: new Date(this.#ties.clock.now()).toISOString() })
  }

  /** Something is new of it, which is kept and told at once. */
  set(changes: Partial<TaskSnapshot>): void {
    this.#change(changes)
    this.save()
    this.#ties.changed(this, undefined)
  }

  save(): void {
    this.#ties.journal.save(keptOf(this))
  }

  /** The same, as news. */
  touch(): void {
    this.#change({})
    this.save()
  }

  /** Its agent has done something. */
  hear(event: AgentEvent): void {
    if (event.type === "used") {
      const { usage, contextWindow } = event
      this.#ties.spent(usage)
      const contextUsage = { usedTokens: usage.input + usage.output, maxTokens: contextWindow ?? null }
      const reasoningEffort = this.#ties.effortOf(this.#brief)
      this.#change({ contextUsage, reasoningEffort, steps: this.#snapshot.steps + 1 })
      this.save()
    }
    if (event.type === "compaction" && event.usage) this.#ties.spent(event.usage)
    const activity = this.activity.follow(event, this.#ties.clock.now())
    if (!activity) return
    this.#news.set(activity.id, activity)
    this.#change({ progress: activity.kind === "compression" ? "Making room" : lastLine(activity.text) })
    this.#throttle.poke()
  }

  /** What was done with it while it was at rest is done. */
  rest(): void {
    this.activity.close()
    this.#change({ progress: "" })
    this.save()
    this.#ties.changed(this, [...this.#news.values()].at(-1))
    this.#news.clear()
    this.#release()
  }

  /** Its work is over. How its last steps ended is told after it, at the pace of all steps. */
  end(status: TaskSnapshot["status"], { text, error }: Pick<Ending, "text" | "error">): void {
    for (const closed of this.activity.close()) this.#news.set(closed.id, closed)
    const finishedAt = new Date(this.#ties.clock.now()).toISOString()
    this.set({ status, finishedAt, progress: "", result: text, error: error ?? null })
    this.#throttle.poke()
    this.#release()
    this.#ended.resolve()
  }

  /** Its end can't be kept. On the disk it is still at work, and will have been interrupted. */
  lose(error: string): void {
    const finishedAt = new Date(this.#ties.clock.now()).toISOString()
    this.#change({ status: "failed", finishedAt, progress: "", error })
  }

  /** Nothing more is heard of it, whether it ended or not: what it was doing is on the disk as it was. */
  abandon(): void {
    this.#throttle.stop()
    this.#ended.resolve()
  }

  #newThrottle(): Throttle {
    return throttle(() => this.#tell(), TELL_EVERY_MS, this.#ties.clock)
  }

  /** One step at a time, each as it stands now. */
  #tell(): void {
    const [activity] = this.#news.values()
    if (!activity) return
    this.#news.delete(activity.id)
    this.#change({}) // which is later than what was told before
    if (!this.isAlive) this.#keepLast()
    this.#ties.changed(this, activity)
    if (this.#news.size > 0) this.#throttle.poke()
  }

  /** Nothing that comes would keep when it was last told of. Nobody waits for it who could be told of a failure. */
  #keepLast(): void {
    try {
      this.save()
    } catch {} // the session has gone elsewhere, or its next write fails as well
  }

  #change(changes: Partial<TaskSnapshot>): void {
    this.#snapshot = changed(this.#snapshot, changes, this.#ties.clock.now())
  }

  /** What is on the disk need not be in memory. */
  #release(): void {
    if (this.#ties.journal.keeps && !this.isAlive) this.#transcript = undefined
  }
}

function firstOf(taskId: string, brief: Brief, reasoningEffort: string | null): Parameters<typeof newSnapshot>[0] {
  const { kind, description, background, model, call } = brief
  const acpToolCallId = call
  const maxSteps = MAX_STEPS
  return {
    taskId,
    kind,
    description,
    background,
    model,
    reasoningEffort,
    acpToolCallId,
    maxSteps,
    agentName: agentName(brief),
  }
}

function keptOf({ id, snapshot, brief, hears }: Task): KeptTask {
  return { id, snapshot: JSON.stringify(snapshot), role: JSON.stringify({ ...brief, hears }) }
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? ""
}
