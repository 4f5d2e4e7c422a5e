import * as v from "valibot"
import type { Session } from "../../session/session.ts"
import { OWN } from "../client.ts"
import { attach, type Call, type Methods, tell } from "../connection.ts"
import { authRequired } from "../errors.ts"
import { mcpState, SERVERS } from "../mcp-state.ts"
import { openSession } from "../open-session.ts"
import { configOptions, modelsState, modesState } from "../options.ts"
import { FOLDER, invalidParams, META, parse } from "../params.ts"
import { SYSTEM, systemOf } from "../system-prompt.ts"
import { usageUpdates } from "../updates.ts"
import { ofSession } from "./of-session.ts"

const NAMES = v.nullish(v.array(v.string()))
/** Koda's own fields, at the root or in `_meta`. */
const OWN_FIELDS = v.looseObject({
  systemPrompt: SYSTEM,
  coreTools: NAMES,
  excludeTools: NAMES,
  allowedSkills: NAMES,
})
type Servers = v.InferOutput<typeof SERVERS>
const NEW = v.looseObject({
  ...OWN_FIELDS.entries,
  cwd: FOLDER,
  additionalDirectories: v.nullish(v.array(FOLDER), []),
  mcpServers: SERVERS,
  _meta: META,
})

export const SESSION_METHODS: Methods = {
  "session/new": async (call) => {
    const { core, connection, params } = call
    await connection.auth.running?.catch(() => {}) // a client that signs in and opens a session in one breath
    const asked = parse(NEW, params)
    const own = { ...ownFieldsOf(asked._meta), ...present(asked) }
    const roots = await foldersOf(call, [asked.cwd, ...asked.additionalDirectories])
    await core.catalog.ready(call.signal)
    mayBegin(call)
    const session = await openSession(core, {
      cwd: asked.cwd,
      roots,
      coreTools: own.coreTools ?? undefined,
      excludeTools: own.excludeTools ?? undefined,
      client: systemOf(own.systemPrompt),
    })
    attach(connection, session, core)
    call.after(() => {
      startUp(call, session, asked.mcpServers)
      core.lookAround()
    })
    return { sessionId: session.id, ...stateOf(call, session, asked.mcpServers) }
  },

  "session/close": async (call) => {
    const session = ofSession(call)
    call.core.sessions.delete(session.id)
    await session.close()
    return {}
  },
}

/** What `session/new` and `session/fork` tell of a session besides its id. */
function stateOf({ core, connection }: Call, { dials }: Session, servers: Servers): object {
  const models = core.catalog.list()
  const own = { models: modelsState(dials, models), mcpState: mcpState(servers) }
  const koda = connection.client.dialect === "koda"
  return {
    modes: modesState(dials.mode),
    configOptions: configOptions(dials, models),
    ...(koda ? own : { _meta: { [OWN]: own } }),
  }
}

/** The updates that follow the answer. */
function startUp({ connection }: Call, session: Session, servers: Servers): void {
  const { client } = connection
  tell(connection, session, { sessionUpdate: "available_commands_update", availableCommands: [] })
  if (client.dialect === "koda") tell(connection, session, { sessionUpdate: "mcp_state_update", ...mcpState(servers) })
  tell(connection, session, { sessionUpdate: "session_info_update", updatedAt: new Date().toISOString() })
  const { contextWindow } = session.parts.agent.model()
  for (const update of usageUpdates(0, contextWindow, client)) tell(connection, session, update)
}

/** The folders, if they are all there. */
async function foldersOf({ core }: Call, folders: readonly string[]): Promise<string[]> {
  for (const folder of folders) {
    const info = await core.runtime.files.stat(folder)
    if (info?.kind !== "folder") throw invalidParams(`there is no folder "${folder}"`, undefined, "not_found")
  }
  return [...new Set(folders)]
}

/** Fails where the user must sign in first. */
function mayBegin({ core, connection }: Call): void {
  const { needsKey, gateway } = core.catalog.access()
  if (connection.auth.method === "koda_auth" && !gateway) throw authRequired(NO_KEY)
  if (needsKey) throw authRequired(`The model "${needsKey}" needs a key. ${NO_KEY}`)
}

const NO_KEY = "Set KODA_API_KEY, or run `koda login`"

function present(fields: v.InferOutput<typeof OWN_FIELDS>): Partial<v.InferOutput<typeof OWN_FIELDS>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}

/** What a client of the standard sends beside the standard's fields. */
function ownFieldsOf(meta: Record<string, unknown> | null): Partial<v.InferOutput<typeof OWN_FIELDS>> {
  return meta?.[OWN] ? parse(OWN_FIELDS, meta[OWN]) : {}
}
