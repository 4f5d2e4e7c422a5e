import type { Said } from "./keys.ts"

export interface Merged {
  said: Said
  /** Keys of the workspace that do not hold. */
  leftOut: readonly string[]
}

type ToolName = (name: string) => string

/** The modes in which nothing is changed. */
const READING: readonly unknown[] = ["ask", "plan", "educator"]

/**
 * A trusted workspace's settings over the user's: key by key, and entry by entry where there are entries. It can't trust
 * another workspace for the user.
 */
export function merged(ours: Said, theirs: Said): Merged {
  const { trustedWorkspaces, ...rest } = theirs
  return { said: over(ours, rest) as Said, leftOut: trustedWorkspaces ? ["trustedWorkspaces"] : [] }
}

/** The user's settings, with what an untrusted workspace may say: what narrows, and words. */
export function narrowed(ours: Said, theirs: Said, toolName: ToolName): Merged {
  const said: Said = {
    ...ours,
    ...(theirs.model !== undefined && { model: theirs.model }),
    ...(theirs.uiLanguage !== undefined && { uiLanguage: theirs.uiLanguage }),
    ...(theirs.mode !== undefined && READING.includes(theirs.mode) && { mode: theirs.mode }),
    ...(theirs.coreTools && { coreTools: inBoth(ours.coreTools ?? theirs.coreTools, theirs.coreTools, toolName) }),
    ...(theirs.excludeTools && { excludeTools: [...new Set([...(ours.excludeTools ?? []), ...theirs.excludeTools])] }),
  }
  const holds = (key: string) =>
    key === "coreTools" || key === "excludeTools" || said[key as keyof Said] === theirs[key as keyof Said]
  return { said, leftOut: Object.keys(theirs).filter((key) => !holds(key)) }
}

function inBoth(ours: readonly string[], theirs: readonly string[], toolName: ToolName): readonly string[] {
  const named = new Set(theirs.map(toolName))
  return ours.filter((name) => named.has(toolName(name)))
}

function over(ours: Said, theirs: Said): object {
  const both: Record<string, unknown> = { ...ours }
  for (const [key, value] of Object.entries(theirs)) {
    const before = both[key]
    both[key] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value
  }
  return both
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
