import * as v from "valibot"
import type { Peer } from "../jsonrpc/peer.ts"
import type { ElicitReply } from "../mcp/requests.ts"
import type { Client } from "./client.ts"

const REPLY = v.looseObject({
  action: v.picklist(["accept", "decline", "cancel"]),
  content: v.nullish(v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]))),
})

/** Passes the form of an MCP server on to a client that shows forms. Undefined if this one does not. */
export function formThrough(
  peer: Peer,
  client: () => Client,
  sessionId: string,
): (params: object, signal: AbortSignal) => Promise<ElicitReply | undefined> {
  return async (params, signal) => {
    if (!client().elicits) return undefined
    const { message, requestedSchema } = params as { message?: unknown; requestedSchema?: unknown }
    try {
      const form = { sessionId, mode: "form", message, requestedSchema }
      const { success, output } = v.safeParse(REPLY, await peer.request("elicitation/create", form, signal))
      if (!success) return undefined
      const { action, content } = output
      return { action, ...(content && { content }) }
    } catch {
      signal.throwIfAborted()
      return undefined // it can't after all
    }
  }
}
