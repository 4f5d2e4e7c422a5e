import type { Tool } from "../agent/tool.ts"
import { visible } from "../text/visible.ts"
import type { Facts } from "./facts.ts"
import type { Denial, Point, Stance } from "./policy.ts"

/** Why a call is not allowed, for the model. */
export function denial(why: Denial, tool: Pick<Tool, "name">, { policy, mode }: Stance, facts?: Facts): string {
  if (why === "plan_only") return `${tool.name} is only for plan mode, and this is ${mode} mode.`
  const where = policy === "read_only" ? "under the read_only policy" : `in ${mode} mode`
  const start = `${tool.name} is not allowed ${where}:`
  switch (why) {
    case "edit":
      return `${start} nothing may be changed here. Only reading tools run.`
    case "server":
      return `${start} tools of MCP servers do not run here.`
    case "command":
      return `${start} only reading commands run here, and this one ${facts?.type === "command" && !facts.reading ? facts.why : "is none"}.`
    case "unresolved": {
      const words = facts?.type === "command" && facts.reading ? facts.unresolved : []
      return `${start} what the command reads must be clear from its text, and ${quoted(words)} is not. Write the paths out.`
    }
  }
}

/** What the user said no to, for the model. */
export const DECLINED =
  "The user declined this call. Do not try it again, nor the same by other means, unless the user asks for it: go on without it, or say what you need it for."

/** What would have been asked where nobody can answer, for the model. */
export function unasked(points: readonly Point[], tool: Pick<Tool, "name">): string {
  return `${tool.name} needs the user's permission here (${questionAbout(points)}), and there is nobody to ask. Go on without it, and say in your answer what was left undone.`
}

/** What a call does not show by itself, in a sentence for the user: that it leaves the workspace, or touches what matters. */
export function warningAbout(points: readonly Point[]): string | undefined {
  const told = questionAbout(points.filter(({ why }) => why !== "edit" && why !== "command"))
  return told === "" ? undefined : `${told[0]?.toUpperCase()}${told.slice(1)}`
}

/** Why the user is asked, for the user. */
export function questionAbout(points: readonly Point[]): string {
  return [...new Set(points.map(sentence))].join("; ")
}

function sentence({ why, what: named }: Point): string {
  const what = visible(named)
  switch (why) {
    case "edit":
      return what === "" ? "it changes files" : `it changes ${what}`
    case "command":
      return `it runs \`${what}\``
    case "server":
      return `it calls a tool of an MCP server, ${what}`
    case "web":
      return `it fetches from ${what}`
    case "profile":
      return `it starts the subagent ${what}`
    case "outside_read":
      return `it reads outside the workspace: ${what}`
    case "outside_write":
      return `it writes outside the workspace: ${what}`
    case "protected":
      return `it touches a protected place: ${what}`
    case "keys":
      return `it touches keys: ${what}`
    case "unresolved":
      return `what it reads can't be told from its text: ${what}`
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ")
}
