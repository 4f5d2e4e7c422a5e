import type { AssistantMessage, Content, Entry, UserMessage } from "../agent/message.ts"
import { LABEL } from "./client.ts"
import { textBlock, toBlock } from "./content.ts"
import { endOf, type Update } from "./updates.ts"

/**
 * Tells a client that loads a session, entry by entry, what was said: what the user saw then, in the order in which it
 * happened. What was hidden stays hidden.
 */
export function replayer(): (entry: Entry) => Update[] {
  const inputs = new Map<string, unknown>()
  return (entry) => {
    switch (entry.role) {
      case "user":
        return entry.hidden ? [] : userMessage(entry)
      case "assistant":
        for (const { id, input } of entry.calls) inputs.set(id, input)
        return reply(entry)
      case "result": {
        const { content: _, ...made } = endOf(entry)
        const rawInput = inputs.get(entry.id)
        inputs.delete(entry.id)
        return [
          { sessionUpdate: "tool_call", ...made, status: "pending", rawInput },
          { sessionUpdate: "tool_call_update", ...endOf(entry) },
        ]
      }
      case "report":
      case "returned":
      case "summary":
        return []
    }
  }
}

function userMessage({ id, content, label }: UserMessage): Update[] {
  const meta = label !== undefined && { _meta: { [LABEL]: label } }
  return content.filter(isShown).map((part) => {
    return { sessionUpdate: "user_message_chunk", messageId: id, content: toBlock(part), ...meta }
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
