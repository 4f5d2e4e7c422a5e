import * as v from "valibot"
import type { Dialect } from "./launch.ts"

/** What a client said of itself in `initialize`. Read whenever something is told, never copied. */
export interface Client {
  readonly dialect: Dialect
  /** Set by `--dialect`, and not to be raised. */
  readonly forced: boolean
  readonly name: string | undefined
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  readonly terminal: boolean
  /** Shows what a command prints as it is appended, in a terminal of its own (`_meta.terminal_output`). */
  readonly terminalOutput: boolean
  readonly notices: boolean
  readonly compaction: boolean
  /** true: the first specification's notifications; "standard": the unstable standard's. */
  readonly subagents: boolean | "standard"
  readonly terminalAuth: boolean
  /** Shows forms to the user. */
  readonly elicits: boolean
  /** Shows addresses to the user, who may open them. */
  readonly elicitsUrls: boolean
}

const FLAG = v.nullish(v.unknown())
/** What has a shape that we do not know is not there: a client that is odd in one capability may have others. */
const maybe = <Entries extends v.ObjectEntries>(entries: Entries) => v.fallback(v.nullish(v.looseObject(entries)), null)
const CAPABILITIES = maybe({
  fs: maybe({ readTextFile: FLAG, writeTextFile: FLAG }),
  terminal: FLAG,
  subagents: FLAG,
  session: maybe({ notices: FLAG, compaction: FLAG }),
  auth: maybe({ terminal: FLAG }),
  elicitation: maybe({ form: FLAG, url: FLAG }),
  _meta: maybe({}),
})

export const INITIALIZE = v.looseObject({
  protocolVersion: v.pipe(v.number(), v.integer(), v.minValue(0)),
  clientCapabilities: CAPABILITIES,
  clientInfo: v.nullish(v.looseObject({ name: v.nullish(v.string()) })),
  _meta: v.nullish(v.looseObject({})),
})

/** Our own key in `_meta`, by which a client shows that it knows Koda's wire. */
export const OWN = "com.kodadev"

/** The client's name for a message, in `_meta`. */
export const LABEL = `${OWN}.desktopEntryId`

/** Who speaks before `initialize`, or never sends it: somebody with no capability at all. */
export function unknownClient(forced: Dialect | "auto"): Client {
  return clientOf({ protocolVersion: 1, clientInfo: { name: "unknown" } }, forced)
}

/** What the params of `initialize` say of the client. */
export function clientOf(params: v.InferOutput<typeof INITIALIZE>, forced: Dialect | "auto"): Client {
  const { clientCapabilities, clientInfo, _meta } = params
  const { fs, terminal, subagents, session, auth, elicitation, _meta: more } = clientCapabilities ?? {}
  const speaksKoda = subagents === true || OWN in (_meta ?? {}) || OWN in (more ?? {}) || !clientInfo
  return {
    dialect: forced !== "auto" ? forced : speaksKoda ? "koda" : "standard",
    forced: forced !== "auto",
    name: clientInfo?.name ?? undefined,
    readsFiles: fs?.readTextFile === true,
    writesFiles: fs?.writeTextFile === true,
    terminal: terminal === true,
    terminalOutput: more?.["terminal_output"] === true,
    notices: isObject(session?.notices),
    compaction: isObject(session?.compaction),
    subagents: subagents === true || (isObject(subagents) && "standard"),
    terminalAuth: auth?.terminal === true,
    elicits: isObject(elicitation?.form),
    elicitsUrls: isObject(elicitation?.url),
  }
}

const RAISING = /^(session\/(compact|set_plan|set_reasoning_effort|set_subagent_settings|subagent_.+)|koda\/.+)$/
const OWN_FIELDS = ["coreTools", "excludeTools", "allowedSkills"]

/** The client, known better by what it calls: only one that knows Koda's wire calls such a method or sends such a field. */
export function raised(client: Client, method: string, params: unknown): Client {
  if (client.dialect === "koda" || client.forced) return client
  const fields = isObject(params) ? params : {}
  const knows =
    RAISING.test(method) ||
    (method.startsWith("session/") &&
      (OWN_FIELDS.some((field) => fields[field] != null) || typeof fields["systemPrompt"] === "string"))
  return knows ? { ...client, dialect: "koda" } : client
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
