import type { Agent } from "./agent.ts"
import { whereToCut } from "./cut.ts"
import type { AgentEvent } from "./event.ts"
import { type Room, roomOf, shortestOf, usedWith } from "./room.ts"
import { summarise, summaryText } from "./summary.ts"
import { messagesBetween } from "./transcript.ts"

/** What came of making room, in tokens. */
export interface Compacted {
  compacted: boolean
  /** Whether the model was asked to. */
  asked: boolean
  before: number
  after: number
}

/** Of what the messages may take: what stays as it was said, what notes may take, what all of it should take then. */
const KEPT = 1 / 4
const NOTES = 1 / 4
const GOAL = 0.6
/** Longer notes say no more, in tokens. */
const LONGEST_NOTES = 4000
/** Of the window, what the request for the notes may take. */
const REQUEST = 0.7

/**
 * Puts the older part of what the model reads in few words. Nothing is changed if there is nothing to put so, if it
 * would not be shorter, if it is cancelled, or if the model fails: then it throws the failure. Events tell of it.
 */
export async function compact(agent: Agent, signal: AbortSignal): Promise<Compacted> {
  const room = roomOf(agent)
  const allowed = allowedIn(room)
  const { entries } = agent.transcript
  const cut = whereToCut(entries, allowed * KEPT)
  if (cut === undefined) return { compacted: false, asked: false, before: room.used, after: room.used }

  const tell = teller(agent, room)
  tell("started", {})
  try {
    const output = Math.min(allowed * NOTES, LONGEST_NOTES)
    const input = Math.min(room.used, REQUEST * (room.window ?? Number.POSITIVE_INFINITY))
    const { text, usage } = await summarise(agent, olderThan(cut, agent), { input, output }, signal)
    const whole = summaryText(agent, entries, cut, text, allowed / 3)
    const { summary, messages } = shortestOf(entries, { text: whole, from: cut }, allowed * GOAL)
    const isShorter = messages < room.messages || room.beside + messages < room.used
    if (!isShorter) return tell("failed", { usage, error: NO_SHORTER })
    agent.transcript.append(summary)
    return tell("completed", { usage, after: usedWith(messages, room) })
  } catch (error) {
    if (signal.aborted) return tell("cancelled", {})
    tell("failed", { error: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

const NO_SHORTER = "The conversation is short already"

/** Without a model: long results are read shortened from now on. False if that would not help. */
export function shorten(agent: Agent): boolean {
  const room = roomOf(agent)
  const { entries } = agent.transcript
  const last = entries.findLast((entry) => entry.role === "summary")
  const now = { text: last?.text ?? "", from: last?.from ?? 0 }
  const { summary, messages } = shortestOf(entries, now, allowedIn(room) * GOAL)
  if (messages > room.messages * ENOUGH) return false
  const tell = teller(agent, room)
  tell("started", {})
  agent.transcript.append(summary)
  return tell("completed", { after: usedWith(messages, room) }).compacted
}

/** Of what it was: less is gained by shortening than another try costs. */
const ENOUGH = 0.95

/** What the messages may take before there is no room; no more than they do, so that they become fewer. */
function allowedIn({ full, beside, messages }: Room): number {
  const share = full === undefined ? messages : full - beside
  return Math.max(Math.min(share, messages), LEAST)
}

/** Less holds no summary. In tokens. */
const LEAST = 300

function olderThan(cut: number, { transcript: { entries } }: Agent): ReturnType<typeof messagesBetween> {
  const last = entries.findLast((entry) => entry.role === "summary")
  const since = messagesBetween(entries, last?.from ?? 0, cut)
  return last?.text
    ? [{ role: "user", id: "summary", content: [{ type: "text", text: last.text }], hidden: true }, ...since]
    : since
}

type Told = Extract<AgentEvent, { type: "compaction" }>

function teller(agent: Agent, { used, window }: Room) {
  const id = crypto.randomUUID()
  return (status: Told["status"], { after = used, ...more }: Partial<Pick<Told, "after" | "error" | "usage">>) => {
    agent.emit({ type: "compaction", id, status, before: used, after, contextWindow: window, ...more })
    return { compacted: status === "completed", asked: true, before: used, after }
  }
}
