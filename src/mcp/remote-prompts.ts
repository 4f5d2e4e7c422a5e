import type { Client } from "@modelcontextprotocol/sdk/client"
import * as v from "valibot"
import { visible } from "../text/visible.ts"
import { listed } from "./pages.ts"

/** Nothing waits longer for the list: a server is of use without it. */
const LIST_MS = 3_000
const MOST_PROMPTS = 100
const LONGEST_DESCRIPTION = 200

/** A prompt as its server describes it. */
export interface RemotePrompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/** All prompts of a server; none of one that does not answer. */
export async function listPrompts(client: Client, signal: AbortSignal): Promise<RemotePrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return []
  const options = { most: MOST_PROMPTS, signal, timeout: LIST_MS }
  const entries = await listed(client, ["prompts/list", "prompts"], options).catch(() => [])
  const prompts = new Map<string, RemotePrompt>()
  for (const entry of entries) {
    const { success, output } = v.safeParse(PROMPT, entry)
    if (!success || prompts.has(output.name)) continue
    const { name, title, description, arguments: given } = output
    const words = visible((description || title || "").replace(/\s+/g, " ").trim()).slice(0, LONGEST_DESCRIPTION)
    const taken = (given ?? []).map(({ name, required }) => ({ name, required: required === true }))
    prompts.set(name, { name, description: words, arguments: taken })
  }
  return [...prompts.values()]
}

const TEXT = v.fallback(v.nullish(v.string()), null)
const PROMPT = v.looseObject({
  name: v.pipe(v.string(), v.nonEmpty()),
  title: TEXT,
  description: TEXT,
  arguments: v.nullish(
    v.array(v.looseObject({ name: v.pipe(v.string(), v.nonEmpty()), required: v.nullish(v.boolean()) })),
  ),
})
