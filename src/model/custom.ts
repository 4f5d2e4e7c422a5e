import type { Files } from "../runtime.ts"
import { baseUrlOf } from "./base-url.ts"
import { isFields, readJson, textIn, writeJson } from "./json-file.ts"
import { OFFLINE } from "./offline.ts"
import { SCENARIO } from "./scenario.ts"

/** A model that the user added, without its key. */
export interface CustomModel {
  modelId: string
  baseUrl: string
  [more: string]: unknown
}

/** What adds or changes one. What is left out, or null, stays as it was. */
export interface CustomModelInput {
  modelId: string
  baseUrl?: string | null | undefined
  apiKey?: string | null | undefined
  /** Renames: the model of this name is replaced. */
  previousModelId?: string | null | undefined
  [more: string]: unknown
}

/** Why it can't be done, for a person and for a client. */
export interface Problem {
  details: string
  reason: string
}

/** The user's own models, kept in Koda home with their keys. */
export interface CustomModels {
  list(): Promise<CustomModel[]>
  /** Adds, changes or renames; undefined if it was done. */
  upsert(input: CustomModelInput): Promise<Problem | undefined>
  /** False if there is none of this name. */
  remove(modelId: string): Promise<boolean>
}

/** As it stands in the file. */
export interface StoredModel extends CustomModel {
  apiKey?: string
  /** Sent with each request. */
  parameters?: Record<string, unknown>
}

export const customModelsPath = (home: string): string => `${home}/custom_models.json`

const BUILT_IN = [OFFLINE.modelId, SCENARIO.modelId]

/** `changed` is told after each change, before it is answered. */
export function customModels(files: Files, home: string, changed: () => Promise<void>): CustomModels {
  let last: Promise<unknown> = Promise.resolve()

  return {
    list: async () => (await readCustomModels(files, home)).models.map(shown),
    upsert: (input) =>
      alone(async () => {
        const { models: before } = await readCustomModels(files, home)
        const model = merged(input, before)
        const problem = problemWith(model)
        if (!problem) await write(upserted(before, input, model as StoredModel))
        return problem
      }),
    remove: (modelId) =>
      alone(async () => {
        const { models: before } = await readCustomModels(files, home)
        const rest = before.filter((model) => model.modelId !== modelId)
        if (rest.length < before.length) await write(rest)
        return rest.length < before.length
      }),
  }

  /** One change after the other: each reads what the last wrote. */
  function alone<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change, change)
    last = done.catch(() => {})
    return done
  }

  async function write(models: StoredModel[]): Promise<void> {
    const path = customModelsPath(home)
    const whole = await readJson(files, path)
    const others = entriesIn(whole).filter((entry) => !isStored(entry)) // theirs to mend, not ours to lose
    await writeJson(files, path, { ...whole, models: [...models, ...others] })
    await changed()
  }
}

/** What the file holds, and what of it can't be used, for people. */
export interface CustomFile {
  readonly models: StoredModel[]
  readonly faults: string[]
}

/** Throws if the file is there and can't be understood, so that it is not written over. */
export async function readCustomModels(files: Pick<Files, "readText">, home: string): Promise<CustomFile> {
  const path = customModelsPath(home)
  const entries = entriesIn(await readJson(files, path))
  return {
    models: entries.filter(isStored),
    faults: entries.flatMap((entry, at) => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${path}: models.${at} ${fault}`]
    }),
  }
}

function entriesIn({ models }: Record<string, unknown>): unknown[] {
  return Array.isArray(models) ? models : []
}

function faultOf(entry: unknown): string | undefined {
  const { modelId, baseUrl } = isFields(entry) ? entry : {}
  if (textIn(modelId) === undefined) return 'has no "modelId"'
  const address = textIn(baseUrl)
  if (address === undefined) return `("${modelId}") has no "baseUrl"`
  return baseUrlOf(address) === undefined ? `("${modelId}"): its "baseUrl" is no http or https address` : undefined
}

function isStored(value: unknown): value is StoredModel {
  return isFields(value) && textIn(value["modelId"]) !== undefined && textIn(value["baseUrl"]) !== undefined
}

type Merged = Partial<StoredModel> & { modelId: string }

/** The model as it will stand in the file. A new one may lack what it needs. */
function merged(input: CustomModelInput, before: readonly StoredModel[]): Merged {
  const { previousModelId: _, apiKey, baseUrl, ...fields } = input
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
  const [key, url] = [textIn(apiKey), textIn(baseUrl)]
  return {
    ...oldOf(input, before),
    ...given,
    modelId: input.modelId.trim(),
    ...(url !== undefined && { baseUrl: url }),
    ...(key !== undefined && { apiKey: key }),
  }
}

function problemWith({ modelId, baseUrl, apiKey }: Merged): Problem | undefined {
  if (!modelId) return { details: "modelId is empty", reason: "invalid_model_id" }
  if (BUILT_IN.includes(modelId))
    return { details: `modelId: "${modelId}" is built in; choose another name`, reason: "invalid_model_id" }
  const needed = `a new model needs one, and "${modelId}" is new`
  if (baseUrl === undefined) return { details: `baseUrl: ${needed}`, reason: "invalid_base_url" }
  if (baseUrlOf(baseUrl) === undefined)
    return { details: `baseUrl: "${baseUrl}" is no http or https address`, reason: "invalid_base_url" }
  return apiKey === undefined ? { details: `apiKey: ${needed}`, reason: "api_key_required" } : undefined
}

/** The model that an input changes: the one it renames, else the one of its name. */
function oldOf(
  { modelId, previousModelId }: CustomModelInput,
  before: readonly StoredModel[],
): StoredModel | undefined {
  return before.find((model) => model.modelId === previousModelId) ?? before.find((model) => model.modelId === modelId)
}

/** In its old place, or at the end. */
function upserted(before: readonly StoredModel[], input: CustomModelInput, model: StoredModel): StoredModel[] {
  const old = oldOf(input, before)
  const taken = [model.modelId, input.previousModelId]
  const others = before.filter((other) => other === old || !taken.includes(other.modelId))
  return old ? others.map((other) => (other === old ? model : other)) : [...others, model]
}

function shown({ apiKey: _, parameters: __, ...model }: StoredModel): CustomModel {
  return model
}
