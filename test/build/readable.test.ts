import { expect, test } from "vitest"
import { readable } from "../../build/readable.ts"

test("a turn reads as a story: words in a stream, each step of a call on a line", () => {
  let shown = ""
  const screen = readable((text) => {
    shown += text
  })
  screen.asks("hi\nthere")
  screen.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "let me " } })
  screen.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "see" } })
  screen.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Looking." } })
  screen.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read a.ts", kind: "read", status: "pending" })
  screen.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "pending", content: [] })
  screen.note("a note")
  const content = [{ type: "content", content: { type: "text", text: "1\n2\n3\n4\n5\n6\n7\n8\n" } }]
  screen.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", content })
  screen.update({ sessionUpdate: "plan", entries: [{ content: "First", priority: "medium", status: "in_progress" }] })
  screen.update({ sessionUpdate: "something_new", content: {} })
  expect(shown.split("\n")).toEqual([
    "",
    "› hi",
    "› there",
    "",
    "  (thinking) let me see",
    "",
    "Looking.",
    "  … Read a.ts (read): pending",
    "  · a note",
    "  ✓ Read a.ts: completed",
    ...["1", "2", "3", "4", "5", "6"].map((line) => `      ${line}`),
    "      (2 more lines)",
    "  [>] First",
    "",
  ])
})
