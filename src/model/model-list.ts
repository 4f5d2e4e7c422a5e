import type { Runtime } from "../runtime.ts"
import { mask } from "../text/mask.ts"
import { endpoint } from "./base-url.ts"
import { causeInWords } from "./failure.ts"
import { isFields } from "./json-file.ts"
import { type Metadata, metadataOf } from "./metadata.ts"

/** Where a list of models is asked for. */
export interface Server {
  /** As {@link baseUrlOf} gives it. */
  baseUrl: string
  apiKey?: string
}

/** `why` is for people, and follows the name of the server. */
export type ListAnswer = { status: "ok"; models: Metadata[] } | NoAnswer
type NoAnswer = { status: "refused" | "unreachable" | "no_list"; why: string }

/** Models that answer no chat, by their names: a list of a big provider is full of them. */
const NO_CHAT =
  /embed|whisper|\btts\b|dall-e|moderation|gpt-image|-image\b|transcribe|realtime|-audio|\bsora\b|davinci|babbage|rerank|\bbge\b/i

/** Asks a server for its models. It never throws. */
export async function askForModels(server: Server, fetch: Runtime["fetch"], signal: AbortSignal): Promise<ListAnswer> {
  const answer = await get(server, endpoint(server.baseUrl, "/models"), fetch, signal)
  if (answer.status !== "ok") return answer
  const items = itemsIn(answer.value)
  if (!items) return { status: "no_list", why: "what it answered is no list of models; is the address right?" }
  const models = unique(items.flatMap((item) => metadataOf(item) ?? []).filter(({ modelId }) => !NO_CHAT.test(modelId)))
  const served = items.some(isLlamaCpp) ? await llamaCppWindow(server, fetch, signal) : undefined
  return {
    status: "ok",
    models: served === undefined ? models : models.map((model) => ({ ...model, contextWindow: served })),
  }
}

function itemsIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isFields(value)) return undefined
  return [value["data"], value["models"]].find(Array.isArray)
}

function unique(models: readonly Metadata[]): Metadata[] {
  return [...new Map(models.map((model) => [model.modelId, model])).values()]
}

function isLlamaCpp(item: unknown): boolean {
  return isFields(item) && item["owned_by"] === "llamacpp"
}

/** Its list tells what a model was trained for; what it serves stands elsewhere. */
async function llamaCppWindow(
  server: Server,
  fetch: Runtime["fetch"],
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = await get(server, `${new URL(server.baseUrl).origin}/props`, fetch, signal)
  if (answer.status !== "ok" || !isFields(answer.value)) return undefined
  const settings = answer.value["default_generation_settings"]
  const served = isFields(settings) ? settings["n_ctx"] : undefined
  return typeof served === "number" && served > 0 ? served : undefined
}

type JsonAnswer = { status: "ok"; value: unknown } | NoAnswer

async function get({ apiKey }: Server, url: string, fetch: Runtime["fetch"], signal: AbortSignal): Promise<JsonAnswer> {
  const secrets = apiKey ? [apiKey] : []
  try {
    const headers = { accept: "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) }
    const response = await fetch(url, { method: "GET", headers, signal })
    const { status, ok } = response
    if (!ok) void response.body?.cancel().catch(() => {}) // its words are of no use here
    if (status === 401 || status === 403) return { status: "refused", why: `it refuses the key (${status})` }
    if (!ok) return { status: status < 500 ? "no_list" : "unreachable", why: `it answered with ${status}` }
    const value = await response.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) return undefined
      throw error
    })
    return { status: "ok", value }
  } catch (error) {
    return {
      status: "unreachable",
      why: signal.aborted ? "it did not answer in time" : mask(causeInWords(error), secrets),
    }
  }
}
