import * as v from "valibot"
import { RpcError } from "../jsonrpc/message.ts"

/** Params as the schema says, or the error that says what is wrong with them. */
export function parse<Schema extends v.GenericSchema>(schema: Schema, params: unknown): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, params ?? {})
  if (success) return output
  const found = issues.map((issue) => ({ path: v.getDotPath(issue) ?? "", message: messageOf(issue) }))
  throw invalidParams(found.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; "), found)
}

function messageOf({ input, kind, expected, message }: v.BaseIssue<unknown>): string {
  if (input === undefined) return "is missing"
  return kind === "schema" && expected !== null ? `must be ${expected}` : message
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
  v.check((path) => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path), "is not an absolute path"),
)
