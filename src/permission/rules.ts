import { canonicalName } from "../agent/tool-names.ts"
import { visible } from "../text/visible.ts"
import type { Point } from "./policy.ts"
import { isIn } from "./real-path.ts"
import { ruleOf } from "./shell-rules.ts"

/** Whether what is allowed covers a point. */
export function covers(allowed: Iterable<string>, { rule }: Point): boolean {
  if (rule === null) return false
  const folder = READING.exec(rule)?.[1]
  for (const each of allowed) {
    const open = folder === undefined ? undefined : READING.exec(each)?.[1]
    if (each === rule || (open !== undefined && folder !== undefined && isIn(open, folder))) return true
  }
  return false
}

/** What "always" would remember of a call, as the name of the option; null if it can only be allowed once. */
export function nameOfAlways(rules: readonly (string | null)[]): string | null {
  const [rule, ...more] = new Set(rules)
  if (typeof rule !== "string" || more.length > 0) return null
  if (rule === "edit") return "Allow all edits in this session"
  const [, tool = rule, named = ""] = FORM.exec(rule) ?? []
  const what = visible(named)
  switch (tool) {
    case "run_shell_command":
      return `Always allow \`${what}\` in this session`
    case "read_file":
      return `Always allow reading in ${what} in this session`
    case "web_fetch":
      return `Always allow fetching from ${what} in this session`
    case "sub_agent":
      return `Always allow the subagent ${what} in this session`
    default:
      return `Always allow ${tool} in this session`
  }
}

/** `tool`, or `tool(what)`. */
const FORM = /^([^()\s]+)(?:\((.+)\))?$/s
const READING = /^read_file\((.+)\)$/s

export type Parsed = { rule: string } | { error: string }

const FORMS =
  "Write `edit`, `run_shell_command(git push)`, `web_fetch(example.com)`, `read_file(/folder)`, `sub_agent(implement)` or the name of a server's tool, `mcp__server__tool`."

/** Reads an entry of `permissions.allow`. A rule allows just what "always" would, and lasts. */
export function parseRule(text: string, home: string): Parsed {
  const [, name = "", what = ""] = FORM.exec(text.trim()) ?? []
  const tool = canonicalName(name)
  const refused = (why: string): Parsed => ({ error: `permissions.allow: "${text}" ${why}` })
  if (EDITS.has(tool))
    return what === "" ? { rule: "edit" } : refused("can't name files: edits are allowed all together, as `edit`.")
  if (tool.startsWith("mcp__"))
    return what === "" ? { rule: tool } : refused(`has no use for "(${what})": a server's tool is allowed whole.`)
  if (name === "" || !TAKING.has(tool)) return refused(`is no rule that we know. ${FORMS}`)
  if (what === "") return refused(`must say what is allowed. ${FORMS}`)
  switch (tool) {
    case "run_shell_command": {
      const [program = "", ...args] = what.trim().split(/\s+/)
      const words = [program, ...args].join(" ")
      const rule = ruleOf(program, args)
      if (rule === undefined) return refused(`is never allowed in advance: \`${words}\` is asked for each time.`)
      return rule === words
        ? { rule: `${tool}(${rule})` }
        : refused(`would allow more than it says. Write \`${tool}(${rule})\`.`)
    }
    case "web_fetch":
      return /^[\w.:[\]-]+$/.test(what)
        ? { rule: `${tool}(${what.toLowerCase()})` }
        : refused("must name a host, as in `web_fetch(example.com)`.")
    case "read_file": {
      const path = (what === "~" || what.startsWith("~/") ? home + what.slice(1) : what).replace(/(?<=.)\/+$/, "")
      return /^(?:\/|[A-Za-z]:)/.test(path)
        ? { rule: `${tool}(${path})` }
        : refused("must name a folder by its whole path.")
    }
    default:
      return { rule: `${tool}(${what})` }
  }
}

const EDITS: ReadonlySet<string> = new Set([
  "edit",
  "replace",
  "edit_files",
  "write_file",
  "edit_notebook",
  "save_memory",
])
const TAKING: ReadonlySet<string> = new Set(["run_shell_command", "web_fetch", "read_file", "sub_agent"])
