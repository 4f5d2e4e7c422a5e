import type { Usage } from "../agent/message.ts"

/** The tokens a provider counted, under whatever names; undefined if this is no count, or one of nothing. */
export function usageOf(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const told = value as Record<string, unknown>
  const inDetail = (told["prompt_tokens_details"] ?? told["input_tokens_details"] ?? {}) as Record<string, unknown>
  const outDetail = (told["completion_tokens_details"] ?? told["output_tokens_details"] ?? {}) as Record<
    string,
    unknown
  >
  const input = first(told["prompt_tokens"], told["input_tokens"])
  const output = first(told["completion_tokens"], told["output_tokens"])
  const cached = first(
    inDetail["cached_tokens"],
    told["prompt_cache_hit_tokens"],
    told["cached_tokens"],
    told["cache_read_input_tokens"],
  )
  const thought = first(outDetail["reasoning_tokens"], told["reasoning_tokens"])
  if (input + output === 0) return undefined
  return {
    // some count what was cached, or thought, beside the rest and not in it
    input: cached > input ? input + cached : input,
    output: thought > output ? output + thought : output,
    cached,
    thought,
  }
}

/** The later count, unless it is empty. */
export function laterUsage(before: Usage, value: unknown): Usage {
  return usageOf(value) ?? before
}

function first(...values: unknown[]): number {
  const found = values.find((value) => typeof value === "number" && value > 0)
  return typeof found === "number" ? found : 0
}
