import type { Agent } from "./agent.ts"
import type { Entry, Summary } from "./message.ts"
import type { ModelRequest } from "./model.ts"
import { requestOf } from "./request.ts"
import { tokensBeside, tokensIn } from "./tokens.ts"
import { messagesForModel } from "./transcript.ts"

/** The share of the window that a request may take before we make room; the rest is for the reply. */
const FULL = 0.75
/** Of what instructions and tools leave, the share that may be taken before we make room, if those are large. */
const FULL_BESIDE = 0.6

/** How things stand in the window, in tokens. */
export interface Room {
  /** What the next request takes. */
  used: number
  /** Of that, about what instructions and tools take, and what the messages do. */
  beside: number
  messages: number
  /** The window, and what all of it may take before we make room; undefined if that is not known. */
  window: number | undefined
  full: number | undefined
}

export function roomOf(agent: Agent): Room {
  const request = requestOf(agent)
  const beside = tokensBeside(request)
  const messages = tokensIn(request.messages)
  const window = agent.model().contextWindow
  const full = window === undefined ? undefined : fullAt(window, beside)
  return { used: usedBy(agent.transcript.entries, beside + messages), beside, messages, window, full }
}

/** What a request takes when its messages take so many tokens instead: by the provider's count, if ours is higher. */
export function usedWith(newMessages: number, { used, beside, messages }: Room): number {
  const guess = beside + newMessages
  return Math.min(guess, Math.ceil((used * guess) / (beside + messages)))
}

/** Where instructions and tools alone fill the window there is no room to make: then the server has the word. */
function fullAt(window: number, beside: number): number | undefined {
  return beside < window ? Math.max(FULL * window, beside + FULL_BESIDE * (window - beside)) : undefined
}

/** What the last request and its reply took, as the provider counted them; 0 before. About so many if it was compacted. */
export function contextUsed(agent: Agent): number {
  const { entries } = agent.transcript
  const last = entries.findLast((entry) => entry.role === "summary" || isCounted(entry))
  if (last?.role === "summary") return guessOf(requestOf(agent))
  return last?.role === "assistant" ? last.usage.input + last.usage.output : 0
}

function guessOf(request: ModelRequest): number {
  return tokensBeside(request) + tokensIn(request.messages)
}

function isCounted(entry: Entry): boolean {
  return entry.role === "assistant" && entry.usage.input > 0
}

/** What the provider counted for the last reply, and a guess at what was said since; a guess at all if it did not. */
function usedBy(entries: readonly Entry[], guess: number): number {
  const at = entries.findLastIndex(isCounted)
  const counted = entries[at]
  const summary = entries.findLastIndex((entry) => entry.role === "summary")
  if (counted?.role !== "assistant" || at < summary) return guess
  const { input, output } = counted.usage
  // a guess is not twice as high as it should be: whoever counts less than half of it has not counted, or cut silently
  return Math.max(input + output + tokensIn(entries.slice(at + 1)), Math.ceil(guess / 2))
}

/** To how many characters each long result may be shortened, the most first. */
const CLIPS = [undefined, 64_000, 32_000, 16_000, 8000, 4000, 2000, 1000, 500, 200] as const

/**
 * The summary that shortens results no more than is needed for the messages to take so many tokens, and what they take
 * then. If nothing brings them so far down, the one that brings them down most.
 */
export function shortestOf(
  entries: readonly Entry[],
  { text, from }: Pick<Summary, "text" | "from">,
  goal: number,
): Outlook {
  let best: Outlook | undefined
  for (const clip of CLIPS) {
    const summary: Summary = { role: "summary", text, from, ...(clip !== undefined && { clip }) }
    const messages = tokensIn(messagesForModel([...entries, summary]))
    if (!best || messages < best.messages) best = { summary, messages }
    if (messages <= goal) break
  }
  return best as Outlook
}

/** A summary, and what the messages take with it. */
export interface Outlook {
  summary: Summary
  messages: number
}
