import type { Methods } from "./connection.ts"
import { AUTH_METHODS } from "./methods/auth.ts"
import { COMPACT_METHODS } from "./methods/compact.ts"
import { CONFIG_METHODS } from "./methods/config.ts"
import { CUSTOM_MODEL_METHODS } from "./methods/custom-models.ts"
import { DEFINITION_METHODS } from "./methods/definitions.ts"
import { PLAN_METHODS } from "./methods/plan.ts"
import { PROMPT_METHODS } from "./methods/prompt.ts"
import { SAVED_METHODS } from "./methods/saved.ts"
import { SESSION_METHODS } from "./methods/session.ts"
import { SUBAGENT_SETTINGS_METHODS } from "./methods/subagent-settings.ts"
import { SUBAGENT_METHODS } from "./methods/subagents.ts"

export { createCore } from "./core.ts"

/** Every method but `initialize`. */
export const METHODS: Methods = {
  ...AUTH_METHODS,
  ...SESSION_METHODS,
  ...SAVED_METHODS,
  ...PROMPT_METHODS,
  ...COMPACT_METHODS,
  ...CONFIG_METHODS,
  ...PLAN_METHODS,
  ...CUSTOM_MODEL_METHODS,
  ...SUBAGENT_METHODS,
  ...DEFINITION_METHODS,
  ...SUBAGENT_SETTINGS_METHODS,
}
