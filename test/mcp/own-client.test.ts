import { expect, test } from "vitest"
import { ownClientIn } from "../../src/mcp/own-client.ts"

test.each<[string, unknown, unknown]>([
  ["nothing", undefined, undefined],
  ["a switch of other agents", true, undefined],
  ["none of our keys", { callbackPort: 8080 }, { type: "stranger" }],
  ["scopes in a list", { scopes: ["read", "write"] }, { type: "stranger", scope: "read write" }],
  [
    "a document that says who we are",
    { clientMetadataUrl: "https://me.example/koda.json", scope: "read" },
    { type: "stranger", clientMetadataUrl: "https://me.example/koda.json", scope: "read" },
  ],
  ["a client that the server knows", { clientId: "c" }, { type: "known", clientId: "c" }],
  [
    "with its secret, and who may see it",
    { clientId: "c", clientSecret: "s", issuer: "https://login.example" },
    { type: "known", clientId: "c", clientSecret: "s", issuer: "https://login.example" },
  ],
  [
    "a service with a secret",
    { grantType: "client_credentials", clientId: "c", clientSecret: "s" },
    { type: "service", clientId: "c", key: { clientSecret: "s" } },
  ],
  [
    "a service with a key",
    { clientId: "c", privateKey: "k", algorithm: "ES256" },
    { type: "service", clientId: "c", key: { privateKey: "k", algorithm: "ES256" } },
  ],
])("an oauth entry of settings is read: %s", (_, given, client) => {
  expect(ownClientIn(given)).toEqual(client)
})

test.each<[unknown, string]>([
  [{ clientId: 5 }, 'Its oauth can\'t be read: "clientId" must be string'],
  [{ clientSecret: "" }, 'Its oauth can\'t be read: "clientSecret" must not be empty'],
  [
    { grantType: "password" },
    'Its oauth can\'t be read: "grantType" must be ("authorization_code" | "client_credentials")',
  ],
  [
    { grantType: "client_credentials", clientId: "c" },
    "Its oauth needs a clientId, and a clientSecret or a privateKey, for client_credentials",
  ],
  [{ clientMetadataUrl: "http://me.example/x" }, "Its oauth's clientMetadataUrl must be an https address with a path"],
])("an oauth entry that is wrong says so: %j", (given, words) => {
  expect(ownClientIn(given)).toBe(words)
})
