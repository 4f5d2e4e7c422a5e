import type { Loose } from "./koda.ts"
import type { Asked } from "./model.ts"

/** What a strict provider would refuse a request for: calls without results, results without calls, empty replies. */
export function problemsOf({ messages }: Asked): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  let owed: string[] = []
  for (const { role, tool_calls, tool_call_id, content } of messages) {
    if (role === "tool") {
      if (owed.includes(tool_call_id)) owed = owed.filter((id) => id !== tool_call_id)
      else problems.push(`a result of no call before it: ${tool_call_id}`)
      continue
    }
    if (owed.length > 0) problems.push(`calls without results: ${owed.join(", ")}`)
    owed = (tool_calls ?? []).map(({ id }: Loose) => id)
    for (const id of owed) {
      if (seen.has(id)) problems.push(`a call that is there twice: ${id}`)
      seen.add(id)
    }
    if (role === "assistant" && owed.length === 0 && !content) problems.push("a reply that says nothing")
  }
  if (owed.length > 0) problems.push(`calls without results at the end: ${owed.join(", ")}`)
  return problems
}

/** The texts of a request's messages. */
export function textsOf({ messages }: Asked): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : (content ?? []).map(({ text = "" }: Loose) => text),
  )
}
