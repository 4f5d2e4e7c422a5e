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

/** Sends the body of a request, and gives back the answer unread. Throws if there is none. */
export type Ask = (
  body: Record<string, unknown>,
  request: Pick<ModelRequest, "session" | "task">,
  signal: AbortSignal,
) => Promise<Answer>

/** Asks a server. The SDK says where and how, once: it is the same for all requests. */
export function askerOf(connection: Connection, fetch: Runtime["fetch"]): Ask {
  let way: Promise<Way> | undefined
  return async (body, { session, task }, signal) => {
    way ??= wayTo(connection)
    const { url, headers } = await way
    const own = connection.gateway && { "X-Koda-Session": session, ...(task !== undefined && { "X-Koda-Task": task }) }
    const init = { method: "POST", headers: { ...headers, ...own }, body: JSON.stringify(body), signal } as const
    const response = await fetch(url, init)
    return { ...plain(response), refusal: response.ok ? undefined : await beginning(response, signal) }
  }
}

interface Way {
  url: string
  headers: Record<string, string>
}

async function wayTo({ baseUrl, apiKey }: Connection): Promise<Way> {
  const { OpenAI } = await import("openai")
  const { origin, pathname, searchParams } = new URL(baseUrl)
  const sdk = new OpenAI({
    baseURL: origin + pathname,
    defaultQuery: Object.fromEntries(searchParams),
    apiKey: apiKey || "none",
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: "off",
    dangerouslyAllowBrowser: true, // nothing of ours runs in one; the check costs, and can only be wrong
  })
  const { url, req } = await sdk.buildRequest({ method: "post", path: "/chat/completions", body: {} })
  return { url, headers: { ...needed(req.headers, apiKey), "user-agent": "koda-acp" } }
}

function plain({ status, headers, body }: Response): Omit<Answer, "refusal"> {
  return { status, headers, body: body ?? new ReadableStream({ start: (controller) => controller.close() }) }
}

/** Headers of the SDK's that a server needs; what it tells of our machine stays here. */
const NEEDED = ["accept", "content-type", "authorization"]

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
