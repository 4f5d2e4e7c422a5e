import type { Session } from "../../session/session.ts"
import type { Call } from "../connection.ts"
import type { Core } from "../core.ts"
import { unknownSession } from "../errors.ts"
import { OF_SESSION, parse } from "../params.ts"

/** The open session that the params name. One that is being loaded is waited for. */
export function ofSession({ core, params }: Call): Session | Promise<Session> {
  const { sessionId } = parse(OF_SESSION, params)
  const session = core.sessions.get(sessionId)
  if (session) return session
  const loading = core.loading.get(sessionId)
  if (!loading) throw unknownSession(sessionId)
  return loading.opened.catch(() => {
    throw unknownSession(sessionId)
  })
}

/** Closes a session, and gives up loading it. False if it was neither open nor on its way. */
export async function closeSession(core: Core, sessionId: string): Promise<boolean> {
  const loading = core.loading.get(sessionId)
  loading?.cancel()
  await loading?.opened.catch(() => {}) // told to whoever asked for it
  const session = core.sessions.get(sessionId)
  core.sessions.delete(sessionId)
  await session?.close()
  return loading !== undefined || session !== undefined
}
