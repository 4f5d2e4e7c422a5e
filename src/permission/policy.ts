import type { ToolKind } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import type { Facts } from "./facts.ts"
import type { Place } from "./paths.ts"

/** How freely the agent may act. */
export type Policy = "read_only" | "default" | "auto_edit" | "yolo"
/** What kind of work it does. */
export type Mode = "code" | "ask" | "plan" | "debug" | "educator"

/**
 * What the session's user has chosen. The two are independent, and a call must pass both: `read_only` takes nothing
 * from what the mode says, and the policy before it comes back when it is chosen again.
 */
export interface Stance {
  readonly policy: Policy
  readonly mode: Mode
}

export type Judgement = { type: "allow" } | { type: "ask"; points: readonly Point[] } | { type: "deny"; why: Denial }

/** Something about a call that the user must agree to. */
export interface Point {
  why:
    | "edit"
    | "command"
    | "server"
    | "web"
    | "profile"
    | "outside_read"
    | "outside_write"
    | "protected"
    | "keys"
    | "unresolved"
  /** The path, command, host or name it is about; paths as they are once links are followed. */
  what: string
  /** What "always" would remember; null if this is asked each time. */
  rule: string | null
}

export type Denial = "edit" | "server" | "command" | "unresolved" | "plan_only"

/**
 * Judges a call by what is known of it; without facts, whether the tool may ever run here. Pure: the same question gets
 * the same answer.
 */
export function judge(stance: Stance, tool: Pick<Tool, "name" | "kind">, facts?: Facts): Judgement {
  if (tool.name === "generate_plan") return stance.mode === "plan" ? ALLOW : deny("plan_only")
  const now = facts ?? unseen(tool)
  const edits = changesFiles(tool, now)
  if (onlyReads(stance)) {
    if (edits) return deny("edit")
    if (now.type === "server") return deny("server")
    if (now.type === "command" && !ALWAYS.has(tool.name)) {
      if (!now.reading) return deny("command")
      if (now.unresolved.length > 0) return deny("unresolved")
    }
  }
  const points = pointsOf(stance.policy, tool, now, edits)
  return points.length === 0 ? ALLOW : { type: "ask", points }
}

/** Whether nothing may be changed, by the policy or by the mode. */
export function onlyReads({ policy, mode }: Stance): boolean {
  return policy === "read_only" || mode === "ask" || mode === "plan" || mode === "educator"
}

const ALLOW: Judgement = { type: "allow" }

function deny(why: Denial): Judgement {
  return { type: "deny", why }
}

/** Tools that run under every policy and in every mode; only the paths they name are judged. */
const ALWAYS: ReadonlySet<string> = new Set([
  "read_file",
  "read_many_files",
  "list_directory",
  "glob",
  "search_file_content",
  "codebase_search",
  "read_lints",
  "web_search",
  "todo_write",
  "ask_questions",
  "check_understanding",
  "activate_skill",
  "run_subagent",
  "sub_agent",
  "agent_status",
  "command_status",
])

const EDITS: ReadonlySet<ToolKind> = new Set<ToolKind>(["edit", "delete", "move"])

function changesFiles(tool: Pick<Tool, "name" | "kind">, facts: Facts): boolean {
  if (facts.type === "files" && facts.writes.length > 0) return true
  return EDITS.has(tool.kind) && !ALWAYS.has(tool.name) && facts.type !== "server"
}

/** What can be said of a tool before it is called. */
function unseen({ name, kind }: Pick<Tool, "name" | "kind">): Facts {
  const isServers = name.startsWith("mcp__") || (kind === "other" && !ALWAYS.has(name))
  return isServers ? { type: "server", trusted: false } : { type: "nothing" }
}

function pointsOf(policy: Policy, { name }: Pick<Tool, "name">, facts: Facts, edits: boolean): readonly Point[] {
  const isFree = policy === "yolo"
  const editing: Point[] = edits && policy === "default" ? [{ why: "edit", what: "", rule: "edit" }] : []
  switch (facts.type) {
    case "nothing":
      return editing
    case "files": {
      const writes = facts.writes.flatMap((place) => writePoints(policy, place))
      const whole = facts.writes.length === 0 ? editing : []
      return [...whole, ...writes, ...facts.reads.flatMap((place) => readPoints(policy, place))]
    }
    case "command":
      if (ALWAYS.has(name)) return []
      return facts.reading ? readingPoints(policy, facts) : commandPoints(policy, facts)
    case "server":
      return isFree || facts.trusted ? [] : [{ why: "server", what: name, rule: name }]
    case "web":
      if (policy !== "default" || ALWAYS.has(name)) return []
      return [{ why: "web", what: facts.host, rule: `web_fetch(${facts.host})` }]
    case "profile":
      if (policy !== "default" || facts.profile === "research") return []
      return [{ why: "profile", what: facts.profile, rule: `sub_agent(${facts.profile})` }]
  }
}

function writePoints(policy: Policy, place: Place): Point[] {
  if (place.keys) return [{ why: "keys", what: place.real, rule: null }]
  if (policy === "yolo") return []
  if (!place.inside) return [{ why: "outside_write", what: place.real, rule: null }]
  if (place.protected) return [{ why: "protected", what: place.real, rule: null }]
  return policy === "default" ? [{ why: "edit", what: place.real, rule: "edit" }] : []
}

function readPoints(policy: Policy, place: Place): Point[] {
  if (place.keys) return [{ why: "keys", what: place.real, rule: null }]
  if (policy === "yolo" || place.inside) return []
  return [{ why: "outside_read", what: place.real, rule: place.folder === null ? null : `read_file(${place.folder})` }]
}

type CommandFacts = Extract<Facts, { type: "command" }>

function readingPoints(policy: Policy, facts: Extract<CommandFacts, { reading: true }>): Point[] {
  const unresolved: Point[] = facts.unresolved.map((what) => ({ why: "unresolved", what, rule: null }))
  return [...(policy === "yolo" ? [] : unresolved), ...facts.reads.flatMap((place) => readPoints(policy, place))]
}

function commandPoints(policy: Policy, facts: Extract<CommandFacts, { reading: false }>): Point[] {
  const keys = facts.names.find((place) => place.keys)
  if (keys) return [{ why: "keys", what: keys.real, rule: null }]
  if (policy === "yolo") return []
  const guarded = facts.names.find((place) => place.protected)
  if (guarded) return [{ why: "protected", what: guarded.real, rule: null }]
  // What was allowed in the workspace is not allowed elsewhere.
  const isRemembered = facts.rules !== null && facts.names.every((place) => place.inside)
  if (!isRemembered) return [{ why: "command", what: facts.command, rule: null }]
  return (facts.rules ?? []).map((rule) => ({ why: "command", what: rule, rule: `run_shell_command(${rule})` }))
}
