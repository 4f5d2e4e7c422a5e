import { expect, test } from "vitest"
import { attach } from "../../src/acp/attach.ts"
import { unknownClient } from "../../src/acp/client.ts"
import { newConnection } from "../../src/acp/connection.ts"
import type { Core } from "../../src/acp/core.ts"
import type { Peer } from "../../src/jsonrpc/peer.ts"
import type { Session } from "../../src/session/session.ts"

/** Of a session no more than what attaching needs. */
function sessionNamed(id: string) {
  const end = new AbortController()
  const seeing = new Set<unknown>()
  const session = {
    id,
    parts: { agent: { lifetime: end.signal } },
    attach: (client: unknown) => seeing.add(client),
    detach: (client: unknown) => seeing.delete(client),
  }
  return { session: session as unknown as Session, seeing, end: () => end.abort() }
}

function connected() {
  const gone = Promise.withResolvers<void>()
  const connection = newConnection({ closed: gone.promise } as unknown as Peer, unknownClient("auto"))
  return { connection, hangUp: gone.resolve }
}

const core = {} as Core

test("a connection keeps nothing of a session that is closed, however many it has opened", () => {
  const { connection } = connected()
  for (const id of ["a", "b", "c"]) {
    const { session, end } = sessionNamed(id)
    attach(connection, session, core)
    attach(connection, session, core) // loaded again
    expect(connection.attached.size).toBe(1)
    end()
  }
  expect({ attached: connection.attached.size, leaving: connection.leaving.size }).toEqual({ attached: 0, leaving: 0 })
})

test("a client that hangs up sees its sessions no more", async () => {
  const { connection, hangUp } = connected()
  const rigs = ["a", "b"].map(sessionNamed)
  for (const { session } of rigs) attach(connection, session, core)
  expect(rigs.map(({ seeing }) => seeing.size)).toEqual([1, 1])
  hangUp()
  await Promise.resolve()
  await Promise.resolve()
  expect(rigs.map(({ seeing }) => seeing.size)).toEqual([0, 0])
})
