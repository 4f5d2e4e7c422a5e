import type { Methods } from "../connection.ts"
import { invalidParams } from "../params.ts"
import { ofSession } from "./of-session.ts"

export const COMPACT_METHODS: Methods = {
  "session/compact": async (call) => {
    const session = await ofSession(call)
    if (session.isWorking) throw invalidParams(WORKING, undefined, "prompt_in_progress")
    const { compacted, before, after } = await session.compact(call.signal)
    call.signal.throwIfAborted()
    return { compacted, originalTokenCount: before, newTokenCount: after }
  },
}

const WORKING = "a prompt of this session is being answered; compact it after that, or cancel the prompt"
