import { type FailureKind, ModelFailure } from "../agent/model.ts"
import { RpcError } from "../jsonrpc/message.ts"
import { StoreError } from "../session/store-error.ts"
import { didYouMean } from "../text/similar.ts"
import type { Dialect } from "./launch.ts"

/** What the client is told of an error. The only place that knows the numbers of our own errors. */
export function rpcError(error: unknown, dialect: Dialect): RpcError {
  if (error instanceof ModelFailure) return modelError(error, dialect)
  if (error instanceof StoreError) return storeError(error, dialect)
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

function storeError({ code, message }: StoreError, dialect: Dialect): RpcError {
  switch (code) {
    case "taken_over":
    case "deleted":
      return new RpcError(-32002, message, { details: message, reason: code })
    case "bad_cursor":
      return new RpcError(-32602, `Invalid params: ${message}`, { details: message, reason: code })
    default:
      return internal(message, `store_${code}`, dialect)
  }
}

export function authRequired(details: string): RpcError {
  return new RpcError(-32000, "Authentication required", { details, reason: "auth_required" })
}

/** A saved session that can't be opened. To editors of the standard, one that is not there is a resource not found. */
export function restoreUnavailable(details: string, reason: string, sessionId: string, dialect: Dialect): RpcError {
  const code = reason === "not_found" && dialect === "standard" ? -32002 : -32001
  return new RpcError(code, `Session restore unavailable: ${details}`, { details, reason, sessionId })
}

export function forkUnavailable(details: string, reason: string, sessionId: string): RpcError {
  return new RpcError(-32002, `Session fork unavailable: ${details}`, { details, reason, sessionId })
}

/** Whoever read what we write has gone, as an editor does that is killed, or `head` that has read enough. */
export function isGone(error: unknown): boolean {
  const { code, name } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: unknown
    name?: unknown
  }
  return code === "EPIPE" || name === "BrokenPipe"
}

export function unknownSession(sessionId: string): RpcError {
  const details = `There is no open session "${sessionId}"`
  return new RpcError(-32002, details, { details, reason: "not_found", sessionId })
}

export function unknownMethod(method: string, methods: readonly string[]): RpcError {
  const details = `There is no method "${method}"${didYouMean(method, methods)}`
  return new RpcError(-32601, details, { details, reason: "unknown_method", method })
}

/** Some editors of the standard show details only if nothing stands beside them. */
function internal(details: string, reason: string, dialect: Dialect): RpcError {
  return new RpcError(-32603, details, dialect === "koda" ? { details, reason } : { details })
}
