import type { Agent } from "./agent.ts"
import type { ModelRequest } from "./model.ts"
import { messagesForModel } from "./transcript.ts"

/** What the agent asks its model next, as things stand. */
export function requestOf(agent: Agent): ModelRequest {
  const effort = agent.effort()
  return {
    ...whoseWork(agent),
    instructions: agent.instructions(),
    messages: messagesForModel(agent.transcript.entries),
    tools: agent.tools().filter((tool) => agent.gate.offers(tool)),
    ...(effort && { effort }),
  }
}

/** What every request says of where it comes from. */
export function whoseWork({ session, task }: Agent): Pick<ModelRequest, "session" | "task"> {
  return { session, ...(task && { task }) }
}
