import { visibleLines } from "../text/visible.ts"

/** As long as what is said with the last words of a program may be. */
const LONGEST = 2_500

/** The server wants the user to log in. */
export class LoginNeeded extends Error {
  override readonly name = "LoginNeeded"
  /** Where, if it says. */
  readonly url: string | undefined

  constructor(url: string | undefined, options?: ErrorOptions) {
    super(url === undefined ? "it refuses the key or login of its entry; mend that" : "it wants you to log in", options)
    this.url = url
  }
}

/** The status with which a server refused, if it did. */
export function statusOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === "number" && code >= 400 && code < 600
    ? code
    : error instanceof Error && error.cause
      ? statusOf(error.cause)
      : undefined
}

/** Whether it was refused for want of a login. */
export function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return statusOf(error) === 401 || error.constructor.name === "UnauthorizedError" || isUnauthorized(error.cause)
}

/** Whether the time for an answer ran out here. */
export function isTimeout(error: unknown): boolean {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { timeout?: unknown } }
  return code === -32001 && typeof data?.timeout === "number"
}

/** The addresses that the user must open before a call can be made, as the server asks for them. */
export function addressesIn(error: unknown): object[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } }
  const asked = code === -32042 && Array.isArray(data?.elicitations) ? data.elicitations : []
  return asked.filter((one) => typeof one === "object" && one !== null).slice(0, 3)
}

/** What went wrong, without what the SDK says of it, and without what is not seen: a server may have written it. */
export function wordsOf(error: unknown): string {
  if (error instanceof SyntaxError || (error instanceof Error && error.constructor.name.includes("ZodError")))
    return "it has answered with what is no message"
  const text = error instanceof Error ? error.message : String(error)
  return visibleLines(text.replace(/^MCP error -?\d+: /, "").slice(0, LONGEST))
}
