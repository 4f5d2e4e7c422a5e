import { type Content, type ToolCall, textOf } from "../agent/message.ts"
import type { Resolve } from "../session/prompted.ts"
import { isRoleName } from "../subagents/roles.ts"
import { oneLine } from "../text/truncate.ts"
import { OWN } from "./client.ts"

/** Names of roles that a client starts with a prompt, in `_meta`. */
const ROLES = `${OWN}.subagentRoles`

/** Characters of the prompt that name the work of each. */
const DESCRIPTION = 80

/** Roles that a prompt may start. */
const MOST = 4

/** The roles that a prompt asks for: each once, and only names that a role can have. */
export function rolesIn(meta: Readonly<Record<string, unknown>> | null | undefined): string[] {
  const asked = meta?.[ROLES]
  if (!Array.isArray(asked)) return []
  const names = asked.filter((name): name is string => typeof name === "string" && isRoleName(name))
  return [...new Set(names)].slice(0, MOST)
}

/** Reads a prompt, and has each of these roles work on it before the model answers. */
export function withRoles(resolve: Resolve, roles: readonly string[]): Resolve {
  if (roles.length === 0) return resolve
  return async (content, signal) => {
    const resolved = await resolve(content, signal)
    if (resolved.reply !== undefined) return resolved
    return { ...resolved, calls: roles.map((role) => callFor(role, content)) }
  }
}

function callFor(agent: string, content: readonly Content[]): ToolCall {
  const prompt = textOf(content)
  const description = oneLine(prompt.trim().split("\n")[0] as string, DESCRIPTION) || agent
  return { id: crypto.randomUUID(), name: "run_subagent", input: { description, prompt, agent } }
}
