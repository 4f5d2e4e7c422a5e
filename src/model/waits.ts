const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)/gi
const IN_WORDS =
  /(?:try again|retry|wait|reset|available)[^.\d]{0,40}?\b(?:in|after|for)\s+((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/i

/** How long a server asks us to wait, in milliseconds, wherever it says so: headers or words. */
export function waitOf(headers: Headers | undefined, body: string, now: number): number | undefined {
  return (
    milliseconds(headers?.get("retry-after-ms")) ??
    secondsOrDate(headers?.get("retry-after"), now) ??
    retryInfo(body) ??
    inWords(body) ??
    rateLimitReset(headers, now)
  )
}

/** "6m0s", "2.4s", "20 ms", "1 minute" in milliseconds; undefined if it is none of these. */
export function durationOf(text: string): number | undefined {
  let total: number | undefined
  for (const [, amount, unit] of text.matchAll(DURATION)) {
    const short = /^(ms|milli)/i.test(unit!) ? "ms" : unit![0]!.toLowerCase()
    total = (total ?? 0) + Number(amount) * UNITS[short]!
  }
  return total
}

function milliseconds(text: string | null | undefined): number | undefined {
  const value = Number.parseFloat(text ?? "")
  return value >= 0 ? value : undefined
}

function secondsOrDate(text: string | null | undefined, now: number): number | undefined {
  if (!text) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text) * 1000
  const duration = /^\s*\d+(\.\d+)?\s*[a-z]+\s*$/i.test(text) ? durationOf(text) : undefined
  if (duration !== undefined) return duration
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Google's way: a detail of type RetryInfo in the body. */
function retryInfo(body: string): number | undefined {
  const found = /"retryDelay"\s*:\s*"([^"]+)"/.exec(body)?.[1]
  return found === undefined ? undefined : durationOf(found)
}

function inWords(body: string): number | undefined {
  const found = IN_WORDS.exec(body)?.[1]
  return found === undefined ? undefined : durationOf(found)
}

/** Requests and tokens are limited apart; what counts is the limit that is used up. */
function rateLimitReset(headers: Headers | undefined, now: number): number | undefined {
  if (!headers) return undefined
  const limits = ["-requests", "-tokens", ""].flatMap((name) => {
    const reset = moment(headers.get(`x-ratelimit-reset${name}`), now)
    return reset === undefined ? [] : [{ reset, left: headers.get(`x-ratelimit-remaining${name}`) }]
  })
  const usedUp = limits.filter(({ left }) => left !== null && Number(left) <= 0)
  const waits = (usedUp.length > 0 ? usedUp : limits).map(({ reset }) => reset)
  return waits.length > 0 ? Math.max(...waits) : undefined
}

/** A duration, seconds from now, or a moment in seconds or milliseconds since 1970. */
function moment(text: string | null, now: number): number | undefined {
  if (!text) return undefined
  if (!/^\d+(\.\d+)?$/.test(text)) return durationOf(text)
  const value = Number(text)
  if (value > 1e12) return Math.max(0, value - now)
  if (value > 1e9) return Math.max(0, value * 1000 - now)
  return value * 1000
}
