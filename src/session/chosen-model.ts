import { type Model, ModelFailure } from "../agent/model.ts"
import type { Catalog } from "../model/catalog.ts"
import { type Dials, effortOf } from "./dials.ts"

/** The model of that id. */
export function modelNamed(catalog: Catalog, modelId: string): Model {
  const model = catalog.model(modelId)
  if (model) return model
  throw new ModelFailure("model", `The model "${modelId}" is not there any more; choose another`)
}

/** What a request says of effort: nothing where it is the model's own. */
export function effortToAsk(catalog: Catalog, dials: Dials): string | undefined {
  const entry = catalog.find(dials.model)
  const effort = entry && effortOf(dials, entry)
  return effort === entry?.reasoning?.defaultEffort ? undefined : effort
}
