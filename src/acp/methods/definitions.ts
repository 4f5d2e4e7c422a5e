import * as v from "valibot"
import type { Definitions } from "../../subagents/definitions.ts"
import type { Found } from "../../subagents/found.ts"
import { createRole, DefinitionError, deleteRole, readRole, writeRole } from "../../subagents/role-changes.ts"
import { RESEARCH_TOOLS } from "../../subagents/settings.ts"
import type { Call, Methods } from "../connection.ts"
import { invalidParams, parse } from "../params.ts"
import { ofSession } from "./of-session.ts"

const CREATE = v.looseObject({
  name: v.string(),
  scope: v.picklist(["workspace", "global"]),
  description: v.nullish(v.string()),
})
const FILE = v.looseObject({ name: v.string(), sourceUri: v.string() })
const WRITE = v.looseObject({
  ...FILE.entries,
  description: v.string(),
  model: v.nullish(v.string(), null),
  reasoningEffort: v.nullish(v.string(), null),
  tools: v.nullish(v.array(v.string()), null),
  prompt: v.string(),
})

/** Roles and profiles: which there are, and the files of roles. Clients have been told of a change when it is answered. */
export const DEFINITION_METHODS: Methods = {
  "session/subagent_definitions": async (call) => listed(await (await definitionsOf(call)).refresh()),

  "session/subagent_definition_create": (call) =>
    answered(call, async (definitions) => {
      const { name, scope, description } = parse(CREATE, call.params)
      const asked = { name, scope, description: description ?? undefined }
      return { created: await createRole(definitions, asked, call.signal) }
    }),

  "session/subagent_definition_delete": (call) =>
    answered(call, async (definitions) => {
      const { name, sourceUri } = parse(FILE, call.params)
      await deleteRole(definitions, { name, sourceUri }, call.signal)
      return { deleted: { name, sourceUri } }
    }),

  "session/subagent_definition_read": (call) =>
    answered(call, async (definitions) => {
      const { name, sourceUri } = parse(FILE, call.params)
      const role = await readRole(definitions, { name, sourceUri })
      return {
        ...role,
        sourceUri,
        supportedTools: RESEARCH_TOOLS,
        supportedReasoningEfforts: definitions.efforts(),
      }
    }),

  "session/subagent_definition_write": (call) =>
    answered(call, async (definitions) => {
      const { name, sourceUri, ...asked } = parse(WRITE, call.params)
      const { description, model, reasoningEffort, tools, prompt } = asked
      const role = { description, model, reasoningEffort, tools, prompt }
      await writeRole(definitions, { name, sourceUri }, role, call.signal)
      return { written: { name, sourceUri } }
    }),
}

async function definitionsOf(call: Call): Promise<Definitions> {
  return call.core.subagentsIn((await ofSession(call)).cwd)
}

/** The list as it is afterwards, and what the method itself has to say. */
async function answered(call: Call, work: (definitions: Definitions) => Promise<object>): Promise<object> {
  const definitions = await definitionsOf(call)
  try {
    const own = await work(definitions)
    return { ...listed(definitions.current), ...own }
  } catch (error) {
    if (error instanceof DefinitionError) throw invalidParams(error.message, undefined, error.reason)
    throw error
  }
}

function listed({ agents, errors }: Found): object {
  return { agents, errors }
}
