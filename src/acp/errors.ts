import { type FailureKind, ModelFailure } from "../agent/model.ts"
import { RpcError } from "../jsonrpc/message.ts"
import type { Dialect } from "./launch.ts"

/** What the client is told of an error. The only place that knows the numbers of our own errors. */
export function rpcError(error: unknown, dialect: Dialect): RpcError {
  if (error instanceof ModelFailure) return modelError(error, dialect)
  if (error instanceof RpcError) return error
  const details = error instanceof Error ? error.message : String(error)
  return internal(details, "internal", dialect)
}

const AUTH: ReadonlySet<FailureKind> = new Set(["auth"])

function modelError(failure: ModelFailure, dialect: Dialect): RpcError {
  const { kind, message } = failure
  if (AUTH.has(kind)) return authRequired(message)
  return internal(message, `model_${kind}`, dialect)
}

export function authRequired(details: string): RpcError {
  return new RpcError(-32000, "Authentication required", { details, reason: "auth_required" })
}

export function unknownSession(sessionId: string): RpcError {
  const details = `There is no open session "${sessionId}"`
  return new RpcError(-32002, details, { details, reason: "not_found", sessionId })
}

/** Some editors of the standard show details only if nothing stands beside them. */
function internal(details: string, reason: string, dialect: Dialect): RpcError {
  return new RpcError(-32603, details, dialect === "koda" ? { details, reason } : { details })
}
