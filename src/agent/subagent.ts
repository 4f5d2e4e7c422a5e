import type { Agent } from "./agent.ts"
import { textOf, type UserMessage } from "./message.ts"
import { runTurn, type StopReason } from "./turn.ts"

/** How a subagent's work ended, and its last words. */
export interface Ending {
  status: "completed" | "failed" | "cancelled"
  text: string
  /** Why it is not whole, in a sentence. */
  error?: string
}

/** Lets a subagent work on what it is told, to its end. Never rejects. */
export async function runToEnd(agent: Agent, said: readonly UserMessage[]): Promise<Ending> {
  const begin = agent.transcript.entries.length
  agent.inbox.post(...said)
  try {
    return endingOf(agent, begin, await runTurn(agent, agent.lifetime))
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { status: "failed", text: lastWords(agent, begin), error: words }
  }
}

function endingOf(agent: Agent, begin: number, stop: StopReason): Ending {
  const text = lastWords(agent, begin)
  switch (stop) {
    case "end_turn":
      return { status: "completed", text }
    case "cancelled": {
      const { reason } = agent.lifetime
      return { status: "cancelled", text, error: reason instanceof Error ? reason.message : String(reason) }
    }
    case "max_turn_requests":
      return { status: "completed", text, error: `it was ended after ${agent.maxSteps} steps` }
    case "max_tokens":
      return { status: "completed", text, error: "its last answer was cut off by the model's limit of tokens" }
    case "refusal":
      return { status: "failed", text, error: "the model refused to answer" }
    case "repeating":
      return { status: "completed", text, error: "it went in circles and was stopped" }
  }
}

/** What it said last, in this turn. */
function lastWords({ transcript }: Agent, begin: number): string {
  const said = transcript.entries.slice(begin).flatMap((entry) => (entry.role === "assistant" ? [entry] : []))
  return said.map(({ content }) => textOf(content).trim()).findLast((text) => text !== "") ?? ""
}
