/** What the environment trusts beyond the authorities that everyone trusts; undefined if it names none. */
export function trusted(env: Record<string, string | undefined>): string[] | undefined {
  const files = [env["NODE_EXTRA_CA_CERTS"], env["SSL_CERT_FILE"]].filter((file) => file !== undefined && file !== "")
  const key = files.join("\n")
  if (key !== known?.key) known = { key, authorities: read(files as string[]) }
  return known.authorities
}

let known: { key: string; authorities: string[] | undefined } | undefined

function read(files: string[]): string[] | undefined {
  const { readFileSync } = process.getBuiltinModule("node:fs")
  const extra = files.flatMap((file) => {
    try {
      return [readFileSync(file, "utf8")]
    } catch {
      return [] // a leftover of an environment; a connection that needs it fails and says so
    }
  })
  if (extra.length === 0) return undefined
  return [...process.getBuiltinModule("node:tls").rootCertificates, ...extra]
}

/** What to do about a certificate that is not trusted. */
export function certificateAdvice(code: string): string {
  if (!UNTRUSTED.test(code)) return ""
  return ": its certificate is not trusted; if a company proxy signs it, name the file with its authority in NODE_EXTRA_CA_CERTS"
}

const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|UNKNOWN_ISSUER|UnknownIssuer|CERT_UNTRUSTED/
