import type { Model } from "../agent/model.ts"
import { limited } from "../clock.ts"
import type { Files, Runtime } from "../runtime.ts"
import { type CustomModels, customModels, customModelsPath, readCustomModels, type StoredModel } from "./custom.ts"
import { environmentOf, lacksKey, wrongAddresses } from "./environment.ts"
import { credentialsPath, gatewayOf } from "./gateway.ts"
import { readJson } from "./json-file.ts"
import { type LocalModels, type LocalServer, probe } from "./local.ts"
import type { ListAnswer, Server } from "./model-list.ts"
import { type ModelEntry, type Offer, type OwnModel, offersOf } from "./offers.ts"
import { OFFLINE, offlineModel } from "./offline.ts"
import { openaiModel } from "./openai.ts"
import { SCENARIO, scenarioModel } from "./scenario.ts"
import { serverLists } from "./server-lists.ts"

export interface CatalogOptions {
  files: Files
  fetch: Runtime["fetch"]
  env: Readonly<Record<string, string>>
  /** Koda home. */
  home: string
  /** The user's settings, asked whenever they matter. */
  settings(): { model?: string | undefined; contextWindow?: Readonly<Record<string, number>> | undefined }
  /** `--model`. */
  chosen?: string
  /** `--scenario`: the file that koda-scenario plays. */
  scenario?: string
  /** Models of the program that embeds us; the first of them is the default. */
  embedder?: readonly OwnModel[]
}

export type GatewayState = "ok" | "refused" | "unreachable" | "no_key" | "no_address"

/** Why models are not there that could be, for people. */
export interface CatalogProblem {
  readonly of: "setup" | "gateway" | "environment"
  readonly words: string
}

/** Which models there are. */
export interface Catalog {
  /**
   * Reads our own files, again if they have changed, and has the servers' lists brought up to date behind its back.
   * Waits for a list only if there is none, and then as long as `patience` says, in milliseconds.
   */
  ready(signal: AbortSignal, patience?: number): Promise<void>
  list(): readonly ModelEntry[]
  find(modelId: string): ModelEntry | undefined
  /** The model itself; one for as long as it is reached in the same way, so that it remembers what it learned. */
  model(modelId: string): Model | undefined
  defaultId(): string
  /** `needsKey`: the configured model, if it needs a key that is missing. `gateway`: whether one is in force. */
  access(): { needsKey?: string; gateway: boolean }
  /** Asks the gateway, for 5 s at most, whether it takes the key; from then on its models are in the list. */
  checkGateway(signal: AbortSignal): Promise<GatewayState>
  /** Leaves the gateway's models out, until it is checked. */
  withoutGateway(): void
  /** Asks servers on this machine for models to offer. */
  probeLocal(setting: LocalModels, signal: AbortSignal): Promise<void>
  /** Calls back when the list has changed; gives back what ends that. */
  onChange(listener: () => void): () => void
  readonly custom: CustomModels
  problems(): readonly CatalogProblem[]
  /** Stops what goes on behind the callers' backs; resolves when nothing does. */
  close(): Promise<void>
}

/** How long we wait for the first list, and to sign in, in milliseconds. */
const FIRST_LIST = 300
const CHECK = 5000

export function createCatalog({
  files,
  fetch,
  env,
  home,
  settings,
  chosen,
  scenario,
  embedder = [],
}: CatalogOptions): Catalog {
  const environment = environmentOf(env)
  const listeners = new Set<() => void>()
  const models = new Map<string, Model>()
  const lists = serverLists({ files, fetch, home }, heard)
  const custom = customModels(files, home, () => load())
  let gateway = gatewayOf(env, {})
  let gatewayState: "on" | "off" | "refused" = "on"
  let stored: StoredModel[] = []
  let local: LocalServer[] = []
  let stamp: string | undefined
  let unread: string[] = []
  let known: readonly Offer[] | undefined
  let told = ""

  return {
    custom,
    ready,
    checkGateway,
    list: () => offers().map(({ entry }) => entry),
    find: (modelId) => offerOf(modelId)?.entry,
    model,
    defaultId,
    access,
    problems,
    close: () => lists.close(),
    withoutGateway: () => {
      gatewayState = "off"
      changed()
    },
    async probeLocal(setting, signal) {
      local = await probe(setting, fetch, signal)
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }

  async function ready(signal: AbortSignal, patience = FIRST_LIST): Promise<void> {
    await loadIfChanged()
    const lookups = servers().map((server) => ({
      missing: !lists.kept.has(server.baseUrl),
      answer: lists.refresh(server),
    }))
    const missing = lookups.filter(({ missing }) => missing).map(({ answer }) => answer)
    if (missing.length === 0) return
    const enough = limited(signal, patience)
    await Promise.race([Promise.all(missing), aborted(enough)])
  }

  /** The servers whose lists we want. */
  function servers(): Server[] {
    const unnamed = environment && !lacksKey(environment) && environment.modelId === undefined ? [environment] : []
    return gateway?.apiKey !== undefined && gatewayState === "on" ? [gateway, ...unnamed] : unnamed
  }

  /** A server has told its models, or has not. */
  function heard(server: Server, status: ListAnswer["status"]): void {
    const { baseUrl, apiKey } = gateway ?? {}
    if (server.baseUrl === baseUrl && server.apiKey === apiKey && gatewayState !== "off")
      gatewayState = status === "refused" ? "refused" : "on"
    changed()
  }

  function problems(): CatalogProblem[] {
    const ofServer = (of: CatalogProblem["of"], server: Server | undefined) => {
      const words = server && lists.trouble(server)
      return words === undefined ? [] : [{ of, words }]
    }
    return [
      ...[...wrongAddresses(env), ...unread].map((words) => ({ of: "setup" as const, words })),
      ...ofServer("gateway", gatewayState === "off" ? undefined : gateway),
      ...ofServer("environment", environment),
    ]
  }

  async function checkGateway(signal: AbortSignal): Promise<GatewayState> {
    await load()
    gatewayState = "on"
    changed()
    if (!gateway) return "no_address"
    if (gateway.apiKey === undefined) return "no_key"
    const state = await lists.ask(gateway, limited(signal, CHECK))
    signal.throwIfAborted()
    return state === "no_list" ? "unreachable" : state
  }

  async function loadIfChanged(): Promise<void> {
    if (stamp !== (await stampOf())) await load()
  }

  async function stampOf(): Promise<string> {
    const infos = await Promise.all([credentialsPath(home), customModelsPath(home)].map((path) => files.stat(path)))
    return infos.map((info) => (info ? `${info.changed}/${info.size}` : "none")).join(" ")
  }

  async function load(): Promise<void> {
    const found: string[] = []
    const or =
      <T>(fallback: T) =>
      (error: Error) => {
        found.push(error.message)
        return fallback
      }
    const first = stamp === undefined
    const [now, credentials, custom] = await Promise.all([
      stampOf(),
      readJson(files, credentialsPath(home)).catch(or({})),
      readCustomModels(files, home).catch(or({ models: [], faults: [] })),
      first && lists.load(),
    ])
    const before = gateway?.apiKey
    gateway = gatewayOf(env, credentials)
    if (gatewayState === "refused" && gateway?.apiKey !== before) gatewayState = "on"
    stamp = now
    stored = custom.models
    unread = [...found, ...custom.faults]
    changed()
  }

  function changed(): void {
    known = undefined
    const now = JSON.stringify(offers())
    if (now === told) return
    told = now
    for (const listener of listeners) listener()
  }

  function offers(): readonly Offer[] {
    known ??= offersOf({
      embedder,
      gateway,
      gatewayOn: gatewayState !== "off",
      environment,
      lists: lists.kept,
      stored,
      local,
      scenario: scenario !== undefined,
    })
    return known
  }

  function offerOf(modelId: string): Offer | undefined {
    return offers().find(({ entry }) => entry.modelId === modelId)
  }

  function model(modelId: string): Model | undefined {
    const offer = offerOf(modelId)
    if (!offer) return undefined
    const key = JSON.stringify(offer.connection ?? modelId)
    const made = models.get(key) ?? make(offer)
    models.set(key, made)
    return made
  }

  function make({ entry: { modelId }, connection }: Offer): Model {
    if (connection) {
      const window = (served: number | undefined) => {
        const chosen = new Map(Object.entries(settings().contextWindow ?? {}))
        return chosen.get(modelId) ?? served ?? offerOf(modelId)?.entry.contextWindow
      }
      return openaiModel(connection, { fetch, window })
    }
    const own = embedder.find(({ model }) => model.id === modelId)
    if (own) return own.model
    return modelId === SCENARIO.modelId && scenario !== undefined ? scenarioModel(files, scenario) : offlineModel()
  }

  function defaultId(): string {
    const first = (source: ModelEntry["source"]) => offers().find(({ entry }) => entry.source === source)?.entry.modelId
    const wanted = [chosen, scenario === undefined ? undefined : SCENARIO.modelId, settings().model].find(
      (modelId) => modelId !== undefined && offerOf(modelId),
    )
    return wanted ?? first("embedder") ?? first("gateway") ?? first("environment") ?? first("custom") ?? OFFLINE.modelId
  }

  function access(): { needsKey?: string; gateway: boolean } {
    const wanted = chosen ?? settings().model
    const needsKey = wanted !== undefined && !offerOf(wanted) && isLocked(wanted) ? wanted : undefined
    return {
      gateway: gateway?.apiKey !== undefined && gatewayState === "on",
      ...(needsKey !== undefined && { needsKey }),
    }
  }

  /** It is there, and would be in the list if there were a key. */
  function isLocked(modelId: string): boolean {
    if (environment && lacksKey(environment) && environment.modelId === modelId) return true
    if (!gateway || gateway.apiKey !== undefined) return false
    return (lists.kept.get(gateway.baseUrl) ?? []).some((model) => model.modelId === modelId)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
