/** Takes keys out of a text: these, however they are spelled in it, and whatever looks like one. */
export function mask(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of secrets) {
    if (secret.length < 4) continue // a word as short as this is no key, and is found everywhere
    for (const spelling of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      masked = masked.replaceAll(spelling, "***")
    }
  }
  return masked
    .replace(/\b(sk|pk|rk|gsk|xai|key)-[\w-]{12,}/g, "***")
    .replace(/\b(Bearer|Basic)\s+(?!\*)[\w.~+/=-]{8,}/gi, "$1 ***")
    .replace(/\b(api[-_]?key|access[-_]?token|token|key)=(?!\*)[^\s&"']{8,}/gi, "$1=***")
}

/** Names of fields and variables whose values are nobody's business. */
export const SECRET: RegExp = /key|token|secret|password|authorization|cookie|credential/i

/** The values in an environment that are secrets by their names. */
export function secretsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) && value.length >= 8 ? [value] : []))
}
