import { type Client, type Loose, type Workshop, type WorkshopOptions, workshop } from "./client.ts"
import { chunk, says } from "./provider.ts"
import { calls, says as text } from "./replies.ts"
import { temporaryFolder } from "./runtime.ts"

/** The client's name for a message, in `_meta`. */
export const LABEL = "com.kodadev.desktopEntryId"

/** A place where sessions are kept. */
export async function keeping(options: WorkshopOptions = {}): Promise<Workshop & { store: string }> {
  const store = `${await temporaryFolder()}/sessions`
  const env = { KODA_ACP_SESSION_STORE_DIR: store, ...options.env }
  return { store, ...(await workshop({ files: { "a.txt": "AAA" }, ...options, env })) }
}

export function prompt(client: Client, sessionId: string, words: string, label?: string): Promise<Loose> {
  const meta = label && { _meta: { [LABEL]: label } }
  return client.request("session/prompt", { sessionId, prompt: text(words), ...meta })
}

/** A session of two turns, one with a call, whose prompts are labelled "one" and "two". */
export async function kept(): Promise<Workshop & { store: string; first: Client; sessionId: string }> {
  const place = await keeping()
  const thinking = chunk({ reasoning_content: "Hm." })
  const looking = calls({ name: "read_file", input: { path: "a.txt" } })
  place.provider.script({ steps: [thinking, ...looking.steps!] }, says("It is AAA."), says("Welcome."))
  const { client, sessionId } = await place.session()
  await prompt(client, sessionId, "What is in a.txt?", "one")
  await prompt(client, sessionId, "Thanks", "two")
  return { ...place, first: client, sessionId }
}

/** What the model was sent of the conversation: role and text. */
export function conversation(request: Loose): string[] {
  return request.body.messages.slice(1).map(({ role, content }: Loose) => `${role}: ${content ?? ""}`)
}
