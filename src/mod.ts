/**
 * Koda, a coding agent that editors talk to over the Agent Client Protocol, as a library. The entry points `./node`,
 * `./bun` and `./deno` bring the runtime with them.
 *
 * @module
 */

import type { Launch } from "./acp/launch.ts"
import type { Runtime } from "./runtime.ts"

/** What a program that embeds the agent may choose. All of it may be left out. */
export interface Options extends Launch {
  /** Parts of the platform in the place of its own: `openDatabase` decides where sessions are kept, `fetch` what is asked how. */
  readonly runtime?: Partial<Runtime>
}

export type { Dialect, Launch, OwnModel } from "./acp/launch.ts"
export { createServer, type Server, serve } from "./acp/server.ts"
export type {
  AssistantMessage,
  Content,
  Display,
  Location,
  Message,
  ReplyStop,
  ToolCall,
  ToolKind,
  ToolMessage,
  ToolResult,
  Usage,
  UserMessage,
} from "./agent/message.ts"
export { type FailureKind, type Model, type ModelEvent, ModelFailure, type ModelRequest } from "./agent/model.ts"
export type { Action, CallContext, Outcome, Progress, Reach, Tool, ToolSpec } from "./agent/tool.ts"
export type { Peer } from "./jsonrpc/peer.ts"
export type { Mode, Policy } from "./permission/policy.ts"
export type { Database, Runtime, SqlValue } from "./runtime.ts"
