import * as v from "valibot"
import type { SubagentValues } from "../../subagents/settings.ts"
import type { Call, Methods } from "../connection.ts"
import { OF_SESSION, parse } from "../params.ts"
import { settingsState } from "../subagent-news.ts"
import { ofSession } from "./of-session.ts"

/** What is left out stays as it is; null is a value where one may choose nothing. */
const VALUES = v.looseObject({
  enabled: v.nullish(v.boolean()),
  maxConcurrent: v.nullish(v.number()),
  allowParentToContinue: v.nullish(v.boolean()),
  model: v.optional(v.nullable(v.string())),
  reasoningEffort: v.optional(v.nullable(v.string())),
  tools: v.optional(v.nullable(v.array(v.string()))),
  disabledAgentNames: v.nullish(v.array(v.string())),
})
/** The values stand in `settings`, or beside the session's id. */
const PARAMS = v.looseObject({ ...OF_SESSION.entries, ...VALUES.entries, settings: v.nullish(VALUES) })

export const SUBAGENT_SETTINGS_METHODS: Methods = {
  "session/subagent_settings": readAndSet,
  "session/subagent_set_settings": readAndSet,
  "session/set_subagent_settings": readAndSet,
}

/** Sets what is given, and tells how the settings are now. Clients have been told of a change when it is answered. */
async function readAndSet(call: Call): Promise<object> {
  const session = await ofSession(call)
  const definitions = call.core.subagentsIn(session.cwd)
  const { settings, ...root } = parse(PARAMS, call.params)
  const changes = changesIn({ ...root, ...settings })
  if (Object.keys(changes).length > 0) await definitions.settings.set(changes)
  await definitions.refresh() // roles are switched on and off by the settings
  return settingsState(session, call.core)
}

function changesIn(asked: v.InferOutput<typeof VALUES>): Partial<SubagentValues> {
  const { enabled, maxConcurrent, allowParentToContinue, model, reasoningEffort, tools, disabledAgentNames } = asked
  return {
    ...(enabled != null && { enabled }),
    ...(maxConcurrent != null && { maxConcurrent }),
    ...(allowParentToContinue != null && { allowParentToContinue }),
    ...(model !== undefined && { model }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(tools !== undefined && { tools }),
    ...(disabledAgentNames != null && { disabledAgentNames }),
  }
}
