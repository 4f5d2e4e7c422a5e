import * as v from "valibot"
import { OAUTH } from "../settings/oauth.ts"

/** As whom we log in to a server, if the user has said. */
export type OwnClient = {
  /** What is asked for where the server does not say what it wants. */
  readonly scope?: string
  /** The only authorization server that is shown what we have. */
  readonly issuer?: string
} & (
  | { readonly type: "known"; readonly clientId: string; readonly clientSecret?: string }
  /** We register, or name the document that says who we are, where a server reads such. */
  | { readonly type: "stranger"; readonly clientMetadataUrl?: string }
  /** Nobody logs in: what is configured is enough. */
  | { readonly type: "service"; readonly clientId: string; readonly key: ServiceKey }
)

/** What a service proves itself with: a secret, or tokens that it signs. */
export type ServiceKey = { readonly clientSecret: string } | { readonly privateKey: string; readonly algorithm: string }

/** Reads the `oauth` of a server's settings. A text says what is wrong with it; never a value: it may be a key. */
export function ownClientIn(given: unknown): OwnClient | string | undefined {
  if (typeof given !== "object" || given === null) return undefined // `true` and `false` are other agents' words
  const { success, output, issues } = v.safeParse(OAUTH, given)
  if (!success) return `Its oauth can't be read: ${issues.map(fault).join("; ")}`
  const { clientId, clientSecret, clientMetadataUrl, grantType, privateKey, algorithm = "RS256", issuer } = output
  const scope = output.scope ?? (output.scopes?.join(" ") || undefined)
  const more = { ...(scope !== undefined && { scope }), ...(issuer !== undefined && { issuer }) }
  if (grantType === "client_credentials" || privateKey !== undefined) {
    const key = privateKey !== undefined ? { privateKey, algorithm } : clientSecret !== undefined && { clientSecret }
    if (clientId === undefined || !key)
      return "Its oauth needs a clientId, and a clientSecret or a privateKey, for client_credentials"
    return { type: "service", clientId, key, ...more }
  }
  if (clientId !== undefined)
    return { type: "known", clientId, ...(clientSecret !== undefined && { clientSecret }), ...more }
  if (clientMetadataUrl === undefined) return { type: "stranger", ...more }
  if (!/^https:\/\/[^/]+\/./.test(clientMetadataUrl))
    return "Its oauth's clientMetadataUrl must be an https address with a path"
  return { type: "stranger", clientMetadataUrl, ...more }
}

function fault(issue: v.BaseIssue<unknown>): string {
  return `"${v.getDotPath(issue)}" ${issue.kind === "schema" ? `must be ${issue.expected}` : issue.message}`
}
