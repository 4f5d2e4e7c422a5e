import type { Files } from "../runtime.ts"
import type { Session } from "../session/session.ts"
import { profilesText, rolesText } from "../subagents/offered.ts"
import type { Core } from "./core.ts"

/** What `/mcp`, `/agents`, `/skills` and `/memory` say: what there is, and where more would come from. */
export const INVENTORY: Readonly<Record<string, (core: Core, session: Session) => Promise<string>>> = {
  async mcp(core, { cwd }) {
    const { settings } = await core.settingsFor(cwd)
    const names = Object.keys(settings.mcpServers)
    const named = listed("The settings name these servers:", names, 'The settings name no servers ("mcpServers").')
    return `This version of koda does not start MCP servers.\n\n${named}`
  },

  async agents(core, session) {
    const found = await core.subagentsIn(session.cwd).refresh()
    const none = `There are no roles. A file \`.koda/agents/NAME.md\`, or one in \`${core.home}/agents\`, makes one.`
    const broken = found.errors.map(({ message }) => `- ${message}`)
    return [
      has(session, "run_subagent", "sub_agent") ? "" : "This session has no tool that starts subagents.",
      rolesText(found) || none,
      profilesText(found),
      broken.length > 0 ? ["These can't be read:", ...broken].join("\n") : "",
    ]
      .filter((part) => part !== "")
      .join("\n\n")
  },

  async skills({ runtime: { files }, home }, session) {
    const folders = [`${session.cwd}/.koda/skills`, `${home}/skills`]
    const found = await Promise.all(
      folders.map(async (folder) => {
        const names = await namesIn(files, folder)
        const stats = await Promise.all(names.map((name) => files.stat(`${name}/SKILL.md`).catch(() => undefined)))
        return names.filter((_, at) => stats[at]?.kind === "file")
      }),
    )
    const can = has(session, "activate_skill") ? "" : "This session has no tool that uses skills.\n\n"
    const none = `There are no skills. A file \`.koda/skills/NAME/SKILL.md\`, or one in \`${home}/skills\`, makes one.`
    return can + listed("There are these skills:", found.flat(), none)
  },

  async memory({ runtime: { files } }, { cwd }) {
    const paths = [`${cwd}/KODA.md`, `${cwd}/AGENTS.md`]
    const stats = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)))
    const there = paths.filter((_, at) => stats[at]?.kind === "file")
    const none = "There is no KODA.md and no AGENTS.md in this folder. `/init` writes a KODA.md."
    return listed("There are these files of instructions:", there, none)
  },
}

function has({ parts }: Session, ...names: readonly string[]): boolean {
  return parts.agent.tools().some(({ name }) => names.includes(name))
}

async function namesIn(files: Files, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => []) // there is none
  return entries.map(({ name }) => `${folder}/${name}`)
}

function listed(title: string, names: readonly string[], none: string): string {
  return names.length === 0 ? none : [title, "", ...names.map((name) => `- \`${name}\``)].join("\n")
}
