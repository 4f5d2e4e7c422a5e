import type { Client } from "@modelcontextprotocol/sdk/client"
import * as v from "valibot"
import { listed } from "./pages.ts"

const LIST_MS = 30_000
const MOST_TOOLS = 300
const LONGEST_DESCRIPTION = 8_000

/** A tool as its server describes it, or ours that reads the server's resources. */
export interface RemoteTool {
  readonly name: string
  readonly method: "tools/call" | "resources/read"
  readonly description: string
  readonly schema: unknown
  /** The server says that a second call does no harm. */
  readonly repeatable: boolean
}

/** All tools of a server, page by page, as far as anyone could use them. */
export async function listTools(client: Client, signal: AbortSignal): Promise<RemoteTool[]> {
  const { tools: hasTools, resources: hasResources } = client.getServerCapabilities() ?? {}
  const options = { most: MOST_TOOLS, signal, timeout: LIST_MS }
  const tools = new Map<string, RemoteTool>()
  const theirs = hasTools ? toolsIn(await listed(client, ["tools/list", "tools"], options)) : []
  for (const tool of hasResources ? [...theirs, READ_RESOURCE] : theirs) {
    if (!tools.has(tool.name)) tools.set(tool.name, tool)
  }
  return [...tools.values()]
}

/** What a tool's result only links to, the model reads by this. */
const READ_RESOURCE: RemoteTool = {
  name: "read_resource",
  method: "resources/read",
  description:
    "Reads a resource of this MCP server by its address: one that a result links to, or that the user names.",
  schema: {
    type: "object",
    properties: { uri: { type: "string", description: "The whole address, as it was given" } },
    required: ["uri"],
  },
  repeatable: true,
}

const TOOL = v.looseObject({
  name: v.pipe(v.string(), v.nonEmpty()),
  description: v.fallback(v.nullish(v.string(), ""), ""),
  inputSchema: v.unknown(),
  execution: v.fallback(v.nullish(v.looseObject({ taskSupport: v.unknown() })), null),
  annotations: v.fallback(
    v.nullish(v.looseObject({ readOnlyHint: v.nullish(v.boolean()), idempotentHint: v.nullish(v.boolean()) })),
    null,
  ),
})

/** Tools as far as they can be read, and called as we call them; one that is odd spoils no other. */
function toolsIn(list: readonly unknown[]): RemoteTool[] {
  return list.flatMap((entry) => {
    const { success, output } = v.safeParse(v.partial(TOOL, ["inputSchema"]), entry)
    if (!success) return []
    const { name, description, inputSchema, execution, annotations } = output
    if (execution?.taskSupport === "required") return []
    const short = (description ?? "").slice(0, LONGEST_DESCRIPTION)
    const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true
    return [{ name, method: "tools/call", description: short, schema: inputSchema, repeatable }]
  })
}
