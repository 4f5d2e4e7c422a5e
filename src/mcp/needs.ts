import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth"
import type { Runtime } from "../runtime.ts"
import type { OwnClient } from "./own-client.ts"
import type { Answers } from "./requests.ts"
import type { ServerPlace } from "./stdio.ts"

/** A user's login to one server. */
export interface Login {
  readonly provider: OAuthClientProvider
  /** Where the user must go, once the server has said so. */
  url(): string | undefined
}

/** What all servers of a session are started with. */
export interface ConnectNeeds extends Answers {
  readonly place: Omit<ServerPlace, "env"> & { readonly os: "linux" | "mac" | "windows" }
  readonly fetch: Runtime["fetch"]
  /** The environment that servers have before their own variables. */
  env(): Promise<Record<string, string>>
  readonly version: string
  /** How long a call may take, in milliseconds, if the user has said. */
  readonly timeoutMs?: number
  /** How the user logs in to the server of that address. */
  readonly login?: (url: string, client?: OwnClient) => Login
}
