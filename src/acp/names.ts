/** The methods that are Koda's and not the standard's. Each is also understood as `_kodadev/<name>`. */
export const OWN_METHODS: readonly string[] = [
  "session/set_model",
  "session/set_reasoning_effort",
  "koda/custom_models/list",
  "koda/custom_models/upsert",
  "koda/custom_models/delete",
]

const PREFIX = "_kodadev/"

/** A method by the name that we know it by. */
export function plainName(method: string): string {
  return method.startsWith(PREFIX) ? method.slice(PREFIX.length) : method
}
