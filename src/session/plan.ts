import type { Entry } from "../agent/message.ts"

/** The plan that a session has published, whole. */
export interface Plan {
  readonly entries: readonly PlanEntry[]
  readonly explanation?: string
}

export interface PlanEntry {
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly priority: "high" | "medium" | "low"
}

/** A plan that the user has changed, as the model is told of it. */
export function wordsOfPlan({ entries, explanation }: Plan): string {
  if (entries.length === 0) return "The user has cancelled the plan: there is none now. Do not go on with it."
  const steps = entries.map(({ content, status }) => `- [${MARKS[status]}] ${content}`)
  const why = explanation === undefined ? [] : [`The user says: ${explanation}`]
  return ["This is the plan now, as the user wants it ([x] done, [>] in progress):", ...steps, ...why].join("\n")
}

/** Whether there is something left to do. */
export function isOpen({ entries }: Plan): boolean {
  return entries.some(({ status }) => status !== "completed")
}

const MARKS: Readonly<Record<PlanEntry["status"], string>> = { pending: " ", in_progress: ">", completed: "x" }

/** Whether these entries tell the model of another plan than this one: a branch, or one changed after the last turn. */
export function isNews(plan: Plan, entries: readonly Entry[]): boolean {
  const steps = ({ content, status }: Partial<PlanEntry>) => `${status} ${content}`
  return JSON.stringify(plan.entries.map(steps)) !== JSON.stringify(lastTold(entries).map(steps))
}

function lastTold(entries: readonly Entry[]): readonly Partial<PlanEntry>[] {
  for (const entry of entries.toReversed()) {
    if (entry.role !== "assistant") continue
    const call = entry.calls.findLast(({ name }) => name === "todo_write" || name === "generate_plan")
    if (!call) continue
    const { entries: told, steps } = Object(call.input) as Record<string, unknown>
    if (Array.isArray(steps)) return steps.map((content) => ({ content: String(content), status: "pending" }))
    return Array.isArray(told) ? told.map((entry) => Object(entry)) : []
  }
  return []
}
