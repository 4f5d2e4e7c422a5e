import type { Entry, UserMessage } from "../agent/message.ts"
import type { SystemParts } from "../instructions/system.ts"
import type { Mode } from "../permission/policy.ts"
import { isRecord, parsed } from "./entry-row.ts"
import type { Plan } from "./plan.ts"

/** A session as it lies on disk, less what was said in it. Its access policy is not kept, and neither are servers. */
export interface SavedSession {
  readonly id: string
  /** As the client wrote it. */
  readonly cwd: string
  /** The same, with every link resolved: two that are equal are the same folder. */
  readonly folder: string
  readonly roots: readonly string[]
  readonly title?: string
  readonly mode: Mode
  readonly model: string
  readonly efforts: ReadonlyMap<string, string>
  readonly asked: Asked
  readonly plan: Plan
  /** How many entries there were after the last finished step. */
  readonly whole: number
  /** How many there were when the last turn had ended: more of them, and it was killed in the middle of one. */
  readonly settled: number
  /** Milliseconds since 1970. */
  readonly created: number
  readonly updated: number
}

/** What the client asked of the session when it was new; leaving it out later does not widen it. */
export interface Asked {
  readonly system?: NonNullable<SystemParts["client"]>
  readonly coreTools?: readonly string[]
  readonly excludeTools?: readonly string[]
  readonly allowedSkills?: readonly string[]
}

/** A session that begins. A subagent's has a parent, which must be this process's. */
export interface NewSession extends Omit<SavedSession, "plan" | "whole" | "settled" | "created" | "updated"> {
  readonly parent?: string
  readonly plan?: SavedSession["plan"]
}

/** What may change of a session. */
export type Changes = Partial<Pick<SavedSession, "mode" | "model" | "efforts" | "title" | "plan">>

/** All of it. */
export interface Saved extends SavedSession {
  readonly entries: Entry[]
  /** Received, and not read by the agent. */
  readonly unread: UserMessage[]
  /** Which entries could not be read; a word about it stands in the place of each. */
  readonly damaged: readonly number[]
}

/** A row of sessions as SQLite hands it out. */
export interface SessionRow {
  id: string
  cwd: string
  folder: string
  roots: string
  title: string | null
  mode: string
  model: string
  efforts: string
  asked: string
  plan: string
  whole: number
  settled: number
  created: number
  updated: number
}

/** Undefined if what limits the session can't be read: it must not come back with fewer limits than it had. */
export function savedSession(row: SessionRow): SavedSession | undefined {
  const { title, roots, efforts, asked, plan, mode, ...plain } = row
  const limits = parsed(asked)
  if (!isRecord(limits) || !isMode(mode)) return undefined
  return {
    ...plain,
    ...(title !== null && { title }),
    mode,
    roots: rootsOf(roots) ?? [row.cwd],
    efforts: new Map(Object.entries(recordOf(efforts))) as Map<string, string>,
    asked: limits,
    plan: planOf(plan),
  }
}

/** A session as a list shows it. */
export interface Listed {
  readonly id: string
  readonly cwd: string
  readonly roots: readonly string[]
  readonly title?: string
  /** Milliseconds since 1970. */
  readonly updated: number
}

export type ListedRow = Pick<SessionRow, "id" | "cwd" | "roots" | "title" | "updated">

export function listed({ id, cwd, roots, title, updated }: ListedRow): Listed {
  return { id, cwd, roots: rootsOf(roots) ?? [cwd], updated, ...(title !== null && { title }) }
}

function rootsOf(json: string): string[] | undefined {
  const value = parsed(json)
  return Array.isArray(value) ? value.filter((root) => typeof root === "string") : undefined
}

const MODES: readonly string[] = ["code", "ask", "plan", "debug", "educator"] satisfies Mode[]

function isMode(mode: string): mode is Mode {
  return MODES.includes(mode)
}

function planOf(json: string): Plan {
  const plan = recordOf(json)
  return Array.isArray(plan["entries"]) ? (plan as unknown as Plan) : { entries: [] }
}

function recordOf(json: string): Record<string, unknown> {
  const value = parsed(json)
  return isRecord(value) ? value : {}
}
