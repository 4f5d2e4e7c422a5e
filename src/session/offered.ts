import type { Tool } from "../agent/tool.ts"
import { type Selection, selected } from "../tools/catalog.ts"

/** The tools of a session's main agent: some are offered at times only, and those of MCP servers come and go. */
export interface OfferedTools {
  /** Those that are offered now. */
  now(): Tool[]
  /** The same, as subagents have them: what they touch is not what the main agent has touched. */
  lent(): Tool[]
  has(name: string): boolean
  /** Why one that there is can't be used now; undefined where nothing can be said. */
  absent(name: string): string | undefined
}

export interface OfferedParts {
  /** What the settings and the client leave of the tools. */
  readonly selection: Selection
  /** Those of MCP servers, as they stand now. */
  ofServers(): readonly Tool[]
  /** The same tool, of whose work the main agent hears more. */
  following(tool: Tool): Tool
  isTeaching(): boolean
  hasSkills(): boolean
  /** Whether the user has research by subagents switched on. */
  mayResearch(): boolean
}

export function offeredTools(all: readonly Tool[], parts: OfferedParts): OfferedTools {
  const { selection, ofServers, following } = parts
  const lent = selected(all, selection)
  const own = lent.map(following)
  const isOffered = ({ name }: Tool) => {
    if (name === "check_understanding") return parts.isTeaching()
    if (name === "activate_skill") return parts.hasSkills()
    return name !== "run_subagent" || parts.mayResearch()
  }
  const offered = (tools: readonly Tool[]) => [...tools.filter(isOffered), ...selectedOfServers(ofServers(), selection)]
  return {
    now: () => offered(own),
    lent: () => offered(lent),
    has: (name) => lent.some((tool) => tool.name === name && isOffered(tool)),
    absent: (name) =>
      name === "run_subagent" && lent.some((tool) => tool.name === name) && !parts.mayResearch()
        ? "Subagents are switched off in the user's settings (`subagents.enabled`)."
        : undefined,
  }
}

/** The servers' tools that are left: a list names them, or all of a server's as `mcp__server`, or all as `mcp__*`. */
function selectedOfServers(tools: readonly Tool[], { core, excluded }: Selection): readonly Tool[] {
  const covers = (names: readonly string[], tool: string) =>
    names.some(
      (name) => name === tool || name === "mcp__*" || (name.startsWith("mcp__") && tool.startsWith(`${name}__`)),
    )
  if (!core && excluded.length === 0) return tools
  return tools.filter(({ name }) => (!core || covers(core, name)) && !covers(excluded, name))
}
