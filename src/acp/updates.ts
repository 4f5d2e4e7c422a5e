import { type Display, type Result, type Shown, textOf, type Usage } from "../agent/message.ts"
import type { StopReason } from "../agent/turn.ts"
import type { SessionEvent } from "../session/attached.ts"
import type { Plan } from "../session/plan.ts"
import { fenced } from "../text/fence.ts"
import { type Client, OWN } from "./client.ts"
import { shownInput, textBlock, toPromptBlock, toToolContent } from "./content.ts"
import { reportLine, taskUpdates, turnUpdates, workingUpdate } from "./subagent-updates.ts"

/** An update as it goes over the wire; its kind is one that this client knows. */
export type Update = { sessionUpdate: string } & Record<string, unknown>

/** What a client is told of an event. Pure. What needs the session's state (`turned`) is told by the connection. */
export function updatesOf(event: SessionEvent, client: Client): Update[] {
  switch (event.type) {
    case "text":
      return [{ sessionUpdate: "agent_message_chunk", messageId: event.message, content: textBlock(event.delta) }]
    case "reasoning":
      return [{ sessionUpdate: "agent_thought_chunk", messageId: event.message, content: textBlock(event.delta) }]
    case "notice":
      return [note(event.text, client)]
    case "call_made":
      return [callMade(event, client)]
    case "call_started":
      return [{ sessionUpdate: "tool_call_update", toolCallId: event.id, status: "in_progress" }]
    case "call_progress":
      return [callProgress(event, client)]
    case "call_ended":
      return [callEnded(event.result, client)]
    case "used":
      return usageUpdates(event.usage.input + event.usage.output, event.contextWindow, client)
    case "compaction":
      return compactionUpdates(event, client)
    case "titled":
      return [{ sessionUpdate: "session_info_update", title: event.title, updatedAt: new Date().toISOString() }]
    case "planned":
      return [planUpdate(event.plan, client)]
    case "said":
      return event.message.content.map((part) => {
        return { sessionUpdate: "user_message_chunk", messageId: event.message.id, content: toPromptBlock(part) }
      })
    case "task": {
      const line = client.subagents === true ? undefined : reportLine(event)
      return [...taskUpdates(event, client), ...(line === undefined ? [] : [note(line, client)])]
    }
    case "turn":
      return turnUpdates(event, client)
    case "working":
      return [workingUpdate(event)]
    case "child": // on a session of its own, which the connection knows
    case "read":
    case "waiting":
    case "resumed":
    case "turned":
    case "elicited":
      return []
  }
}

/** How full the window is: in the standard's words if its size is known, and in Koda's. */
export function usageUpdates(used: number, size: number | undefined, { dialect }: Client): Update[] {
  return [
    ...(size !== undefined ? [{ sessionUpdate: "usage_update", used, size }] : []),
    ...(dialect === "koda"
      ? [{ sessionUpdate: "context_usage_update", usedTokens: used, maxTokens: size ?? null }]
      : []),
  ]
}

/** In Koda's words, in the standard's to a client that knows them, and as a line to one that knows neither. */
function compactionUpdates(event: Of<"compaction">, client: Client): Update[] {
  const { status, before, after, contextWindow } = event
  const error = event.error !== undefined && { error: event.error }
  const counts = { originalTokenCount: before, newTokenCount: after }
  const koda = { status, ...counts, ...error, ...(status === "cancelled" && { status: "failed", error: "cancelled" }) }
  const standard = { compactionId: event.id, status: status === "started" ? "in_progress" : status, ...error }
  const isKoda = client.dialect === "koda"
  return [
    ...(isKoda ? [{ sessionUpdate: "context_compaction_update", ...koda }] : []),
    ...(client.compaction ? [{ sessionUpdate: "compaction_update", ...standard }] : []),
    ...(isKoda || client.compaction ? [] : compactionLine(event).map((text) => note(text, client))),
    ...(status === "completed" ? usageUpdates(after, contextWindow, client) : []),
  ]
}

function compactionLine({ status, before, after, error }: Of<"compaction">): string[] {
  switch (status) {
    case "started":
      return ["Making room: what came before is put in few words."]
    case "completed":
      return [`Room was made: the conversation takes about ${after} tokens, and took ${before}.`]
    case "failed":
      return [`The conversation could not be made shorter: ${error}.`]
    case "cancelled":
      return []
  }
}

/** A call that has ended, as it is shown when it ends and when it is replayed. */
export function endOf({ id, status, shown }: Result): Record<string, unknown> {
  const isMaterial = status === "ok" && (shown.kind === "read" || shown.kind === "search")
  const display = isMaterial ? shown.display.map(asItStands) : shown.display
  return { ...card(id, { ...shown, display }), status: status === "ok" ? "completed" : "failed" }
}

/** Editors take text for Markdown: lines of code would run together, and their signs be read as its own. */
function asItStands(part: Display): Display {
  return part.type === "text" && part.text !== "" ? { ...part, text: fenced(part.text) } : part
}

function card(id: string, { title, kind, locations, display }: Shown): Record<string, unknown> {
  return { toolCallId: id, title, kind, locations, content: toToolContent(display) }
}

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>

function callMade({ call, shown }: Of<"call_made">, client: Client): Update {
  const update = {
    sessionUpdate: "tool_call",
    ...card(call.id, shown),
    status: "pending",
    rawInput: shownInput(call.input),
  }
  if (!hasOwnTerminal(shown, client)) return update
  return { ...update, content: ownTerminal(call.id), _meta: { terminal_info: { terminal_id: call.id } } }
}

/** A client with a view of its own for terminals appends what is new; any other shows the content anew. */
function callProgress({ id, progress: { display, printed, exit } }: Of<"call_progress">, client: Client): Update {
  const update = { sessionUpdate: "tool_call_update", toolCallId: id }
  if (printed === undefined || !showsTerminals(client)) return { ...update, content: toToolContent(display) }
  const terminal_exit = exit && { terminal_id: id, exit_code: exit.code, signal: exit.signal }
  return { ...update, _meta: { terminal_output: { terminal_id: id, data: printed }, ...(exit && { terminal_exit }) } }
}

function callEnded(result: Result, client: Client): Update {
  const update = { sessionUpdate: "tool_call_update", ...endOf(result) }
  if (!hasOwnTerminal(result.shown, client)) return update
  // What a command printed stands in the terminal; what kept it from running stands nowhere else.
  const last = result.shown.display.at(-1)
  const isReason = last?.type === "text" && last.text === textOf(result.content)
  const isSaid = result.status === "denied" || (result.status !== "ok" && isReason)
  const words = last && isSaid ? toToolContent([last]) : []
  return { ...update, content: [...ownTerminal(result.id), ...words] }
}

/** It shows what our own commands print, and has no terminals for them to run in. */
function showsTerminals({ terminalOutput, terminal }: Client): boolean {
  return terminalOutput && !terminal
}

function hasOwnTerminal({ kind }: Shown, client: Client): boolean {
  return kind === "execute" && showsTerminals(client)
}

function ownTerminal(id: string): object[] {
  return [{ type: "terminal", terminalId: id }]
}

function planUpdate({ entries, explanation }: Plan, { dialect }: Client): Update {
  const own = explanation !== undefined && dialect === "koda" && { explanation }
  const meta = explanation !== undefined && { _meta: { [`${OWN}.explanation`]: explanation } }
  return { sessionUpdate: "plan", entries, ...own, ...meta }
}

/** Words that are not the model's. */
function note(text: string, { notices }: Client): Update {
  return notices ? notice(text) : thought(text)
}

function notice(text: string): Update {
  return { sessionUpdate: "notice", severity: "info", title: text }
}

function thought(text: string): Update {
  return { sessionUpdate: "agent_thought_chunk", content: textBlock(`${text}\n\n`) }
}

/** How a turn ends on the wire. */
export function promptResponse(stop: StopReason, usage: Usage, promptId: string): object {
  const total = usage.input + usage.output
  const { input, output, thought, cached } = usage
  const counted = {
    totalTokens: total,
    inputTokens: input,
    outputTokens: output,
    thoughtTokens: thought,
    cachedReadTokens: cached,
  }
  const detail = stop === "repeating" && { [`${OWN}.stopDetail`]: "loop_detected" }
  return {
    stopReason: stop === "repeating" ? "end_turn" : stop,
    ...(total > 0 && { usage: counted }), // none was counted: better nothing than zeros
    _meta: { [`${OWN}.promptId`]: promptId, ...detail },
  }
}
