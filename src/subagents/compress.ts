import type { Agent } from "../agent/agent.ts"
import type { AgentEvent } from "../agent/event.ts"
import { roomOf } from "../agent/room.ts"
import { summarise } from "../agent/summary.ts"
import { tokensIn } from "../agent/tokens.ts"
import { messagesForModel } from "../agent/transcript.ts"

/** Tokens of a conversation. */
export interface Compressed {
  before: number
  after: number
}

/** Tokens of the words that stand in for a conversation, at most. */
const NOTES = 4_000
/** Of the window, what the request for them may take. */
const REQUEST = 0.7

/** Puts all that was said in few words. Nothing is changed if the model fails: then it throws the failure. */
export async function compressAll(agent: Agent, signal: AbortSignal): Promise<Compressed> {
  const { transcript } = agent
  const { used, beside } = roomOf(agent)
  const messages = messagesForModel(transcript.entries)
  if (messages.length === 0) return { before: used, after: used }
  const id = crypto.randomUUID()
  const { contextWindow } = agent.model()
  const tell = (more: Pick<Compaction, "status"> & Partial<Compaction>) =>
    agent.emit({ type: "compaction", id, before: used, after: used, contextWindow, ...more })
  tell({ status: "started" })
  try {
    const input = Math.min(used, REQUEST * (contextWindow ?? Number.POSITIVE_INFINITY))
    const { text, usage } = await summarise(agent, messages, { input, output: Math.min(NOTES, used) }, signal)
    transcript.append({ role: "summary", text, from: transcript.entries.length })
    const after = beside + tokensIn(messagesForModel(transcript.entries))
    tell({ status: "completed", after, usage })
    return { before: used, after }
  } catch (error) {
    const status = signal.aborted ? "cancelled" : "failed"
    tell({ status, error: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

type Compaction = Extract<AgentEvent, { type: "compaction" }>
