import { isFields, textIn } from "./json-file.ts"

/** What is known of a model. */
export interface Metadata {
  modelId: string
  name: string
  description: string | null
  imageSupport: boolean
  audioSupport?: true
  reasoning?: { supportedEfforts: string[]; defaultEffort: string }
  /** Tokens, as it is served. */
  contextWindow?: number
}

/** What a list or a file says of a model, in either spelling of the fields; undefined if it names none. */
export function metadataOf(value: unknown): Metadata | undefined {
  if (typeof value === "string") return metadataOf({ id: value })
  if (!isFields(value)) return undefined
  const modelId = textIn(value["id"]) ?? textIn(value["modelId"]) ?? textIn(value["model"])
  if (modelId === undefined) return undefined
  const reasoning = reasoningOf(value["reasoning"])
  const contextWindow = windowOf(value)
  const { image, audio } = sensesOf(value)
  return {
    modelId,
    name: textIn(value["name"]) ?? modelId,
    description: textIn(value["description"]) ?? null,
    imageSupport: image,
    ...(audio && { audioSupport: true }),
    ...(reasoning && { reasoning }),
    ...(contextWindow !== undefined && { contextWindow }),
  }
}

function reasoningOf(value: unknown): Metadata["reasoning"] | undefined {
  if (!isFields(value)) return undefined
  const efforts = value["supportedEfforts"] ?? value["supported_efforts"]
  const supportedEfforts = Array.isArray(efforts) ? efforts.filter((effort) => textIn(effort) !== undefined) : []
  const [first] = supportedEfforts
  if (first === undefined) return undefined
  const told = value["defaultEffort"] ?? value["default_effort"]
  const defaultEffort = [told, "medium"].find((effort) => supportedEfforts.includes(effort)) ?? first
  return { supportedEfforts, defaultEffort: String(defaultEffort) }
}

/** What is served comes before what the model was trained for. */
function windowOf(value: Record<string, unknown>): number | undefined {
  const meta = isFields(value["meta"]) ? value["meta"] : {}
  const top = isFields(value["top_provider"]) ? value["top_provider"] : {}
  const told = [
    value["contextWindow"],
    value["context_window"],
    value["loaded_context_length"],
    value["max_model_len"],
    meta["n_ctx"],
    top["context_length"],
    value["context_length"],
  ]
  return told.find((tokens): tokens is number => typeof tokens === "number" && tokens > 0)
}

function sensesOf(value: Record<string, unknown>): { image: boolean; audio: boolean } {
  const architecture = isFields(value["architecture"]) ? value["architecture"] : {}
  const modalities = architecture["input_modalities"] ?? value["input_modalities"]
  const inputs = Array.isArray(modalities) ? modalities : undefined
  const image = value["imageSupport"] ?? value["image_support"] ?? inputs?.includes("image")
  const audio = value["audioSupport"] ?? value["audio_support"] ?? inputs?.includes("audio")
  return { image: image !== false, audio: audio === true }
}
