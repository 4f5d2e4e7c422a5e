import type { Json } from "./acp-child.ts"

/** Shows what an agent streams to a person who reads along. */
export interface Readable {
  update(update: Json): void
  /** What we say to the agent. */
  asks(text: string): void
  /** What is neither side's words. */
  note(text: string): void
}

interface ToolCall extends Json {
  toolCallId: string
  title?: string
  status?: string
  kind?: string
  content?: { type: string; content?: { text?: string }; path?: string }[]
}

interface PlanEntry {
  content: string
  status: string
}

const MARKS: Record<string, string> = { in_progress: ">", completed: "x" }

const SIGNS: Record<string, string> = { pending: "…", in_progress: "…", completed: "✓", failed: "✗" }

/** The lines of a tool's output that are shown; the rest is counted. */
const SHOWN_LINES = 6

/** Turns session updates into text, as they come. */
export function readable(write: (text: string) => void): Readable {
  const calls = new Map<string, { title: string; status: string | undefined }>()
  let streaming: string | undefined

  const line = (text: string) => {
    if (streaming) write("\n")
    streaming = undefined
    write(`${text}\n`)
  }
  const stream = (kind: string, lead: string, text: string) => {
    if (streaming !== kind) line("")
    if (streaming !== kind) write(lead)
    streaming = kind
    write(text)
  }
  const toolCall = (call: ToolCall) => {
    const known = calls.get(call.toolCallId)
    const title = call.title ?? known?.title ?? call.toolCallId
    const status = call.status ?? known?.status
    calls.set(call.toolCallId, { title, status })
    if (!status || status === known?.status) return
    line(`  ${SIGNS[status] ?? "·"} ${title}${call.kind ? ` (${call.kind})` : ""}: ${status}`)
    if (status === "completed" || status === "failed") for (const text of outputOf(call)) line(`      ${text}`)
  }

  return {
    asks(text) {
      line("")
      for (const part of text.split("\n")) line(`› ${part}`)
    },
    note: (text) => line(`  · ${text}`),
    update(update) {
      const text = (update.content as { text?: string } | undefined)?.text ?? ""
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          return stream("said", "", text)
        case "agent_thought_chunk":
          return stream("thought", "  (thinking) ", text)
        case "tool_call":
        case "tool_call_update":
          return toolCall(update as ToolCall)
        case "plan":
          for (const { content, status } of update.entries as PlanEntry[])
            line(`  [${MARKS[status] ?? " "}] ${content}`)
          return
        case "session_info_update":
          return update.title ? line(`  · title: ${update.title}`) : undefined
        case "usage_update":
          return line(`  · context: ${update.used} of ${update.size} tokens`)
      }
    },
  }
}

function outputOf({ content = [] }: ToolCall): string[] {
  const lines = content.flatMap((part) => {
    if (part.type === "diff") return [`changed ${part.path}`]
    return (part.content?.text ?? "").trimEnd().split("\n")
  })
  const more = lines.length - SHOWN_LINES
  return more > 1 ? [...lines.slice(0, SHOWN_LINES), `(${more} more lines)`] : lines
}
