import * as v from "valibot"
import type { Peer } from "../jsonrpc/peer.ts"
import type { ElicitReply } from "../mcp/requests.ts"
import type { Client } from "./client.ts"

const REPLY = v.looseObject({
  action: v.picklist(["accept", "decline", "cancel"]),
  content: v.nullish(v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]))),
})

/** Passes the form or the address of an MCP server on to a client that shows such. Undefined if this one does not. */
export function questionThrough(
  peer: Peer,
  client: () => Client,
  sessionId: string,
): (params: object, signal: AbortSignal) => Promise<ElicitReply | undefined> {
  return async (params, signal) => {
    const question = questionOf(params, client())
    if (!question) return undefined
    try {
      const answer = await peer.request("elicitation/create", { sessionId, ...question }, signal)
      const { success, output } = v.safeParse(REPLY, answer)
      if (!success) return undefined
      const { action, content } = output
      return { action, ...(content && { content }) }
    } catch {
      signal.throwIfAborted()
      return undefined // it can't after all
    }
  }
}

function questionOf(params: object, { elicits, elicitsUrls }: Client): object | undefined {
  const { mode, message, requestedSchema, url, elicitationId } = params as Readonly<Record<string, unknown>>
  if (mode !== "url") return elicits ? { mode: "form", message, requestedSchema } : undefined
  return elicitsUrls && isPage(url) ? { mode, message, url, elicitationId } : undefined
}

/** Not an address that starts a program, or that shows what the server itself has written. */
function isPage(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
