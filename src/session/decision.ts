import { type Shown, type ToolCall, textContent } from "../agent/message.ts"
import type { Inquire } from "../tools/inquiry.ts"
import type { SessionEvent } from "./attached.ts"

/** Something that the user decides. */
export interface Decision {
  readonly title: string
  /** What there is to know about it. */
  readonly text: string
  readonly yes: string
  readonly no: string
}

/** Whether to leave plan mode with the plan that the model has proposed. */
export const PLAN_DECISION: Decision = {
  title: "Carry out this plan?",
  text: "The session leaves plan mode, and the agent begins with the first step.",
  yes: "Implement",
  no: "Keep planning",
}

/** Asks the user to decide, in a card of its own. Undefined if the question was closed or withdrawn. */
export async function decide(
  { title, text, yes, no }: Decision,
  { inquire, tell }: { inquire: Inquire; tell(event: SessionEvent): void },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const call: ToolCall = { id: crypto.randomUUID(), name: "decide", input: {} }
  const shown: Shown = { title, kind: "other", locations: [], display: textContent(text) }
  tell({ type: "call_made", call, shown })
  const fields = [{ key: "answer", title, choices: [yes, no] }]
  const inquiry = { call, message: title, details: text, fields, buttons: true } as const
  const reply = await inquire(inquiry, signal).catch(() => undefined) // withdrawn
  const answer = reply?.type === "answered" ? reply.values["answer"] === yes : undefined
  const { id, name } = call
  const content = textContent(answer ? yes : no)
  tell({
    type: "call_ended",
    result: {
      role: "result",
      id,
      name,
      status: answer ? "ok" : "denied",
      content,
      shown: { ...shown, display: content },
    },
  })
  return answer
}
