import { canonicalName } from "../agent/tool-names.ts"
import type { SubagentSettings } from "../settings/keys.ts"

/** The section `subagents` of the settings; what was not said has its default. */
export interface SubagentValues {
  /** Whether the model is given `run_subagent`. */
  readonly enabled: boolean
  readonly maxConcurrent: number
  /** The agent goes on while its subagents work. */
  readonly allowParentToContinue: boolean
  /** Null: the parent's. */
  readonly model: string | null
  /** Null: the model's own. */
  readonly reasoningEffort: string | null
  /** Research tools by their one name; null: all there are, also those to come. */
  readonly tools: readonly string[] | null
  readonly disabledAgentNames: readonly string[]
}

export const MAX_CONCURRENT_RANGE = { min: 1, max: 10 } as const

/** What a subagent that only looks may be given at all. */
export const RESEARCH_TOOLS: readonly string[] = [
  "read_file",
  "list_directory",
  "glob",
  "search_file_content",
  "read_many_files",
  "web_fetch",
  "web_search",
  "read_lints",
  "codebase_search",
]

/** The efforts that models commonly know; those of the models at hand come to them. */
export const COMMON_EFFORTS: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

const DEFAULTS: SubagentValues = {
  enabled: true,
  maxConcurrent: 4,
  allowParentToContinue: false,
  model: null,
  reasoningEffort: null,
  tools: null,
  disabledAgentNames: [],
}

/** What the section means: numbers within their range, unknown efforts and tools left out. */
export function subagentValues(section: SubagentSettings, efforts: readonly string[] = COMMON_EFFORTS): SubagentValues {
  const { enabled, maxConcurrent, allowParentToContinue, model, reasoningEffort, tools, disabledAgentNames } = section
  return {
    enabled: enabled ?? DEFAULTS.enabled,
    maxConcurrent: clamped(maxConcurrent ?? DEFAULTS.maxConcurrent),
    allowParentToContinue: allowParentToContinue ?? DEFAULTS.allowParentToContinue,
    model: model == null || model === "inherit" ? null : model,
    reasoningEffort: reasoningEffort != null && efforts.includes(reasoningEffort) ? reasoningEffort : null,
    tools: tools ? researchTools(tools) : null,
    disabledAgentNames: [...new Set(disabledAgentNames)],
  }
}

/** The research tools among these names, aliases understood, each once. */
export function researchTools(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(canonicalName))].filter((name) => RESEARCH_TOOLS.includes(name))
}

/** What a research child is given: what there is, less what the settings and its role leave out. */
export function childTools(
  available: readonly string[],
  { tools }: Pick<SubagentValues, "tools">,
  role?: { readonly tools: readonly string[] | null },
): readonly string[] {
  return researchTools(available).filter(
    (name) => (tools?.includes(name) ?? true) && (role?.tools?.includes(name) ?? true),
  )
}

function clamped(count: number): number {
  const { min, max } = MAX_CONCURRENT_RANGE
  return Math.min(max, Math.max(min, Math.round(count) || min))
}
