import { checkFolders, requestOf } from "../asked.ts"
import { attach } from "../attach.ts"
import type { Call, Methods } from "../connection.ts"
import { authRequired, unknownSession } from "../errors.ts"
import { newSession } from "../open-session.ts"
import { OF_SESSION, parse } from "../params.ts"
import { startUp, stateOf } from "../session-state.ts"
import { closeSession } from "./of-session.ts"

export const SESSION_METHODS: Methods = {
  "session/new": async (call) => {
    const { core, connection } = call
    await connection.auth.running?.catch(() => {}) // a client that signs in and opens a session in one breath
    const request = requestOf(call)
    await checkFolders(call, request)
    await core.catalog.ready(call.signal)
    mayBegin(call)
    const session = await newSession(core, request)
    attach(connection, session, core)
    call.after(() => startUp(call, session, request.servers))
    return { sessionId: session.id, ...stateOf(call, session) }
  },

  "session/close": async ({ core, params }) => {
    const { sessionId } = parse(OF_SESSION, params)
    if (!(await closeSession(core, sessionId))) throw unknownSession(sessionId)
    return {}
  },
}

/** Fails where the user must sign in first. */
function mayBegin({ core, connection }: Call): void {
  const { needsKey, gateway } = core.catalog.access()
  if (connection.auth.method === "koda_auth" && !gateway) throw authRequired(NO_KEY)
  if (needsKey) throw authRequired(`The model "${needsKey}" needs a key. ${NO_KEY}`)
}

const NO_KEY = "Set KODA_API_KEY, or run `koda login`"
