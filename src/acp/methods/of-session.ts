import type { Session } from "../../session/session.ts"
import type { Call } from "../connection.ts"
import { unknownSession } from "../errors.ts"
import { OF_SESSION, parse } from "../params.ts"

/** The open session that the params name. One that is being loaded is waited for. */
export function ofSession({ core, params }: Call): Session | Promise<Session> {
  const { sessionId } = parse(OF_SESSION, params)
  const session = core.sessions.get(sessionId)
  if (session) return session
  const loading = core.loading.get(sessionId)
  if (!loading) throw unknownSession(sessionId)
  return loading.catch(() => {
    throw unknownSession(sessionId)
  })
}
