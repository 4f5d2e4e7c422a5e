// All of the SDK's code that we use. It takes a tenth of a second to load, so this file is imported when the first
// server is started, and not before. The comments tell Deno where the types are.

export { Client } from "@modelcontextprotocol/sdk/client"
// @ts-types="@modelcontextprotocol/sdk/client/auth"
export { auth } from "@modelcontextprotocol/sdk/client/auth.js"
// @ts-types="@modelcontextprotocol/sdk/client/auth-extensions"
export { createPrivateKeyJwtAuth } from "@modelcontextprotocol/sdk/client/auth-extensions.js"
// @ts-types="@modelcontextprotocol/sdk/client/sse"
export { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
export { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
// @ts-types="@modelcontextprotocol/sdk/types"
export {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  PromptListChangedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
