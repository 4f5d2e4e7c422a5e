import type { Entry } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import type { SystemParts } from "../instructions/system.ts"
import type { Catalog } from "../model/catalog.ts"
import type { Ask } from "../permission/gate.ts"
import type { Runtime } from "../runtime.ts"
import type { Settings } from "../settings/keys.ts"
import type { Definitions } from "../subagents/definitions.ts"
import type { Inquire } from "../tools/inquiry.ts"
import type { Machine } from "../workspace/machine.ts"
import type { Attached, SessionEvent } from "./attached.ts"
import type { Dials } from "./dials.ts"
import type { Journal } from "./journal.ts"
import type { Plan } from "./plan.ts"
import type { ServersParams, ServersTies } from "./servers.ts"
import type { SubagentTies } from "./subagents.ts"

/** What sessions share. */
export interface SessionNeeds {
  readonly runtime: Runtime
  readonly machine: Machine
  readonly catalog: Catalog
  /** Koda home. */
  readonly home: string
  /** Rules of what the user has allowed for good. */
  readonly allowed: readonly string[]
  /** Replies in a turn, at most. */
  readonly maxSteps: number
  /** Tools of the program that embeds us. */
  readonly ownTools: readonly Tool[]
  readonly settings: Pick<Settings, "hooks" | "sandbox" | "lintCommand" | "webFetch" | "webSearch">
}

/** What a session is opened with. */
export interface SessionParams {
  readonly id: string
  /** Absolute. */
  readonly cwd: string
  /** `cwd` and the additional directories. */
  readonly roots: readonly string[]
  readonly dials: Dials
  /** False where nobody can be asked. */
  readonly asks: boolean
  readonly client?: SystemParts["client"]
  readonly title?: string
  readonly plan?: Plan
  /** What was said before. */
  readonly entries?: readonly Entry[]
  readonly journal: Journal
  /** Who can be given work. */
  readonly definitions: Definitions
  /** MCP servers. */
  readonly servers?: ServersParams
  /** Undefined: all. */
  readonly coreTools: readonly string[] | undefined
  readonly excludeTools: readonly string[]
  /** Names; undefined: all. */
  readonly allowedSkills?: readonly string[]
}

/** What only the session knows. */
export interface SessionTies extends SubagentTies, ServersTies {
  /** Whether subagents may hold the next reply. */
  waits(): boolean
  dials(): Dials
  readonly ask: Ask
  /** Whether there is anybody to ask. */
  canAsk(): boolean
  /** The client whose files and terminals count now. */
  speaker(): Attached | undefined
  tell(event: SessionEvent): void
  plan(): Plan
  publish(plan: Plan): void
  readonly inquire: Inquire
  /** Publishes a plan about which the user is asked when the turn ends. */
  propose(plan: Plan): void
}
