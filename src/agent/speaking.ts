import type { Agent } from "./agent.ts"
import { compact, shorten } from "./compaction.ts"
import type { AssistantMessage } from "./message.ts"
import { isOverflow, ModelFailure } from "./model.ts"
import { streamReply } from "./reply.ts"
import { roomOf } from "./room.ts"

/** How often a turn may have the conversation summarised until it shows that this has made room. */
const TRIES = 2

/** What a turn remembers of the room it made. One for each turn. */
export interface Tries {
  left: number
}

export function newTries(): Tries {
  return { left: TRIES }
}

/** Streams one reply of the model, and makes the room it needs: before the window is full, or when the provider says so. */
export async function replyInRoom(agent: Agent, tries: Tries, signal: AbortSignal): Promise<AssistantMessage> {
  await makeRoomIfFull(agent, tries, signal)
  for (let failed = 0; ; failed++) {
    try {
      return await streamReply(agent, signal)
    } catch (error) {
      if (!isOverflow(error)) throw error
      const isShorter = failed === 0 ? await makeRoom(agent, tries, signal) : failed === 1 && shorten(agent)
      if (!isShorter) throw noRoom(agent, error)
    }
  }
}

async function makeRoomIfFull(agent: Agent, tries: Tries, signal: AbortSignal): Promise<void> {
  if (agent.model().contextWindow === undefined) return
  const { used, full, window } = roomOf(agent)
  if (full === undefined || window === undefined) return
  if (used <= full) tries.left = TRIES
  else if (!(await summarised(agent, tries, signal)) && used > window) shorten(agent)
}

async function makeRoom(agent: Agent, tries: Tries, signal: AbortSignal): Promise<boolean> {
  return (await summarised(agent, tries, signal)) || shorten(agent)
}

/** A failure is told, and no reason not to go on: what there is may still fit. */
async function summarised(agent: Agent, tries: Tries, signal: AbortSignal): Promise<boolean> {
  if (tries.left === 0) return false
  const { compacted, asked } = await compact(agent, signal).catch((error: unknown) => {
    if (!(error instanceof ModelFailure)) throw error
    return { compacted: false, asked: true }
  })
  signal.throwIfAborted()
  if (asked) tries.left--
  return compacted
}

function noRoom(agent: Agent, failure: ModelFailure): ModelFailure {
  const { id, contextWindow } = agent.model()
  const size = contextWindow === undefined ? "" : ` of ${contextWindow} tokens`
  const words = `This conversation does not fit into the window${size} of model "${id}", even shortened. Say it in fewer words, choose a model with a larger window, or begin a new session`
  const { status } = failure
  return new ModelFailure("too_long", `${words}. (${failure.message})`, {
    ...(status !== undefined && { status }),
    cause: failure,
  })
}
