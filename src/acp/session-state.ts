import { fromClient } from "../mcp/config.ts"
import type { Session } from "../session/session.ts"
import { tell, tellServers } from "./attach.ts"
import { OWN } from "./client.ts"
import { commandsUpdate } from "./commands.ts"
import type { Call } from "./connection.ts"
import type { Servers } from "./mcp-state.ts"
import { subagentsState } from "./methods/subagents.ts"
import { configOptions, modelsState, modesState } from "./options.ts"
import { followSubagents } from "./subagent-news.ts"
import { taskUpdates } from "./subagent-updates.ts"
import { usageUpdates } from "./updates.ts"

/** What the answer to `session/new` and `session/fork` tells of a session besides its id. */
export function stateOf({ core, connection }: Call, session: Session): object {
  const { dials } = session
  const models = core.catalog.list()
  const own = {
    models: modelsState(dials, models),
    mcpState: session.parts.servers.state,
    subagents: subagentsState(session, core),
  }
  const koda = connection.client.dialect === "koda"
  return {
    modes: modesState(dials.mode),
    configOptions: configOptions(dials, models),
    ...(koda ? own : { _meta: { [OWN]: own } }),
  }
}

/** The updates that follow the answer, and what begins with it: nobody has waited for MCP servers. */
export function startUp({ core, connection }: Call, session: Session, servers: Servers): void {
  const { client } = connection
  tell(connection, session, commandsUpdate(session))
  session.parts.servers.add(fromClient(servers)) // a session that was open already has those of before
  tellServers(connection, session)
  const title = session.title !== undefined && { title: session.title }
  tell(connection, session, { sessionUpdate: "session_info_update", ...title, updatedAt: new Date().toISOString() })
  const window = core.catalog.model(session.dials.model)?.contextWindow
  for (const update of usageUpdates(session.contextUsed, window, client)) tell(connection, session, update)
  followSubagents(connection, session, core)
  for (const { snapshot } of session.parts.subagents.tasks.list()) {
    if (client.subagents === false) break
    for (const update of taskUpdates({ type: "task", task: snapshot }, client)) tell(connection, session, update)
  }
  core.lookAround()
  session.parts.servers.start()
}
