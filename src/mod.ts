/**
 * Koda, a coding agent that editors talk to over the Agent Client Protocol, as a library. The entry points `./node`,
 * `./bun` and `./deno` bring the runtime with them.
 *
 * @module
 */

export type { Launch } from "./acp/launch.ts"
export { createServer, type Server, serve } from "./acp/server.ts"
export type { Action, CallContext, Outcome, Reach, Tool } from "./agent/tool.ts"
export type { Runtime } from "./runtime.ts"
