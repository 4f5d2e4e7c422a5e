import type { Ending } from "../agent/subagent.ts"
import { agentName, type Brief } from "./brief.ts"

/** What the parent reads of a subagent's work, in Markdown. */
export function reportOf(id: string, brief: Brief, { status, text, error }: Ended): string {
  const name = agentName(brief)
  const who = name === null ? "Subagent" : `Subagent ${name}`
  const notes = [brief.note, error && `${WHY[status]}: ${error}.`].filter(Boolean)
  return [
    `# ${who}: ${brief.description}`,
    `Task ${id}: ${status}.${notes.map((note) => ` ${note}`).join("")}`,
    text || "(There is no report.)",
  ].join("\n\n")
}

type Ended = Omit<Ending, "status"> & { status: Ending["status"] | "interrupted" }

const WHY: Readonly<Record<Ended["status"], string>> = {
  completed: "It is not whole",
  failed: "It failed",
  cancelled: "It was stopped",
  interrupted: "It was cut off",
}
