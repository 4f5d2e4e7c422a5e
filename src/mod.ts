/**
 * Koda, a coding agent that editors talk to over the Agent Client Protocol, as a library. The entry points `./node`,
 * `./bun` and `./deno` bring the runtime with them.
 *
 * @module
 */

export type { Launch, OwnModel } from "./acp/launch.ts"
export { createServer, type Server, serve } from "./acp/server.ts"
export type { AssistantMessage, Content, Message, ToolCall, Usage, UserMessage } from "./agent/message.ts"
export { type Model, type ModelEvent, ModelFailure, type ModelRequest } from "./agent/model.ts"
export type { Action, CallContext, Outcome, Reach, Tool } from "./agent/tool.ts"
export type { Runtime } from "./runtime.ts"
