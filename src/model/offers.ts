import type { Model } from "../agent/model.ts"
import { baseUrlOf } from "./base-url.ts"
import type { StoredModel } from "./custom.ts"
import { type Environment, environmentModels, lacksKey } from "./environment.ts"
import type { Gateway, KeptLists } from "./gateway.ts"
import type { LocalServer } from "./local.ts"
import { type Metadata, metadataOf } from "./metadata.ts"
import type { Server } from "./model-list.ts"
import { OFFLINE } from "./offline.ts"
import type { Connection } from "./request.ts"
import { SCENARIO } from "./scenario.ts"

/** A model as menus show it. */
export interface ModelEntry extends Metadata {
  source: "embedder" | "gateway" | "environment" | "custom" | "local" | "built-in"
}

/** A model, and how it is reached: not at all through a network, if it is built in or the embedding program's own. */
export interface Offer {
  entry: ModelEntry
  connection?: Connection
}

/** A model of the program that embeds us. */
export interface OwnModel {
  readonly model: Model
  /** For menus; the model's id if not given. */
  readonly name?: string
  readonly description?: string
}

/** Where models come from, as far as it is known by now. */
export interface Sources {
  embedder: readonly OwnModel[]
  gateway: Gateway | undefined
  gatewayOn: boolean
  environment: Environment | undefined
  /** By the address of the server. */
  lists: KeptLists
  stored: readonly StoredModel[]
  local: readonly LocalServer[]
  scenario: boolean
}

/** Each model once, in the order of menus. One that the user added stands for another's of that name. */
export function offersOf(sources: Sources): Offer[] {
  const own = sources.stored.flatMap(customOffer)
  const owned = new Set(own.map(({ entry }) => entry.modelId))
  const others = [...gatewayOffers(sources), ...environmentOffers(sources)].filter(
    ({ entry }) => !owned.has(entry.modelId),
  )
  const offers = new Map<string, Offer>()
  for (const offer of [
    ...sources.embedder.map(embedderOffer),
    ...others,
    ...own,
    ...sources.local.flatMap(localOffers),
    ...builtIn(sources),
  ]) {
    if (!offers.has(offer.entry.modelId)) offers.set(offer.entry.modelId, offer)
  }
  return [...offers.values()]
}

function embedderOffer({ model, name, description }: OwnModel): Offer {
  const { id, contextWindow, takes } = model
  return {
    entry: {
      modelId: id,
      name: name ?? id,
      description: description ?? null,
      imageSupport: takes.image,
      ...(takes.audio && { audioSupport: true }),
      ...(contextWindow !== undefined && { contextWindow }),
      source: "embedder",
    },
  }
}

function gatewayOffers({ gateway, gatewayOn, lists }: Sources): Offer[] {
  if (gateway?.apiKey === undefined || !gatewayOn) return []
  return (lists.get(gateway.baseUrl) ?? []).map((metadata) => ({
    entry: { ...metadata, source: "gateway" },
    connection: { ...connectionTo(metadata, gateway), gateway: true },
  }))
}

function environmentOffers({ environment, lists }: Sources): Offer[] {
  if (!environment || lacksKey(environment)) return []
  return environmentModels(environment, lists.get(environment.baseUrl) ?? []).map((metadata) => ({
    entry: { ...metadata, source: "environment" },
    connection: connectionTo(metadata, environment),
  }))
}

function customOffer(stored: StoredModel): Offer[] {
  const metadata = metadataOf({ ...stored, id: stored.modelId })
  const baseUrl = baseUrlOf(stored.baseUrl)
  if (!metadata || baseUrl === undefined) return []
  const { apiKey, parameters } = stored
  const server = { baseUrl, ...(apiKey !== undefined && { apiKey: apiKey.trim() }) }
  const connection = { ...connectionTo(metadata, server), ...(parameters && { parameters }) }
  return [{ entry: { ...metadata, source: "custom" }, connection }]
}

function localOffers({ baseUrl, models }: LocalServer): Offer[] {
  return models.map((metadata) => ({
    entry: { ...metadata, source: "local" },
    connection: connectionTo(metadata, { baseUrl }),
  }))
}

function builtIn({ scenario }: Sources): Offer[] {
  const entries = scenario ? [OFFLINE, SCENARIO] : [OFFLINE]
  return entries.map((metadata) => ({ entry: { ...metadata, source: "built-in" } }))
}

function connectionTo({ modelId, imageSupport, audioSupport }: Metadata, { baseUrl, apiKey }: Server): Connection {
  const takes = { image: imageSupport, audio: audioSupport === true }
  return { id: modelId, baseUrl, takes, ...(apiKey !== undefined && { apiKey }) }
}
