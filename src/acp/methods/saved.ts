import * as v from "valibot"
import { type RpcError, refusal } from "../../jsonrpc/message.ts"
import type { SavedSession } from "../../session/saved.ts"
import type { Session } from "../../session/session.ts"
import type { Store } from "../../session/store.ts"
import { outlivesItsCall } from "../../subagents/snapshot.ts"
import { checkFolders, type Request, requestOf } from "../asked.ts"
import { attach, tell } from "../attach.ts"
import { LABEL } from "../client.ts"
import type { Call, Methods } from "../connection.ts"
import type { Loading } from "../core.ts"
import { forkUnavailable, restoreUnavailable } from "../errors.ts"
import { type Follow, restoreSession } from "../open-session.ts"
import { configOptions, modesState } from "../options.ts"
import { FOLDER, META, OF_SESSION, parse } from "../params.ts"
import { replayer } from "../replay.ts"
import { startUp, stateOf } from "../session-state.ts"
import { tellSettings } from "../subagent-news.ts"
import { taskUpdates } from "../subagent-updates.ts"
import { updatesOf } from "../updates.ts"
import { closeSession } from "./of-session.ts"

/** Sessions on a page of a list. */
const PAGE = 50
/** How long entries are told of before what was told gets its turn to leave. */
const SLICE_MS = 10
/** `_meta` by which a client that keeps the history itself asks for none. */
const REPLAY = "com.kodadev.replay"

const LIST = v.looseObject({ cwd: v.nullish(FOLDER), cursor: v.nullish(v.string()) })
const FORK = v.looseObject({ _meta: v.nullish(v.looseObject({ [LABEL]: v.nullish(v.string()) })) })

/** What is done with sessions that are kept. */
export const SAVED_METHODS: Methods = {
  "session/load": (call) =>
    restored(call, parse(v.looseObject({ _meta: META }), call.params)._meta?.[REPLAY] !== false),

  "session/resume": (call) => restored(call, false),

  "session/fork": async (call) => {
    const { core, connection } = call
    const { sessionId } = parse(OF_SESSION, call.params)
    const fail = (details: string, reason: string) => forkUnavailable(details, reason, sessionId)
    const label = parse(FORK, call.params)._meta?.[LABEL] ?? undefined
    const store = await core.store()
    if (!store) throw fail(NO_STORE, "store_disabled")
    if (label === undefined && connection.client.dialect === "koda") {
      throw fail(`_meta["${LABEL}"] names the message before which the branch is built`, "boundary_missing")
    }
    const request = requestOf(call)
    await core.catalog.ready(call.signal)
    const source = await savedIn(call, store, sessionId, request, fail)
    const end = store.branchPoint(sessionId, label)
    if (end === undefined) throw fail(`No message has the label "${label}"`, "boundary_not_found")
    await checkFolders(call, request)
    const { title, whole: _whole, settled: _settled, created: _created, updated: _updated, ...kept } = source
    const id = crypto.randomUUID()
    store.atomically(() => {
      store.create({
        ...kept,
        id,
        ...(title !== undefined && end > 0 && { title }), // it is from what was said first
        roots: request.roots,
        asked: { ...source.asked, ...request.asked },
      })
      store.copy(sessionId, id, end)
    })
    const fork = await restoreSession(core, store, store.find(id) as SavedSession, request, QUIET)
    attach(connection, fork, core)
    call.after(() => {
      tellPlan(call, fork)
      startUp(call, fork, request.servers)
    })
    return { sessionId: id, ...stateOf(call, fork) }
  },

  "session/list": async ({ core, params }) => {
    const { cwd, cursor } = parse(LIST, params)
    const store = await core.store()
    if (!store) return { sessions: [] }
    const folder = cwd == null ? undefined : await core.runtime.files.realPath(cwd).catch(() => cwd.replace(/\/+$/, ""))
    const query = { ...(folder !== undefined && { folder }), ...(cursor != null && { cursor }), limit: PAGE }
    const { sessions, next } = store.list(query)
    return {
      sessions: sessions.map(({ id, cwd, title, updated }) => ({
        sessionId: id,
        cwd,
        ...(title !== undefined && { title }),
        updatedAt: new Date(updated).toISOString(),
      })),
      ...(next !== undefined && { nextCursor: next }),
    }
  },

  "session/delete": async ({ core, params }) => {
    const { sessionId } = parse(OF_SESSION, params)
    await closeSession(core, sessionId)
    ;(await core.store())?.delete(sessionId)
    return {}
  },
}

const NO_STORE = "No sessions are kept; set KODA_ACP_SESSION_STORE_DIR, or start koda with --session-store"
const QUIET: Follow = () => {}

type Fail = (details: string, reason: string) => RpcError

/** Opens a saved session for this client. What is asked of it meanwhile waits. */
async function restored(call: Call, replays: boolean): Promise<object | null> {
  const { core, connection } = call
  const { sessionId } = parse(OF_SESSION, call.params)
  const { dialect } = connection.client
  const fail = (details: string, reason: string) => restoreUnavailable(details, reason, sessionId, dialect)
  const before = core.loading.get(sessionId) // who asked earlier is served first
  const stop = new AbortController()
  const signal = AbortSignal.any([call.signal, stop.signal])
  const follow = wanted(signal, replays ? replayTo(call, { id: sessionId }) : QUIET)
  const restoring = restore({ ...call, signal }, { sessionId, before }, follow, fail)
  const loading: Loading = {
    opened: restoring.then(({ session }) => session),
    cancel() {
      before?.cancel()
      stop.abort(refusal(-32800, "The session was closed while it was being loaded"))
    },
  }
  loading.opened.catch(() => {}) // told to whoever asked
  core.loading.set(sessionId, loading)
  try {
    const { session, request } = await restoring
    stop.signal.throwIfAborted()
    attach(connection, session, core)
    if (replays) {
      tellReports(call, session)
      tellPlan(call, session)
    }
    call.after(() => {
      if (!replays) tellPlan(call, session)
      session.announce("models")
      startUp(call, session, request.servers)
      tellSettings(connection, session, core) // a new session has them in its answer
    })
    if (dialect === "koda") return null
    return { modes: modesState(session.dials.mode), configOptions: configOptions(session.dials, core.catalog.list()) }
  } finally {
    if (core.loading.get(sessionId) === loading) core.loading.delete(sessionId)
  }
}

async function restore(
  call: Call,
  { sessionId, before }: { sessionId: string; before: Loading | undefined },
  follow: Follow,
  fail: Fail,
): Promise<{ session: Session; request: Request }> {
  const { core } = call
  const store = await core.store()
  if (!store) throw fail(NO_STORE, "store_disabled")
  const request = requestOf(call)
  const models = core.catalog.ready(call.signal) // they are not needed before the history has been told
  models.catch(() => {}) // told below
  await before?.opened.catch(() => {})
  call.signal.throwIfAborted()
  const saved = await savedIn(call, store, sessionId, request, fail)
  await checkFolders(call, request)
  const open = core.sessions.get(sessionId)
  if (open?.isInUse(call.connection.attached.get(sessionId)) && store.owns(sessionId)) {
    for (const entry of open.entries) await follow(entry)
    await follow()
    return { session: open, request }
  }
  core.sessions.delete(sessionId)
  await open?.close() // it comes back with what these params say, and with what was said elsewhere
  const followed: Follow = async (entry) => {
    await follow(entry)
    if (!entry) await models
  }
  return { session: await restoreSession(core, store, saved, request, followed), request }
}

/** The saved session of that id, if it belongs to the folder. */
async function savedIn(call: Call, store: Store, id: string, { cwd }: Request, fail: Fail): Promise<SavedSession> {
  const folder = await call.core.runtime.files.realPath(cwd).catch(() => cwd)
  const saved = store.find(id)
  if (!saved) throw fail(`There is no saved session "${id}"`, "not_found")
  if (saved.folder === folder) return saved
  throw fail(`The session belongs to the folder ${saved.cwd}, not to ${cwd}`, "cwd_mismatch")
}

/** What subagents have found, in the calls that began them. Clients that know subagents ask for it. */
function tellReports({ connection }: Call, session: Session): void {
  if (connection.client.subagents !== false) return
  for (const { snapshot, isAlive } of session.parts.subagents.tasks.list()) {
    if (isAlive || !outlivesItsCall(snapshot)) continue
    const updates = taskUpdates({ type: "task", task: snapshot, steps: [] }, connection.client)
    for (const update of updates) tell(connection, session, update)
  }
}

function tellPlan({ connection }: Call, session: Session): void {
  const { plan } = session
  if (plan.entries.length === 0) return
  for (const update of updatesOf({ type: "planned", plan }, connection.client)) tell(connection, session, update)
}

/** Follows for as long as somebody wants to know. */
function wanted(signal: AbortSignal, follow: Follow): Follow {
  return (entry) => {
    signal.throwIfAborted()
    return follow(entry)
  }
}

/** Tells the client what was said, and lets it leave now and then: a long history is not held back to its end. */
function replayTo({ connection }: Call, session: { id: string }): Follow {
  const replay = replayer()
  let paused = 0 // the first leaves at once
  return async (entry) => {
    for (const update of entry ? replay.of(entry) : replay.rest()) tell(connection, session, update)
    if (performance.now() - paused < SLICE_MS) return
    await new Promise((resolve) => setTimeout(resolve))
    paused = performance.now()
  }
}
