import * as v from "valibot"
import type { UserMessage } from "../../agent/message.ts"
import { LABEL } from "../client.ts"
import { rolesIn, withRoles } from "../client-roles.ts"
import { resolverFor } from "../commands.ts"
import type { Call, Methods } from "../connection.ts"
import { BLOCKS, fromBlocks } from "../content.ts"
import { remarkProblems } from "../open-session.ts"
import { META, OF_SESSION, parse } from "../params.ts"
import { withReferences } from "../references.ts"
import { promptResponse } from "../updates.ts"
import { ofSession } from "./of-session.ts"

const PROMPT = v.looseObject({ ...OF_SESSION.entries, prompt: BLOCKS, _meta: META })

export const PROMPT_METHODS: Methods = {
  "session/prompt": async (call) => {
    const session = await ofSession(call)
    const from = call.connection.attached.get(session.id)
    remarkProblems(call.core, session)
    const said = parse(PROMPT, call.params)
    const resolve = withRoles(resolverFor(call.core, session), rolesIn(said._meta))
    const { stop, usage, promptId } = await session.prompt(messageOf(said), resolve, from, call.signal)
    return promptResponse(stop, usage, promptId)
  },

  "session/cancel": async (call) => {
    if (cancelsChild(call)) return
    ;(await ofSession(call)).cancel()
  },

  "_session/steering": async (call) => {
    const session = await ofSession(call)
    const message = messageOf(parse(PROMPT, call.params))
    const content = await withReferences(message.content, session.parts, call.signal)
    const steered = session.steer({ ...message, content })
    return { outcome: steered ? "injected" : "promptRequired" }
  },
}

/** To a client of the unstable standard a subagent is a session, which it may cancel. */
function cancelsChild({ core, params }: Call): boolean {
  const { sessionId } = parse(OF_SESSION, params)
  if (core.sessions.has(sessionId)) return false
  for (const { parts } of core.sessions.values()) {
    const { tasks } = parts.subagents
    if (!tasks.alive.some(({ id }) => id === sessionId)) continue
    tasks.cancel(sessionId).catch(() => {}) // a store that fails is told of by the next request
    return true
  }
  return false
}

function messageOf({ prompt, _meta }: v.InferOutput<typeof PROMPT>): UserMessage {
  const label = _meta?.[LABEL]
  return {
    role: "user",
    id: crypto.randomUUID(),
    content: fromBlocks(prompt),
    ...(typeof label === "string" && { label }),
  }
}
