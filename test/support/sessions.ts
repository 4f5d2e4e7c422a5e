import { onTestFinished } from "vitest"
import type { Content, ToolCall } from "../../src/agent/message.ts"
import { userText } from "../../src/agent/message.ts"
import type { Model, ModelRequest } from "../../src/agent/model.ts"
import type { Tool } from "../../src/agent/tool.ts"
import { messagesForModel } from "../../src/agent/transcript.ts"
import type { Clock } from "../../src/clock.ts"
import type { Catalog } from "../../src/model/catalog.ts"
import type { ModelEntry } from "../../src/model/offers.ts"
import type { Answer, Question } from "../../src/permission/gate.ts"
import type { Runtime } from "../../src/runtime.ts"
import type { Attached, SessionEvent } from "../../src/session/attached.ts"
import type { Dials } from "../../src/session/dials.ts"
import { journalOf, NO_JOURNAL } from "../../src/session/journal.ts"
import type { SessionParams } from "../../src/session/needs.ts"
import type { Resolve, TurnEnd } from "../../src/session/prompted.ts"
import { repairs } from "../../src/session/repair.ts"
import { Session } from "../../src/session/session.ts"
import type { Store } from "../../src/session/store.ts"
import { DEFAULTS } from "../../src/settings/keys.ts"
import type { Definitions } from "../../src/subagents/definitions.ts"
import { foundOf } from "../../src/subagents/found.ts"
import type { Profile } from "../../src/subagents/profiles.ts"
import type { Role } from "../../src/subagents/roles.ts"
import { type SubagentValues, subagentValues } from "../../src/subagents/settings.ts"
import type { TaskSnapshot } from "../../src/subagents/snapshot.ts"
import { machineOf } from "../../src/workspace/machine.ts"
import { lines, read } from "./lines.ts"
import { temporaryFolder, testRuntime } from "./runtime.ts"
import { modelWith, never, type Reply, type ScriptedModel } from "./scripted.ts"
import { sessionNamed } from "./store.ts"

/** A model that plays the parent by one script, and each child by what is asked of it first. */
export function family(parent: Reply[], children: Record<string, Reply | Reply[]> = {}): ScriptedModel {
  let step = 0
  const told = new Map<string, number>()
  return modelWith(100_000, ({ task, messages }: ModelRequest) => {
    if (task === undefined) return parent[step++] ?? { text: "(end of script)" }
    const asked = read(messages).findLast((line) => line.startsWith("user: ") && line.slice(6) in children)
    const script = children[asked?.slice(6) ?? ""] ?? { text: "(no part)" }
    if (!Array.isArray(script)) return script
    const at = told.get(task) ?? 0
    told.set(task, at + 1)
    return script[at] ?? { text: "(end of part)" }
  })
}

/** Calls that begin a subagent. */
export const research = (prompt: string, agent?: string): [string, unknown] => [
  "run_subagent",
  { description: prompt, prompt, ...(agent && { agent }) },
]
export const delegate = (agent: string, goal: string, more: object = {}): [string, unknown] => [
  "sub_agent",
  { agent, goal, ...more },
]

export interface SessionOptions {
  takesDeliveries?: boolean
  store?: Store
  id?: string
  policy?: Dials["policy"]
  mode?: Dials["mode"]
  settings?: Partial<SubagentValues>
  roles?: Partial<Role>[]
  profiles?: Partial<Profile>[]
  /** What the user answers; "once" if not given. */
  ask?: (question: Question) => Answer | Promise<Answer>
  clock?: Clock
  now?: () => number
  excludeTools?: string[]
  ownTools?: Tool[]
  fetch?: Runtime["fetch"]
  files?: Record<string, string>
  /** More models than the one, by id. */
  models?: Record<string, Partial<ModelEntry>>
}

/** One session with a client, and short words for what the tests do with it. */
export async function sessionWith(model: Model, options: SessionOptions = {}) {
  const cwd = await temporaryFolder()
  const runtime = { ...testRuntime(), ...(options.fetch && { fetch: options.fetch }) }
  for (const [name, text] of Object.entries(options.files ?? {})) await runtime.files.write(`${cwd}/${name}`, text)
  const { store } = options
  const id = options.id ?? crypto.randomUUID()
  const definitions = fakeDefinitions(options)
  const machine = machineOf(runtime, ...(options.clock ? [options.clock] : []))
  if (store && !options.id) store.create({ ...sessionNamed(id, { cwd, folder: cwd, roots: [cwd] }), model: model.id })
  const params: SessionParams = {
    id,
    cwd,
    roots: [cwd],
    dials: { model: model.id, policy: options.policy ?? "default", mode: options.mode ?? "code", efforts: new Map() },
    asks: true,
    journal: store ? journalOf(store, id) : NO_JOURNAL,
    definitions,
    coreTools: undefined,
    excludeTools: options.excludeTools ?? [],
    ...(store && options.id && { entries: restored(store, id) }),
  }
  const needs = {
    runtime,
    machine,
    catalog: catalogOf(model, options.models ?? {}),
    home: `${cwd}/home`,
    allowed: [],
    maxSteps: 50,
    ownTools: options.ownTools ?? [],
    settings: DEFAULTS,
  }
  const session = new Session(params, needs)
  onTestFinished(() => session.close())
  const events: SessionEvent[] = []
  const questions: Question[] = []
  const client: Attached = {
    takesDeliveries: options.takesDeliveries ?? true,
    tell: (event) => void events.push(event),
    async ask(question) {
      questions.push(question)
      return (await options.ask?.(question)) ?? "once"
    },
    editor: {},
    terminals: undefined,
  }
  session.attach(client)
  const resolve =
    (calls: readonly ToolCall[]): Resolve =>
    async (content: readonly Content[]) => ({ content, calls })
  const { tasks } = session.parts.subagents
  return {
    session,
    client,
    cwd,
    runtime,
    events,
    questions,
    settings: definitions.change,
    tasks,
    say: (text: string, calls: readonly ToolCall[] = []): Promise<TurnEnd> =>
      session.prompt(userText(text), resolve(calls), client, never),
    entries: () => lines(session.entries),
    modelReads: () => read(messagesForModel(session.entries)),
    /** The tasks by what they are about, each with how it stands. */
    standing: () => Object.fromEntries(tasks.list().map(({ snapshot }) => [snapshot.description, snapshot.status])),
    marks: () => events.flatMap((event) => (event.type === "turn" ? [event] : [])),
    told: (): TaskSnapshot[] => events.flatMap((event) => (event.type === "task" ? [event.task] : [])),
    async until(isSo: () => boolean): Promise<void> {
      for (let times = 0; times < 1000 && !isSo(); times++) await new Promise((resolve) => setTimeout(resolve, 5))
      if (!isSo()) throw new Error(`it never came; ${lines(session.entries).join(" / ")}`)
    },
  }
}

export type Played = Awaited<ReturnType<typeof sessionWith>>

function restored(store: Store, id: string) {
  store.claim(id)
  const saved = store.load(id)!
  const torn = repairs(saved)
  torn.forEach((entry, at) => {
    store.append(id, saved.entries.length + at, entry)
  })
  store.settle(id, saved.entries.length + torn.length)
  return [...saved.entries, ...torn]
}

function catalogOf(model: Model, others: NonNullable<SessionOptions["models"]>): Catalog {
  const entries = new Map(
    Object.entries({ [model.id]: {}, ...others }).map(([modelId, more]) => [
      modelId,
      { modelId, name: modelId, description: null, imageSupport: true, ...more },
    ]),
  )
  const find = (id: string) => entries.get(id)
  return {
    find,
    list: () => [...entries.values()],
    model: (id: string) => (find(id) ? named(model, id) : undefined),
  } as unknown as Catalog
}

function named(model: Model, id: string): Model {
  return { id, contextWindow: model.contextWindow, takes: model.takes, stream: (...asked) => model.stream(...asked) }
}

function fakeDefinitions({ settings = {}, roles = [], profiles = [] }: SessionOptions) {
  let current = { ...subagentValues({}), ...settings }
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const found = foundOf([], [], [])
  const wholeRoles = roles.map((role) => ({
    ...{ description: "", model: null, reasoningEffort: null, tools: null, prompt: "Be thorough." },
    ...role,
  })) as Role[]
  const own = profiles.map((profile) => ({
    ...{ description: "", model: null, color: null, prompt: "You are mine.", origin: "project" },
    ...profile,
  })) as Profile[]
  const builtIn = [...found.profiles.values()].map(({ definition }) => definition)
  const definitions = {
    settings: {
      get current() {
        return current
      },
      rest: { plugins: [] },
      onChange: listen,
    },
    current: found,
    refresh: async () => found,
    async roleFor(name: string) {
      const role = wholeRoles.find((one) => one.name === name)
      if (role) return role
      throw new Error(`There is no role "${name}"`)
    },
    async profileFor(id: string) {
      const profile = [...builtIn, ...own].find((one) => one.id === id || one.name === id)
      if (profile) return profile
      throw new Error(`There is no profile "${id}"`)
    },
    onChange: listen,
    change(values: Partial<SubagentValues>) {
      current = { ...current, ...values }
      for (const listener of [...listeners]) listener()
    },
    roles: wholeRoles,
  }
  return definitions as unknown as Definitions & Pick<typeof definitions, "change" | "roles">
}
