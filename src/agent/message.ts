/** What the model reads and writes. */
export type Message = UserMessage | AssistantMessage | ToolMessage

/** One item of a transcript. Never changed once it is there; taking something back is one more. */
export type Entry = UserMessage | AssistantMessage | Result | Report | Returned | Summary

/** Words from outside the agent: a prompt, a steering message, a reminder. */
export interface UserMessage {
  role: "user"
  id: string
  content: Content[]
  /** The client's name for it, by which it may fork the session. */
  label?: string
  /** The model reads it; the user is not shown it. */
  hidden?: true
}

/** One reply: what the model said, and the tools it asked for. */
export interface AssistantMessage {
  role: "assistant"
  /** Names the message to clients. */
  id: string
  content: Content[]
  calls: ToolCall[]
  stop: ReplyStop
  usage: Usage
  /** No model made it: the client did, to start roles, or we. */
  scripted?: true
}

/** The results of one reply's calls, one for each call, in their order. */
export interface ToolMessage {
  role: "tool"
  results: ToolResult[]
}

export interface ToolCall {
  /** Unique in the session. */
  id: string
  name: string
  input: unknown
  /** The arguments as they were written, when they are not JSON. */
  broken?: string
}

export interface ToolResult {
  /** The call's. */
  id: string
  status: ResultStatus
  content: Content[]
}

/** "failed": the tool says what to do instead; "denied": the gate; "cancelled": the turn ended first. */
export type ResultStatus = "ok" | "failed" | "denied" | "cancelled"

/** What came of a call, as the model reads it and as it was shown. */
export interface Result extends ToolResult {
  role: "result"
  name: string
  shown: Shown
}

/** How a call looks to the user. */
export interface Shown {
  title: string
  kind: ToolKind
  locations: readonly Location[]
  display: readonly Display[]
}

export interface Location {
  /** Absolute. */
  path: string
  /** From 1. */
  line?: number
}

/** What a user can be shown of a call. */
export type Display =
  | Content
  /** The whole text of a file before (null for a new one) and after. */
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  /** A terminal of the client's. */
  | { type: "terminal"; terminalId: string }

/** What a subagent found. The model reads it as a call it did not make, with its result. */
export interface Report {
  role: "report"
  delivery: string
  task: string
  text: string
}

/** Takes back a report that no reply has answered. */
export interface Returned {
  role: "returned"
  delivery: string
}

/** Stands in for every entry before `from` when the model reads the transcript. */
export interface Summary {
  role: "summary"
  /** Empty if nothing is replaced, and things are only shortened. */
  text: string
  from: number
  /** What tools brought from there to here is read shortened to so many characters each. */
  clip?: number
}

export type Content =
  /** `hidden`: the model reads it, and the user knows it already: what a link of the prompt leads to. */
  | { type: "text"; text: string; hidden?: true }
  /** `field` is where the provider put it, so that it can be sent back there. */
  | { type: "reasoning"; text: string; field?: string }
  /** Base64. */
  | { type: "image"; data: string; mimeType: string; hidden?: true }
  | { type: "audio"; data: string; mimeType: string }
  | { type: "link"; uri: string; name: string; title?: string; description?: string }

/** ACP's sorts of tool, and the only sorting we have: clients pick icons by it, the policy judges by it. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other"

/** Why a reply ended; "cancelled" and "repeating" when we ended it. */
export type ReplyStop = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "cancelled" | "repeating"

/** Tokens, as the provider counted them; all 0 if it did not. */
export interface Usage {
  input: number
  output: number
  /** Part of `input` that was read from a cache. */
  cached: number
  /** Part of `output` that was thought. */
  thought: number
}

export const NO_USAGE: Usage = { input: 0, output: 0, cached: 0, thought: 0 }

export function textContent(text: string): Content[] {
  return [{ type: "text", text }]
}

export function userText(text: string, label?: string): UserMessage {
  const id = crypto.randomUUID()
  return { role: "user", id, content: textContent(text), ...(label && { label }) }
}

export function hiddenText(text: string): UserMessage {
  return { ...userText(text), hidden: true }
}

/** A reply in the model's place: the calls that a client asked for. */
export function scriptedReply(calls: readonly ToolCall[]): AssistantMessage {
  const id = crypto.randomUUID()
  return { role: "assistant", id, content: [], calls: [...calls], stop: "tool_use", usage: NO_USAGE, scripted: true }
}

/** Words in the model's place. */
export function saidReply(text: string): AssistantMessage {
  return { ...scriptedReply([]), content: textContent(text), stop: "end_turn" }
}

export function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("")
}
