import type { Mode, Policy } from "../permission/policy.ts"

/** What a user can turn while a session runs. */
export interface Dials {
  readonly model: string
  readonly policy: Policy
  readonly mode: Mode
  /** What the user chose, by model. */
  readonly efforts: ReadonlyMap<string, string>
}

/** A model as a menu shows it. */
export interface ModelChoice {
  readonly modelId: string
  readonly name: string
  readonly description: string | null
  readonly imageSupport: boolean
  readonly reasoning?: { readonly supportedEfforts: readonly string[]; readonly defaultEffort: string }
}

/** How hard a model thinks; undefined if it has no efforts. A remembered one that it no longer has does not count. */
export function effortOf({ efforts }: Dials, { modelId, reasoning }: ModelChoice): string | undefined {
  const chosen = efforts.get(modelId)
  return reasoning && chosen && reasoning.supportedEfforts.includes(chosen) ? chosen : reasoning?.defaultEffort
}
