import type { Attached, SessionEvent } from "../session/attached.ts"
import type { Session } from "../session/session.ts"
import { askThrough } from "./ask.ts"
import { commandsUpdate } from "./commands.ts"
import type { Connection } from "./connection.ts"
import type { Core } from "./core.ts"
import { editorOf, terminalsOf } from "./editor.ts"
import { inquireThrough } from "./elicit.ts"
import { configOptions } from "./options.ts"
import { questionThrough } from "./server-questions.ts"
import { type Update, updatesOf } from "./updates.ts"

/** Lets a client see a session, until either is gone. */
export function attach(connection: Connection, session: Session, { catalog }: Core): void {
  const { peer } = connection
  const attached: Attached = {
    get takesDeliveries() {
      return connection.client.subagents === true
    },
    tell(event) {
      if (event.type === "child") {
        tellOfChild(connection, event)
        return
      }
      if (event.type === "elicited") {
        const { elicitationId } = event
        if (connection.client.elicitsUrls) peer.notify("elicitation/complete", { elicitationId })
        return
      }
      if (event.type === "turned" && event.changed === "commands") tell(connection, session, commandsUpdate(session))
      else if (event.type === "turned" && event.changed === "servers") tellServers(connection, session)
      else if (event.type === "turned") tellDials(connection, session, event.changed, catalog.list())
      else for (const update of updatesOf(event, connection.client)) tell(connection, session, update)
    },
    ask: askThrough(peer, session.id),
    inquire: inquireThrough(peer, () => connection.client, session.id),
    elicit: questionThrough(peer, () => connection.client, session.id),
    editor: editorOf(peer, () => connection.client, session.id),
    get terminals() {
      return connection.client.terminal ? terminalsOf(peer, session.id) : undefined
    },
  }
  const before = connection.attached.get(session.id)
  if (before) session.detach(before) // loaded again: it is told once
  session.attach(attached)
  connection.attached.set(session.id, attached)
  const leave = () => session.detach(attached)
  connection.leaving.add(leave)
  const forget = () => {
    connection.leaving.delete(leave)
    if (connection.attached.get(session.id) === attached) connection.attached.delete(session.id)
  }
  session.parts.agent.lifetime.addEventListener("abort", forget, { once: true })
}

/** What a subagent does, to a client to which it is a session of its own. */
function tellOfChild(connection: Connection, { task, event }: Extract<SessionEvent, { type: "child" }>): void {
  const { client } = connection
  if (client.subagents !== "standard") return
  for (const update of updatesOf(event, client)) tell(connection, { id: task }, update)
}

export function tell({ peer }: Connection, { id }: Pick<Session, "id">, update: Update): void {
  peer.notify("session/update", { sessionId: id, update })
}

/** How the MCP servers stand, to a client that knows the update. */
export function tellServers(connection: Connection, { id, parts }: Session): void {
  if (connection.client.dialect !== "koda") return
  tell(connection, { id }, { sessionUpdate: "mcp_state_update", ...parts.servers.state })
}

function tellDials(
  connection: Connection,
  session: Session,
  changed: string,
  models: Parameters<typeof configOptions>[1],
): void {
  if (changed === "mode") {
    tell(connection, session, { sessionUpdate: "current_mode_update", currentModeId: session.dials.mode })
  }
  const options = configOptions(session.dials, models)
  tell(connection, session, { sessionUpdate: "config_option_update", configOptions: options })
}
