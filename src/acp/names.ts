/** The methods that are Koda's and not the standard's. Each is also understood as `_kodadev/<name>`. */
export const OWN_METHODS: readonly string[] = [
  "session/compact",
  "session/set_model",
  "session/set_reasoning_effort",
  "session/set_plan",
  "session/subagent_list",
  "session/subagent_details",
  "session/subagent_cancel",
  "session/subagent_restart",
  "session/subagent_extend",
  "session/subagent_release_wait",
  "session/subagent_prompt",
  "session/subagent_compress",
  "session/subagent_definitions",
  "session/subagent_definition_create",
  "session/subagent_definition_delete",
  "session/subagent_definition_read",
  "session/subagent_definition_write",
  "session/subagent_settings",
  "session/subagent_set_settings",
  "session/set_subagent_settings",
  "koda/custom_models/list",
  "koda/custom_models/upsert",
  "koda/custom_models/delete",
]

const PREFIX = "_kodadev/"

/** A method by the name that we know it by. */
export function plainName(method: string): string {
  return method.startsWith(PREFIX) ? method.slice(PREFIX.length) : method
}
