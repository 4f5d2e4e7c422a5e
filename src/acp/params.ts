import * as v from "valibot"
import { RpcError } from "../jsonrpc/message.ts"
import { expectedInWords } from "../text/expected.ts"

/** Params as the schema says, or the error that says what is wrong with them. */
export function parse<Schema extends v.GenericSchema>(schema: Schema, params: unknown): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, params ?? {})
  if (success) return output
  const found = issues.map((issue) => {
    const path = v.getDotPath(issue) ?? ""
    return { path, message: messageOf(issue, path) }
  })
  throw invalidParams(found.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; "), found)
}

function messageOf({ input, kind, expected, received, message }: v.BaseIssue<unknown>, path: string): string {
  if (input === undefined) return "is missing"
  if (kind !== "schema" || expected === null) return message
  const isSecret = /key|token|secret|env|headers/i.test(path)
  return `must be ${expectedInWords(expected)}${isSecret ? "" : `, not ${received.slice(0, 80)}`}`
}

/** -32602, with what is wrong in words and, where it can be said, for each field. */
export function invalidParams(
  details: string,
  issues?: readonly { path: string; message: string }[],
  reason = "invalid_params",
): RpcError {
  return new RpcError(-32602, `Invalid params: ${details}`, { details, reason, ...(issues && { issues }) })
}

export const OF_SESSION = v.looseObject({ sessionId: v.string() })

export const META = v.nullish(v.looseObject({}), {})

/** Absolute, on any system. */
export const FOLDER = v.pipe(
  v.string(),
  v.check(
    (path) => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path),
    ({ input }) => `${JSON.stringify(input)} is not an absolute path`,
  ),
)
