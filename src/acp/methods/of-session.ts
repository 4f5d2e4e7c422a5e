import type { Session } from "../../session/session.ts"
import type { Call } from "../connection.ts"
import { unknownSession } from "../errors.ts"
import { OF_SESSION, parse } from "../params.ts"

/** The open session that the params name. */
export function ofSession({ core, params }: Call): Session {
  const { sessionId } = parse(OF_SESSION, params)
  const session = core.sessions.get(sessionId)
  if (!session) throw unknownSession(sessionId)
  return session
}
