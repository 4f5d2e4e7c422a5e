import {
  type AssistantMessage,
  type Content,
  type Display,
  type Entry,
  type Result,
  type ToolCall,
  textOf,
  type UserMessage,
} from "../agent/message.ts"
import { fenced } from "../text/fence.ts"
import { LABEL } from "./client.ts"
import { shownInput, textBlock, toBlock, toPromptBlock } from "./content.ts"
import { endOf, type Update } from "./updates.ts"

/** Tells a client that loads a session, entry by entry, what was said. */
export interface Replay {
  of(entry: Entry): Update[]
  /** What is left when there are no more entries: calls that still run, and those that wait for them. */
  rest(): Update[]
}

/**
 * What the user saw then, in the order in which it happened: calls in the order in which they were made, whichever
 * came to its end first. What was hidden stays hidden.
 */
export function replayer(): Replay {
  let owed: ToolCall[] = []
  const results = new Map<string, Result>()

  /** The calls that can be told of before one that has no result. */
  function ended(): Update[] {
    const updates: Update[] = []
    for (let call = owed[0]; call && results.has(call.id); call = owed[0]) updates.push(...told(call))
    return updates
  }

  function told(call: ToolCall): Update[] {
    owed = owed.filter((one) => one !== call)
    const result = results.get(call.id)
    results.delete(call.id)
    return result ? made(result, call.input) : []
  }

  /** The reply has no more results: those of damaged calls come last. */
  function settled(): Update[] {
    const updates = [...owed].flatMap(told)
    for (const result of results.values()) updates.push(...made(result, undefined))
    results.clear()
    return updates
  }

  return {
    of(entry) {
      if (entry.role === "result") {
        results.set(entry.id, entry)
        return ended()
      }
      const before = settled()
      if (entry.role === "user") return [...before, ...(entry.hidden ? [] : userMessage(entry))]
      if (entry.role !== "assistant") return before
      owed = [...entry.calls]
      return [...before, ...reply(entry)]
    },
    rest() {
      const running = owed.filter(({ id }) => !results.has(id))
      return [...settled(), ...running.map(stillRunning)]
    },
  }
}

function made(result: Result, input: unknown): Update[] {
  const { shown } = result
  const end = endOf({ ...result, shown: { ...shown, display: shown.display.flatMap((part) => lasting(part, result)) } })
  const { content: _, ...card } = end
  return [
    { sessionUpdate: "tool_call", ...card, status: "pending", rawInput: shownInput(input) },
    { sessionUpdate: "tool_call_update", ...end },
  ]
}

/** A terminal of the client's is gone with the connection; what it showed is in the result. */
function lasting(part: Display, { content }: Result): Display[] {
  if (part.type !== "terminal") return [part]
  const text = textOf(content)
  return text === "" ? [] : [{ type: "text", text: fenced(text) }]
}

function stillRunning({ id, name, input }: ToolCall): Update {
  return {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: name,
    kind: "other",
    status: "in_progress",
    rawInput: shownInput(input),
  }
}

function userMessage({ id, content, label }: UserMessage): Update[] {
  const meta = label !== undefined && { _meta: { [LABEL]: label } }
  return content.filter(isShown).map((part) => {
    return { sessionUpdate: "user_message_chunk", messageId: id, content: toPromptBlock(part), ...meta }
  })
}

function isShown(part: Content): boolean {
  return !("hidden" in part && part.hidden)
}

function reply({ id, content }: AssistantMessage): Update[] {
  return content.map((part) => {
    if (part.type !== "reasoning")
      return { sessionUpdate: "agent_message_chunk", messageId: id, content: toBlock(part) }
    return { sessionUpdate: "agent_thought_chunk", messageId: id, content: textBlock(part.text) }
  })
}
