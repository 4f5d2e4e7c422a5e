import * as v from "valibot"
import type { CustomModelInput } from "../../model/custom.ts"
import type { Call, Methods } from "../connection.ts"
import { invalidParams, parse } from "../params.ts"

const TEXT = v.nullish(v.string())
const REASONING = v.looseObject({
  supportedEfforts: v.pipe(v.array(v.string()), v.minLength(1)),
  defaultEffort: v.string(),
})
const UPSERT = v.looseObject({
  modelId: v.pipe(v.string(), v.nonEmpty("is empty")),
  baseUrl: v.nullish(v.pipe(v.string(), v.regex(/^https?:\/\/[^\s/]/, "is no http or https address"))),
  apiKey: TEXT,
  previousModelId: TEXT,
  name: TEXT,
  description: TEXT,
  contextWindow: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  imageSupport: v.nullish(v.boolean()),
  reasoning: v.nullish(REASONING),
})
const DELETE = v.looseObject({ modelId: v.string() })

export const CUSTOM_MODEL_METHODS: Methods = {
  "koda/custom_models/list": ({ core }) => listed(core),

  "koda/custom_models/upsert": async ({ core, params }) => {
    const model = parse(UPSERT, params)
    const problem = await core.catalog.custom.upsert(model)
    if (problem) throw invalidParams(problem.details, undefined, problem.reason)
    follow(core, model)
    return listed(core)
  },

  "koda/custom_models/delete": async ({ core, params }) => {
    const { modelId } = parse(DELETE, params)
    if (!(await core.catalog.custom.remove(modelId))) {
      throw invalidParams(`modelId: there is no custom model "${modelId}"`, undefined, "unknown_model")
    }
    return listed(core)
  },
}

/** Sessions whose model has got another name go on with it. */
function follow({ sessions, catalog }: Call["core"], { modelId, previousModelId }: CustomModelInput): void {
  for (const session of sessions.values()) {
    if (session.dials.model !== previousModelId || catalog.find(previousModelId)) continue
    session.change({ model: modelId.trim() })
    session.announce("model")
  }
}

async function listed({ catalog }: Call["core"]): Promise<object> {
  const models = await catalog.custom.list()
  return { models: models.map(({ modelId, baseUrl }) => ({ modelId, baseUrl })) }
}
