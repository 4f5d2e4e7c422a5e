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
