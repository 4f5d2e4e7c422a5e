/**
 * The authorities that an environment asks for and the platform leaves out: every runtime reads NODE_EXTRA_CA_CERTS by
 * itself, but Node and Deno not SSL_CERT_FILE. Given together with all the others, as they replace them.
 */
export function trusted(env: Record<string, string | undefined>): string[] | undefined {
  const [extra, file] = [env["NODE_EXTRA_CA_CERTS"], env["SSL_CERT_FILE"]]
  if (!file || file === extra) return undefined
  if (file !== known?.file) known = { file, authorities: read(file, extra) }
  return known.authorities
}

/** Read once: a bundle holds 200 of them. */
let known: { file: string; authorities: string[] | undefined } | undefined

function read(file: string, extra: string | undefined): string[] | undefined {
  const own = textOf(file)
  if (!own) return undefined
  return [...process.getBuiltinModule("node:tls").rootCertificates, own, ...(extra ? [textOf(extra)] : [])]
}

/** Nothing if it can't be read: a leftover of some environment. A connection that needs it fails and says so. */
function textOf(file: string): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** What to do about a certificate that is not trusted. */
export function certificateAdvice(code: string): string {
  if (!UNTRUSTED.test(code)) return ""
  return ": its certificate is not trusted; if a company proxy signs it, name the file with its authority in NODE_EXTRA_CA_CERTS"
}

const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|UNKNOWN_ISSUER|UnknownIssuer|CERT_UNTRUSTED/
