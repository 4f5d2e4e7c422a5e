import * as v from "valibot"

const text = v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty")))

/** The `oauth` of an MCP server: as whom koda logs in to it. What other agents write beside it is kept. */
export const OAUTH = v.looseObject({
  clientId: text,
  clientSecret: text,
  clientMetadataUrl: text,
  grantType: v.optional(v.picklist(["authorization_code", "client_credentials"])),
  privateKey: text,
  algorithm: v.optional(v.picklist(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"])),
  issuer: text,
  scope: text,
  scopes: v.optional(v.array(v.string())),
})
