import { limited } from "../clock.ts"
import type { Runtime } from "../runtime.ts"
import { baseUrlOf, shownUrl } from "./base-url.ts"
import type { Metadata } from "./metadata.ts"
import { askForModels } from "./model-list.ts"

/** `settings.localModels`: false asks nobody; addresses are asked besides the usual two. */
export type LocalModels = boolean | readonly string[] | undefined

const USUAL = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
]

/** Long enough for a server on this machine, in milliseconds. */
const PATIENCE = 500

export interface LocalServer {
  baseUrl: string
  models: Metadata[]
}

/** Asks the servers on this machine, and those the user lists, which models they have. Who does not answer has none. */
export async function probe(
  setting: LocalModels,
  fetch: Runtime["fetch"],
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const answers = await Promise.all(
    serversOf(setting).map(async ({ name, baseUrl }): Promise<LocalServer> => {
      const answer = await askForModels({ baseUrl }, fetch, limited(signal, PATIENCE))
      const models = answer.status === "ok" ? answer.models : []
      return { baseUrl, models: models.map((model) => ({ ...model, description: model.description ?? `On ${name}` })) }
    }),
  )
  return answers.filter(({ models }) => models.length > 0)
}

function serversOf(setting: LocalModels): { name: string; baseUrl: string }[] {
  if (setting === false) return []
  const listed = typeof setting === "object" ? setting : []
  const more = listed.flatMap((text) => {
    const baseUrl = baseUrlOf(text)
    return baseUrl === undefined || USUAL.some((server) => server.baseUrl === baseUrl)
      ? []
      : [{ name: shownUrl(baseUrl), baseUrl }]
  })
  return [...USUAL, ...more]
}
