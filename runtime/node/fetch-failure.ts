import { certificateAdvice } from "./certificates.ts"
import { codeOf } from "./file-error.ts"

/** Says what stood in the way, down to the cause. Keeps the code, by which callers tell whether to try again. */
export function fetchFailure(error: unknown, url: URL): TypeError {
  const code = deepest(error, codeOf)
  const why = deepest(error, (cause) => (cause instanceof Error ? cause.message : String(cause))) || code
  const failure = new TypeError(`could not fetch from ${url.host}: ${why}${certificateAdvice(code || why)}`, {
    cause: error,
  })
  return code ? Object.assign(failure, { code }) : failure
}

/** Of an error, or of what caused it, or of the attempts it sums up. */
function deepest(error: unknown, of: (error: unknown) => string): string {
  const { cause, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown[] }
  if (errors?.length) return [...new Set(errors.map((one) => deepest(one, of)))].join(", ")
  return (cause !== undefined && deepest(cause, of)) || of(error)
}
