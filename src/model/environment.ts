import { baseUrlOf } from "./base-url.ts"
import { textIn } from "./json-file.ts"
import type { Metadata } from "./metadata.ts"

/** The provider that the usual variables of the environment name. */
export interface Environment {
  baseUrl: string
  apiKey?: string
  /** OPENAI_MODEL. Without it the server is asked what it has. */
  modelId?: string
}

const OPENAI = "https://api.openai.com/v1"

/** Undefined if the variables name none. */
export function environmentOf(env: Readonly<Record<string, string>>): Environment | undefined {
  const told = textIn(env["OPENAI_BASE_URL"])
  const apiKey = textIn(env["OPENAI_API_KEY"])
  const modelId = textIn(env["OPENAI_MODEL"])
  const baseUrl = told === undefined ? OPENAI : baseUrlOf(told)
  if (baseUrl === undefined || (told ?? apiKey ?? modelId) === undefined) return undefined
  return { baseUrl, ...(apiKey !== undefined && { apiKey }), ...(modelId !== undefined && { modelId }) }
}

/** Which variables should hold an address and do not, for people. */
export function wrongAddresses(env: Readonly<Record<string, string>>): string[] {
  return ["KODA_BASE_URL", "OPENAI_BASE_URL"].flatMap((name) => {
    const text = textIn(env[name])
    return text === undefined || baseUrlOf(text) ? [] : [`${name} is no http or https address: "${text}"`]
  })
}

/** Whether nothing can be asked of it as it is. Other servers than OpenAI's may need no key. */
export function lacksKey({ baseUrl, apiKey }: Environment): boolean {
  return baseUrl === OPENAI && apiKey === undefined
}

/** Its models, the one to take by default first. */
export function environmentModels({ baseUrl, modelId }: Environment, kept: readonly Metadata[]): Metadata[] {
  if (modelId !== undefined) {
    const known = kept.find((model) => model.modelId === modelId)
    return [known ?? { modelId, name: modelId, description: null, imageSupport: true }]
  }
  return baseUrl === OPENAI ? newestFirst(kept) : [...kept]
}

/** OpenAI lists all it ever had, in no order; the plain name of the highest version is what most people mean. */
function newestFirst(models: readonly Metadata[]): Metadata[] {
  const rank = ({ modelId }: Metadata) => Number(/^gpt-(\d+(?:\.\d+)?)$/.exec(modelId)?.[1] ?? -1)
  return models.filter(({ modelId }) => /^(gpt-|o\d|chatgpt)/.test(modelId)).sort((a, b) => rank(b) - rank(a))
}
