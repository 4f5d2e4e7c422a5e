import type { OpenAI } from "openai"
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

/** Asks a server: the SDK makes the requests, once for all of them, and we send them. */
export function askerOf({ baseUrl, apiKey, gateway }: Connection, fetch: Runtime["fetch"]): Ask {
  let sdk: Promise<OpenAI> | undefined
  return async (body, { session, task }, signal) => {
    sdk ??= sdkFor(baseUrl, apiKey)
    const { req, url } = await (await sdk).buildRequest({ method: "post", path: "/chat/completions", body })
    const own = gateway ? { "X-Koda-Session": session, ...(task !== undefined && { "X-Koda-Task": task }) } : {}
    const response = await fetch(url, {
      method: "POST",
      headers: { ...needed(req.headers, apiKey), ...own, "user-agent": "koda-acp" },
      body: req.body as string,
      signal,
    })
    return { ...plain(response), refusal: response.ok ? undefined : await beginning(response, signal) }
  }
}

async function sdkFor(baseUrl: string, apiKey: string | undefined): Promise<OpenAI> {
  const { OpenAI } = await import("openai")
  const { origin, pathname, searchParams } = new URL(baseUrl)
  return new OpenAI({
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
