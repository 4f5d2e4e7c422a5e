import type { Client } from "@modelcontextprotocol/sdk/client"

const MOST_PAGES = 50

/** What a server lists under one name, page by page; no more than `most` of it. */
export async function listed(
  client: Client,
  [method, key]: readonly [method: string, key: string],
  { most, ...options }: { most: number; signal: AbortSignal; timeout: number },
): Promise<unknown[]> {
  const { ResultSchema } = await import("./sdk.ts")
  const found: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && found.length < most; page++) {
    const result = await client.request(
      { method, params: cursor === undefined ? {} : { cursor } },
      ResultSchema,
      options,
    )
    const entries = result[key]
    if (Array.isArray(entries)) for (const entry of entries.slice(0, most - found.length)) found.push(entry)
    const next = result["nextCursor"]
    if (typeof next !== "string" || next === cursor) break
    cursor = next
  }
  return found
}
