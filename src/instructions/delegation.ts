/** What the model is told of those it can give work to. */
export interface Delegation {
  /** Whether it has `run_subagent`, and `sub_agent`. */
  research: boolean
  handover: boolean
  /** Who they are, one line each. */
  roles: string
  profiles: string
}

/** Which tool is for what, and who there is; "" without either tool. */
export function delegationText({ research, handover, roles, profiles }: Delegation): string {
  if (!research && !handover) return ""
  return [
    "Subagents know nothing of this conversation, and their reports come back to you. Do small work yourself.",
    research && "`run_subagent`: research that only reads, several side by side. Make independent calls in one reply.",
    handover &&
      "`sub_agent`: a piece of work that is handed over whole, changes included; you get its report. With `background` it only reads.",
    research && roles,
    handover && profiles,
  ]
    .filter((part) => typeof part === "string" && part !== "")
    .join("\n")
}
