import * as v from "valibot"
import type { UserMessage } from "../../agent/message.ts"
import { LABEL } from "../client.ts"
import { resolverFor } from "../commands.ts"
import type { Call, Methods } from "../connection.ts"
import { BLOCKS, fromBlocks } from "../content.ts"
import { META, OF_SESSION, parse } from "../params.ts"
import { promptResponse } from "../updates.ts"
import { ofSession } from "./of-session.ts"

const PROMPT = v.looseObject({ ...OF_SESSION.entries, prompt: BLOCKS, _meta: META })

export const PROMPT_METHODS: Methods = {
  "session/prompt": async (call) => {
    const session = await ofSession(call)
    const from = call.connection.attached.get(session.id)
    const resolve = resolverFor(call.core, session)
    const { stop, usage, promptId } = await session.prompt(messageOf(call), resolve, from, call.signal)
    return promptResponse(stop, usage, promptId)
  },

  "session/cancel": async (call) => (await ofSession(call)).cancel(),

  "_session/steering": async (call) => {
    const steered = (await ofSession(call)).steer(messageOf(call))
    return { outcome: steered ? "injected" : "promptRequired" }
  },
}

function messageOf({ params }: Call): UserMessage {
  const { prompt, _meta } = parse(PROMPT, params)
  const label = _meta?.[LABEL]
  return {
    role: "user",
    id: crypto.randomUUID(),
    content: fromBlocks(prompt),
    ...(typeof label === "string" && { label }),
  }
}
