import type { Peer, Received } from "../jsonrpc/peer.ts"
import type { Attached } from "../session/attached.ts"
import type { Client } from "./client.ts"
import type { Core } from "./core.ts"

/** One client, for as long as it is there. */
export interface Connection {
  readonly peer: Peer
  /** What is known of it by now. Read whenever something is told, never copied. */
  client: Client
  /** The way it chose to sign in, and the check that runs. */
  readonly auth: { method?: string; running?: Promise<unknown> }
  /** How it sees the sessions that it has opened, and that are open. */
  readonly attached: Map<string, Attached>
  /** What is to be done when it is gone. */
  readonly leaving: Set<() => void>
}

/** A client that has just come, and of which nothing is known but that. */
export function newConnection(peer: Peer, client: Client): Connection {
  const connection: Connection = { peer, client, auth: {}, attached: new Map(), leaving: new Set() }
  void peer.closed.then(() => {
    for (const leave of connection.leaving) leave()
  })
  return connection
}

/** A message of a client, and all that its handler may need. */
export interface Call extends Received {
  readonly core: Core
  readonly connection: Connection
}

export type Methods = Record<string, (call: Call) => unknown>
