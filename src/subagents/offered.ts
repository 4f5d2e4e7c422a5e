import type { Defined, Found } from "./found.ts"

/** The roles that `run_subagent` can be given, for the system prompt; "" if there are none. */
export function rolesText({ roles }: Found): string {
  const lines = linesOf(roles)
  return lines.length === 0 ? "" : `Roles for \`run_subagent\` (its parameter \`agent\`):\n${lines.join("\n")}`
}

/** The profiles that `sub_agent` can be given, for the system prompt. */
export function profilesText({ profiles }: Found): string {
  return `Profiles for \`sub_agent\` (its parameter \`agent\`, the whole id):\n${linesOf(profiles).join("\n")}`
}

/** The model reads these lines with every request. */
const MOST_OF_DESCRIPTION = 240

function linesOf(all: ReadonlyMap<string, Defined<{ readonly description: string }>>): string[] {
  return [...all].flatMap(([name, { definition, enabled }]) => (enabled ? [lineOf(name, definition.description)] : []))
}

function lineOf(name: string, description: string): string {
  const words = [...description.replaceAll(/\s+/g, " ").trim()]
  if (words.length === 0) return `- ${name}`
  const shown = words.length > MOST_OF_DESCRIPTION ? [...words.slice(0, MOST_OF_DESCRIPTION - 1), "…"] : words
  return `- ${name}: ${shown.join("")}`
}
