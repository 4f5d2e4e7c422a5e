/** Where a provider's API begins, whatever part of its address the user pasted. Undefined if it is no web address. */
export function baseUrlOf(text: string): string | undefined {
  const url = urlOf(text.trim())
  if (!url || !["http:", "https:"].includes(url.protocol)) return undefined
  const path = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/(chat\/completions|completions|models|responses)$/, "")
    .replace(/\/+$/, "")
  return `${url.protocol}//${url.host}${path || "/v1"}${url.search}`
}

/** An address of the API below its base. The base's query, which some gateways need, stays. */
export function endpoint(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  return `${url.origin}${url.pathname}${path}${url.search}`
}

/** An address that can be shown: without its query, where keys are found. */
export function shownUrl(address: string): string {
  const url = urlOf(address)
  return url ? `${url.origin}${url.pathname.replace(/\/$/, "")}` : "an address that is not one"
}

function urlOf(text: string): URL | undefined {
  const scheme = /^(localhost|127\.|\[|\d+\.\d+\.\d+\.\d+)/.test(text) ? "http://" : "https://"
  return URL.parse(text.includes("://") ? text : scheme + text) ?? undefined
}
