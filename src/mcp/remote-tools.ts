import type { Client } from "@modelcontextprotocol/sdk/client"
import * as v from "valibot"

const LIST_MS = 30_000
const MOST_PAGES = 50
const MOST_TOOLS = 300
const LONGEST_DESCRIPTION = 8_000

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  /** The server says that a second call does no harm. */
  readonly repeatable: boolean
}

/** All tools of a server, page by page, as far as anyone could use them. */
export async function listTools(client: Client, signal: AbortSignal): Promise<RemoteTool[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { ResultSchema } = await import("./sdk.ts")
  const tools = new Map<string, RemoteTool>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && tools.size < MOST_TOOLS; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await client.request({ method: "tools/list", params }, ResultSchema, { signal, timeout: LIST_MS })
    for (const tool of toolsIn(result["tools"])) {
      if (!tools.has(tool.name) && tools.size < MOST_TOOLS) tools.set(tool.name, tool)
    }
    const next = result["nextCursor"]
    if (typeof next !== "string" || next === cursor) break
    cursor = next
  }
  return [...tools.values()]
}

const TOOL = v.looseObject({
  name: v.pipe(v.string(), v.nonEmpty()),
  description: v.fallback(v.nullish(v.string(), ""), ""),
  inputSchema: v.unknown(),
  annotations: v.fallback(
    v.nullish(v.looseObject({ readOnlyHint: v.nullish(v.boolean()), idempotentHint: v.nullish(v.boolean()) })),
    null,
  ),
})

/** Tools as far as they can be read; one that is odd spoils no other. */
function toolsIn(list: unknown): RemoteTool[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { success, output } = v.safeParse(v.partial(TOOL, ["inputSchema"]), entry)
    if (!success) return []
    const { name, description, inputSchema, annotations } = output
    const short = (description ?? "").slice(0, LONGEST_DESCRIPTION)
    const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true
    return [{ name, description: short, schema: inputSchema, repeatable }]
  })
}
