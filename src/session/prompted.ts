import type { Agent } from "../agent/agent.ts"
import {
  type Content,
  saidReply,
  scriptedReply,
  type ToolCall,
  type Usage,
  type UserMessage,
} from "../agent/message.ts"
import type { StopReason } from "../agent/turn.ts"

/** How a turn ended, and what it cost. */
export interface TurnEnd {
  stop: StopReason
  usage: Usage
  promptId: string
}

/** What becomes of a prompt. */
export interface Resolved {
  /** What it says, with what it refers to. */
  readonly content: readonly Content[]
  /** Answers it in the model's place. */
  readonly reply?: string
  /** What is asked, where that is not the words of the prompt. */
  readonly title?: string
  /** Calls that the client makes before the model speaks. */
  readonly calls?: readonly ToolCall[]
}

/** Reads what a prompt refers to, and does what it commands. */
export type Resolve = (content: readonly Content[], signal: AbortSignal) => Promise<Resolved>

/** Puts a prompt before the agent. Of one that is cancelled already nothing comes, but it was said. */
export function put(agent: Agent, message: UserMessage, resolved: Resolved, signal: AbortSignal): void {
  const { content, reply, calls = [] } = resolved
  const whole = { ...message, content: [...content] }
  if (signal.aborted) {
    agent.transcript.append(whole)
    return
  }
  agent.inbox.post(whole)
  if (reply !== undefined) agent.inbox.script(saidReply(reply))
  else if (calls.length > 0) agent.inbox.script(scriptedReply(calls))
}

/** What two of them cost together. */
export function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    thought: a.thought + b.thought,
  }
}
