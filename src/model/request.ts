import type { ModelRequest } from "../agent/model.ts"
import type { Runtime } from "../runtime.ts"
import type { Takes } from "./wire.ts"

/** How a model is reached. */
export interface Connection {
  /** The model's name to the server. */
  id: string
  /** As {@link baseUrlOf} gives it. */
  baseUrl: string
  apiKey?: string
  takes: Takes
  /** The server is Koda's gateway: it is told whose work a request is. */
  gateway?: true
  /** What the user wants sent besides. */
  parameters?: Readonly<Record<string, unknown>>
  /** Milliseconds of silence after which to give up; none if not given, since some models think for minutes. */
  idleLimit?: number
}

/** A server's answer: a stream, or the body of a refusal. */
export interface Answer {
  status: number
  headers: Headers
  body: ReadableStream<Uint8Array>
  refusal: string | undefined
}

/** Begins to load the SDK, so that the first request does not wait for it. */
export async function preload(): Promise<void> {
  await import("openai")
}

/** The longest time a timer can be set to: we wait as long as the user does. */
const FOREVER = 2 ** 31 - 1
/** Headers of the SDK's that a server needs; what it tells of our machine stays here. */
const NEEDED = ["accept", "content-type", "authorization"]

/** Sends a request through the SDK, and gives back the answer unread. Throws if there is none. */
export async function ask(
  { baseUrl, apiKey, gateway }: Connection,
  body: Record<string, unknown>,
  { session, task }: ModelRequest,
  fetch: Runtime["fetch"],
  signal: AbortSignal,
): Promise<Answer> {
  const { OpenAI } = await import("openai")
  const { origin, pathname, searchParams } = new URL(baseUrl)
  const own = gateway ? { "X-Koda-Session": session, ...(task !== undefined && { "X-Koda-Task": task }) } : {}
  let refused: Answer | undefined
  const client = new OpenAI({
    baseURL: origin + pathname,
    defaultQuery: Object.fromEntries(searchParams),
    apiKey: apiKey || "none",
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: FOREVER,
    logLevel: "off",
    dangerouslyAllowBrowser: true, // nothing of ours runs in one; the check costs, and can only be wrong
    async fetch(url, init) {
      const response = await fetch(String(url), {
        method: "POST",
        headers: { ...needed(new Headers(init?.headers as HeadersInit), apiKey), ...own, "user-agent": "koda-acp" },
        body: init?.body as string,
        signal,
      })
      // read here: the SDK keeps only what is spelled as OpenAI would
      if (!response.ok) refused = { ...plain(response), refusal: await beginning(response, signal) }
      return response.ok ? response : new Response(null, { status: 418 })
    },
  })
  try {
    const response = await client.post("/chat/completions", { body, stream: true, signal }).asResponse()
    return { ...plain(response), refusal: undefined }
  } catch (error) {
    if (refused) return refused
    throw error
  }
}

function plain({ status, headers, body }: Response): Omit<Answer, "refusal"> {
  return { status, headers, body: body ?? new ReadableStream({ start: (controller) => controller.close() }) }
}

function needed(headers: Headers, apiKey: string | undefined): Record<string, string> {
  const names = NEEDED.filter((name) => name !== "authorization" || apiKey)
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])))
}

/** The most of a refusal that we read, in bytes. */
const LONGEST_REFUSAL = 65_536

async function beginning({ body }: Response, signal: AbortSignal): Promise<string> {
  if (!body) return ""
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      if ((size += value.length) >= LONGEST_REFUSAL) break
    }
  } catch {
    signal.throwIfAborted() // else what has come is what there is
  }
  void reader.cancel().catch(() => {})
  return text
}
