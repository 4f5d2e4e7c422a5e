import type { Content, Display, Location, ToolCall, ToolKind } from "./message.ts"

/** What the model is told of a tool. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input. */
  readonly schema: object
}

/** Something the model can do. */
export interface Tool extends ToolSpec {
  readonly kind: ToolKind
  /** True when no other call of the same reply may run beside it. */
  readonly alone?: true
  /**
   * Turns the model's input into an action, changing nothing. It may look at what it will touch, to show it. Throws an
   * Error whose message tells the model what to do instead.
   */
  prepare(input: unknown, signal: AbortSignal): Promise<Action>
}

/** A call understood, and not yet run. What the gate judges and the user is shown is what will run. */
export interface Action {
  /** What it will do, in one line. */
  readonly title: string
  readonly locations: readonly Location[]
  /** What the user is shown before it runs: the diffs, or the command in full. */
  readonly display: readonly Display[]
  readonly reach: Reach
  /** Why it can't be done, where that is known before anybody is asked. */
  readonly cannot?: Error
  /** Does it. Throws an Error whose message tells the model what to do instead. */
  run(context: CallContext): Promise<Outcome>
}

/** All that an action touches outside our own process. Paths are absolute; links in them are not resolved. */
export type Reach =
  | { type: "nothing" }
  | { type: "files"; reads: readonly string[]; writes: readonly string[] }
  /** A shell command, run in a folder. */
  | { type: "command"; command: string; folder: string }
  | { type: "web"; url: string }
  /** A tool of an MCP server; `trusted` by the user's settings. */
  | { type: "server"; server: string; tool: string; trusted: boolean }
  /** A profile of `sub_agent`. */
  | { type: "profile"; profile: string }

export interface Outcome {
  /** What the model reads. */
  content: Content[]
  /** What the user is shown, where that is something else. */
  display?: readonly Display[]
  locations?: readonly Location[]
  /** It ran and did not succeed: a command that exited with 1. */
  failed?: true
}

export interface CallContext {
  readonly call: ToolCall
  readonly signal: AbortSignal
  /** Shows progress to the user, in place of what was shown before. The model sees only the outcome. */
  report(progress: Progress): void
}

export interface Progress {
  display: readonly Display[]
  /** What a command has printed since the last report, for clients that append. */
  printed?: string
  /** How a command ended; in its last report. */
  exit?: { code: number | null; signal: string | null }
}

/** Decides what an agent may do. */
export interface Gate {
  /** Whether the model is told of the tool at all. */
  offers(tool: Tool): boolean
  /** Asked for every call, at the moment it would run. */
  admit(tool: Tool, action: Action, call: ToolCall, signal: AbortSignal): Promise<Verdict>
}

/** `shown` is what the user is told, where that is something else than the model is. */
export type Verdict = { allowed: true } | { allowed: false; reason: string; shown?: string }

export function textOutcome(text: string): Outcome {
  return { content: [{ type: "text", text }] }
}
