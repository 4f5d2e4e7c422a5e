import type { Session } from "../session/session.ts"
import { researchTools } from "../subagents/settings.ts"
import { tell } from "./attach.ts"
import type { Connection } from "./connection.ts"
import type { Core } from "./core.ts"

/** The settings of subagents, and the tools there are for them now, as clients see them. */
export function settingsState(session: Session, core: Core): { settings: object; availableTools: readonly string[] } {
  const { current } = core.subagentsIn(session.cwd).settings
  const available = availableTools(session)
  const tools = current.tools?.filter((name) => available.includes(name)) ?? null
  return { settings: { ...current, tools }, availableTools: available }
}

/** The tools that this session could give a subagent now. */
export function availableTools({ parts: { agent } }: Session): readonly string[] {
  return researchTools(
    agent
      .tools()
      .filter((tool) => agent.gate.offers(tool))
      .map(({ name }) => name),
  )
}

export function tellSettings(connection: Connection, session: Session, core: Core): void {
  if (connection.client.subagents !== true) return
  tell(connection, session, { sessionUpdate: "subagent_settings_update", ...settingsState(session, core) })
}

/** Which sessions a client hears of already. */
const followed = new WeakMap<Connection, WeakSet<Session>>()

/** Tells a client that understands subagents of each change of their settings, roles and profiles, until either is gone. */
export function followSubagents(connection: Connection, session: Session, core: Core): void {
  const { client, peer } = connection
  const { lifetime } = session.parts.agent
  const sessions = followed.get(connection) ?? new WeakSet()
  if (client.subagents !== true || lifetime.aborted || sessions.has(session)) return
  followed.set(connection, sessions.add(session))
  const definitions = core.subagentsIn(session.cwd)
  let told = JSON.stringify(definitions.settings.current)
  const stops = [
    definitions.settings.onChange(() => {
      const before = told
      told = JSON.stringify(definitions.settings.current)
      if (told !== before) tellSettings(connection, session, core) // and not for what only the definitions need
    }),
    definitions.onChange(() => {
      const { agents, errors } = definitions.current
      tell(connection, session, { sessionUpdate: "subagent_definitions_update", agents, errors })
    }),
  ]
  const end = () => {
    for (const stop of stops) stop()
  }
  lifetime.addEventListener("abort", end, { once: true })
  void peer.closed.then(end)
}
