import { type FailureKind, ModelFailure } from "../agent/model.ts"
import { mask } from "../text/mask.ts"
import { shownUrl } from "./base-url.ts"
import { waitOf } from "./waits.ts"

/** What went wrong: an answer that says so, or an error that was thrown. */
export interface Trouble {
  status?: number
  headers?: Headers
  body?: string
  error?: unknown
}

/** Whom we asked, and what must not be repeated. */
export interface Place {
  baseUrl: string
  model: string
  secrets: readonly string[]
}

const OVERFLOW =
  /context[_ ]length|context[_ ](size|window)|maximum context|prompt is too long|input (length|is too long|token)|too many (input )?tokens|reduce the length|exceeds? the (available|maximum|model'?s?|limit).{0,40}(context|tokens?|length)|request_too_large|token limit exceeded|maximum prompt length/i
const RATE = /tokens per min|\bTPM\b|\bRPM\b|per minute|rate[_ -]?limit|too many requests|overloaded_error/i
const QUOTA =
  /insufficient_(quota|balance|credits?)|exceeded your current quota|billing|credit balance|insufficient (balance|credits?|funds)|payment required|out of credits|spend(ing)? limit/i
const NO_MODEL =
  /model_not_found|no such model|unknown model|invalid model|model[^.]{0,80}(not found|does not exist|doesn't exist|is not available|not exist)|(not found|does not exist)[^.]{0,20}model/i

/** What a provider's trouble means to us, in a sentence that names the place and holds no secret. */
export function failureOf(trouble: Trouble, { baseUrl, model, secrets }: Place, now: number): ModelFailure {
  const { status, headers, body = "" } = trouble
  const kind = kindOf(trouble)
  const wait = kind === "rate_limit" || kind === "server" ? waitOf(headers, body, now) : undefined
  const words = trouble.error === undefined ? wordsOf(body) : causeInWords(trouble.error)
  const sentence = `${lead(kind, status, headers, shownUrl(baseUrl), model)}${words && `: ${words}`}`
  return new ModelFailure(kind, mask(sentence, secrets), {
    ...(wait !== undefined && { retryAfter: wait }),
    ...(status !== undefined && { status }),
    ...(trouble.error !== undefined && { cause: trouble.error }),
  })
}

/** The context window that an overflow's words tell, in tokens. */
export function windowIn(text: string): number | undefined {
  const found =
    /maximum context length (?:is|of)\D{0,10}([\d,_]+)/i.exec(text) ??
    /"n_ctx"\s*:\s*(\d+)/.exec(text) ??
    /context (?:size|window|length)[^.\d]{0,30}\(?([\d,_]{4,})/i.exec(text) ??
    />\s*([\d,_]{4,})\s*(?:tokens )?max/i.exec(text) ??
    /maximum (?:number of |input |prompt )?(?:tokens|length)[^.\d]{0,30}([\d,_]{4,})/i.exec(text)
  const value = Number(found?.[1]?.replace(/[,_]/g, ""))
  return value >= 256 ? value : undefined
}

/** The error in a chunk of an answer that began well. */
export function errorIn(chunk: unknown): { status?: number; body: string } | undefined {
  if (typeof chunk !== "object" || chunk === null) return undefined
  const { error, object, choices, detail } = chunk as Record<string, unknown>
  const found = error || (object === "error" || (detail && !choices) ? chunk : undefined)
  if (!found) return undefined
  const { code, status } = found as Record<string, unknown>
  const told = [status, code].map(Number).find((value) => value >= 400 && value < 600)
  return { ...(told !== undefined && { status: told }), body: JSON.stringify({ error: found }) }
}

/** The codes in an error and all that caused it, and its words, outermost first. */
export function causesOf(error: unknown): { codes: string[]; words: string[] } {
  const codes: string[] = []
  const words: string[] = []
  for (let at: unknown = error, depth = 0; at && depth < 6; depth++) {
    if (typeof at !== "object") {
      words.push(String(at))
      break
    }
    const { code, message, cause, errors } = at as {
      code?: unknown
      message?: unknown
      cause?: unknown
      errors?: unknown[]
    }
    if (typeof code === "string") codes.push(code)
    if (typeof message === "string" && message && !words.includes(message)) words.push(message)
    at = cause ?? errors?.[0]
  }
  return { codes, words }
}

function kindOf({ status, headers, body = "", error }: Trouble): FailureKind {
  if (error !== undefined) return "network"
  const rate = RATE.test(body)
  if (status === 429 || (rate && status !== 401 && status !== 403)) return limited(headers, body)
  if (OVERFLOW.test(body) || status === 413) return "too_long"
  if (status === 402 || QUOTA.test(body)) return "quota"
  if (status === 401 || status === 403 || /invalid_api_key|authentication_error/.test(body)) return "auth"
  if (NO_MODEL.test(body) || (status === 404 && /\bmodel\b/i.test(wordsOf(body)))) return "model"
  if (status === undefined || status >= 500 || [408, 409, 425].includes(status)) return "server"
  return "request"
}

/** A limit that a wait lifts, or one that it does not. */
function limited(headers: Headers | undefined, body: string): FailureKind {
  if (/insufficient_(quota|balance)/.test(body)) return "quota"
  const [, limit, requested] = /limit:?\s*(\d+)[^.]*?requested:?\s*(\d+)/i.exec(body) ?? []
  if (limit && Number(requested) > Number(limit) && /too large/i.test(body)) return "quota"
  return QUOTA.test(body) && waitOf(headers, body, 0) === undefined ? "quota" : "rate_limit"
}

function lead(
  kind: FailureKind,
  status: number | undefined,
  headers: Headers | undefined,
  url: string,
  model: string,
): string {
  const code = status === undefined ? "" : ` (${status})`
  switch (kind) {
    case "auth":
      return `${url} refused the key for model "${model}"${code}; sign in or give another key`
    case "too_long":
      return `The request is too long for model "${model}" at ${url}${code}`
    case "quota":
      return `The quota for model "${model}" at ${url} does not allow this${code}`
    case "rate_limit":
      return `${url} limits the rate of requests to model "${model}"${code}`
    case "model":
      return `${url} has no model "${model}"${code}`
    case "network":
      return `No answer, or not all of it, came from ${url} for model "${model}"`
    case "server":
      return `${url} failed to answer for model "${model}"${code}`
    case "request": {
      if (status === 404) return `${url} has no chat completions${code}; check the base URL of model "${model}"`
      const target = headers?.get("location")
      if (status && status < 400 && target)
        return `${url} redirects to ${shownUrl(target)}; make that the base URL of model "${model}"`
      return `${url} did not accept the request for model "${model}"${code}`
    }
    case "empty":
      return `Model "${model}" at ${url} returned nothing`
  }
}

/** The longest message that we repeat, in characters. */
const LONGEST = 600

function wordsOf(body: string): string {
  const words = body.trimStart().startsWith("<") ? htmlText(body) : (messageIn(body) ?? body)
  const line = words.replace(/\s+/g, " ").trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function htmlText(html: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim()
  return title || html.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
}

/** The message in a body, in whichever of the usual places it is. */
function messageIn(body: string): string | undefined {
  try {
    return messageOf(JSON.parse(body))
  } catch {
    return undefined
  }
}

function messageOf(value: unknown): string | undefined {
  if (typeof value === "string") return value
  if (Array.isArray(value))
    return (
      value
        .map((item) => messageOf(item) ?? "")
        .filter(Boolean)
        .join("; ") || undefined
    )
  if (typeof value !== "object" || value === null) return undefined
  const { error, message, detail, msg, errors, metadata } = value as Record<string, unknown>
  const own = messageOf(message) ?? messageOf(msg)
  const raw = typeof metadata === "object" && metadata ? (metadata as { raw?: unknown }).raw : undefined
  if (own !== undefined) return typeof raw === "string" ? `${own} (${messageIn(raw) ?? raw})` : own
  return messageOf(error) ?? messageOf(detail) ?? messageOf(errors)
}

const ADVICE: [RegExp, string][] = [
  [
    /ECONNREFUSED|ConnectionRefused|Connection refused|Unable to connect/i,
    "connection refused; is the server running?",
  ],
  [/ENOTFOUND|dns error|FailedToResolve|getaddrinfo(?!.*EAI_AGAIN)/i, "the host name is not known"],
  [/EAI_AGAIN/, "the host name could not be looked up just now"],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UnknownIssuer|certificate/,
    "its certificate is not trusted; name your company's CA file in NODE_EXTRA_CA_CERTS",
  ],
]

/** "fetch failed" helps nobody: what caused it does. */
export function causeInWords(error: unknown): string {
  const { codes, words } = causesOf(error)
  const all = [...codes, ...words].join(" ")
  const advice = ADVICE.find(([pattern]) => pattern.test(all))?.[1]
  const told =
    words.findLast((line) => !/^(fetch failed|connection error\.?|terminated)$/i.test(line)) ?? words.at(-1) ?? ""
  if (!advice) return told
  const code = codes.findLast((code) => !told.includes(code))
  return `${advice} (${[code, told].filter(Boolean).join(": ")})`
}
