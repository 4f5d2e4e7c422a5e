import type { Session } from "../session/session.ts"
import type { Found } from "../subagents/found.ts"
import type { Core } from "./core.ts"

/** What `/agents`, `/skills` and `/memory` say: what there is, and where more would come from. */
export const INVENTORY: Readonly<Record<string, (core: Core, session: Session) => Promise<string>>> = {
  async agents(core, session) {
    const found = await core.subagentsIn(session.cwd).refresh()
    const none = `There are no roles. A file \`.koda/agents/NAME.md\`, or one in \`${core.home}/agents\`, makes one.`
    const broken = found.errors.map(({ message }) => `- ${message}`)
    return [
      has(session, "run_subagent", "sub_agent") ? "" : "This session has no tool that starts subagents.",
      listed("Roles do research:", rowsOf(found.roles), none),
      listed("Profiles are given work:", rowsOf(found.profiles), ""),
      broken.length > 0 ? ["These can't be read:", ...broken].join("\n") : "",
    ]
      .filter((part) => part !== "")
      .join("\n\n")
  },

  async skills({ home }, { parts: { knowledge } }) {
    const { skills, faults } = await knowledge.skills.look()
    const rows = skills.map(({ name, description }) => `\`${name}\` ${description}`)
    const none = `There are no skills. A file \`.koda/skills/NAME/SKILL.md\`, or one in \`${home}/skills\`, makes one.`
    const there = listed("There are these skills:", rows, none)
    return faults.length === 0 ? there : [there, "", "Not used:", "", ...faults.map((fault) => `- ${fault}`)].join("\n")
  },

  async memory(_, { parts: { knowledge } }) {
    await knowledge.project.refresh()
    const none = "There is no KODA.md and no AGENTS.md for this folder. `/init` writes a KODA.md."
    const rows = knowledge.project.paths.map((path) => `\`${path}\``)
    return listed("There are these files of instructions:", rows, none)
  },
}

function has({ parts }: Session, ...names: readonly string[]): boolean {
  return parts.agent.tools().some(({ name }) => names.includes(name))
}

function rowsOf(all: Found["roles"] | Found["profiles"]): string[] {
  return [...all].map(([name, { definition, enabled }]) => {
    return `\`${name}\` ${definition.description}${enabled ? "" : " (switched off)"}`
  })
}

function listed(title: string, rows: readonly string[], none: string): string {
  return rows.length === 0 ? none : [title, "", ...rows.map((row) => `- ${row}`)].join("\n")
}
