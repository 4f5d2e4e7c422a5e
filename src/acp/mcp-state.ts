import * as v from "valibot"

/** MCP servers as clients send them; any shape is read, and what it means is decided where they are started. */
export const SERVERS = v.nullish(v.array(v.looseObject({ name: v.nullish(v.string()) })), [])
export type Servers = v.InferOutput<typeof SERVERS>

/** How a session's MCP servers stand. */
export function mcpState(servers: Servers): { discoveryState: string; servers: object[] } {
  const error = "This version of koda does not start MCP servers"
  const named = servers?.map(({ name }, at) => ({ name: name ?? `server ${at + 1}`, status: "disconnected", error }))
  return { discoveryState: "completed", servers: named ?? [] }
}
