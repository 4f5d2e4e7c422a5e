import { cutEnd, oneLine } from "../text/truncate.ts"

export type TaskStatus = "queued" | "running" | "stalled" | "completed" | "failed" | "cancelled" | "interrupted"

/** How a task stands, as clients see it. Never changed: a later one takes its place. */
export interface TaskSnapshot {
  readonly taskId: string
  /** The tool that began it. */
  readonly kind: "run_subagent" | "sub_agent"
  readonly description: string
  readonly status: TaskStatus
  /** Its role or profile. */
  readonly agentName: string | null
  /** It does not hold up the call that began it. */
  readonly background: boolean
  readonly model: string
  /** The level that its requests ask for; null: the model's own. */
  readonly reasoningEffort: string | null
  readonly steps: number
  readonly maxSteps: number
  /** What it is doing, in a short line. */
  readonly progress: string
  /** As the provider counted its last request; null before there was one. */
  readonly contextUsage: ContextUsage | null
  /** The call that began it. */
  readonly acpToolCallId: string
  /** ISO 8601, as all times here. */
  readonly createdAt: string
  readonly startedAt: string | null
  /** Grows from each snapshot of a task to the next. */
  readonly updatedAt: string
  readonly finishedAt: string | null
  /** Its report, cut. */
  readonly result: string | null
  readonly error: string | null
}

export interface ContextUsage {
  readonly usedTokens: number
  readonly maxTokens: number | null
}

/** Characters of a result that a snapshot shows; the model reads all of it. */
const RESULT = 4_000
/** Characters of a line. */
const LINE = 160

type First = Pick<
  TaskSnapshot,
  "taskId" | "kind" | "description" | "agentName" | "background" | "model" | "reasoningEffort" | "maxSteps"
> & { acpToolCallId: string }

/** A task that waits for its turn. */
export function newSnapshot(first: First, now: number): TaskSnapshot {
  return {
    taskId: first.taskId,
    kind: first.kind,
    description: first.description,
    status: "queued",
    agentName: first.agentName,
    background: first.background,
    model: first.model,
    reasoningEffort: first.reasoningEffort,
    steps: 0,
    maxSteps: first.maxSteps,
    progress: "",
    contextUsage: null,
    acpToolCallId: first.acpToolCallId,
    createdAt: timeOf(now),
    startedAt: null,
    updatedAt: timeOf(now),
    finishedAt: null,
    result: null,
    error: null,
  }
}

/** The snapshot with what is new of it: later than the one before, whatever the clock says. */
export function changed(task: TaskSnapshot, changes: Partial<TaskSnapshot>, now: number): TaskSnapshot {
  const { result, progress } = changes
  return {
    ...task,
    ...changes,
    ...(result && { result: cutEnd(result, RESULT) }),
    ...(progress && { progress: oneLine(progress, LINE) }),
    updatedAt: timeOf(Math.max(now, Date.parse(task.updatedAt) + 1)),
  }
}

/** Its call has ended before it: what it found is shown by nothing else. */
export function outlivesItsCall({ kind, background }: TaskSnapshot): boolean {
  return kind === "run_subagent" || background
}

/** Whether something is still to come of it. */
export function isAlive({ status }: Pick<TaskSnapshot, "status">): boolean {
  return status === "queued" || status === "running" || status === "stalled"
}

/** Orders tasks by when they ended. */
export function byEnd(a: TaskSnapshot, b: TaskSnapshot): number {
  return Date.parse(a.finishedAt ?? a.updatedAt) - Date.parse(b.finishedAt ?? b.updatedAt)
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
