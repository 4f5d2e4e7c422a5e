import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth"
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth"
import type { Login } from "./needs.ts"
import type { OwnClient } from "./own-client.ts"

/** The login of a service: what is configured is exchanged for tokens, and no person takes part. They are not kept. */
export function serviceLogin({ clientId, key, scope, issuer }: Extract<OwnClient, { type: "service" }>): Login {
  let tokens: OAuthTokens | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: "koda",
      redirect_uris: [],
      grant_types: ["client_credentials"],
      ...(scope !== undefined && { scope }),
    },
    clientInformation: () => ({
      client_id: clientId,
      ...("clientSecret" in key && { client_secret: key.clientSecret }),
      ...(issuer !== undefined && { issuer }),
    }),
    tokens: () => tokens,
    saveTokens: (fresh) => void (tokens = fresh),
    prepareTokenRequest: (scope) => new URLSearchParams({ grant_type: "client_credentials", ...(scope && { scope }) }),
    redirectToAuthorization() {},
    saveCodeVerifier() {},
    codeVerifier: () => "",
    ...("privateKey" in key && {
      async addClientAuthentication(headers, params, url, metadata) {
        const { createPrivateKeyJwtAuth } = await import("./sdk.ts")
        const { privateKey, algorithm: alg } = key
        const prove = createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg })
        await prove(headers, params, url, metadata)
      },
    }),
  }
  return { provider, url: () => undefined }
}
