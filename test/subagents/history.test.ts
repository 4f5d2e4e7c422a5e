import { expect, test } from "vitest"
import { NO_USAGE, userText } from "../../src/agent/message.ts"
import { historyOf, type Noted } from "../../src/subagents/history.ts"
import { call, resultOf, said } from "../support/store.ts"

const AT = Date.parse("2026-01-01T00:00:00.000Z")
const at = "2026-01-01T00:00:00.000Z"

const rows = (...entries: Noted[]) => historyOf(entries, () => AT)

test("R-268 R-271 the conversation in rows: what was asked, said and brought; a person's words with what they allowed", () => {
  const looked: Noted = { ...resultOf("1", "it is a"), name: "ls" }
  const continued: Noted = { ...userText("and b?"), policy: "auto_edit" }
  expect(rows(userText("look at a"), said("I look", [call("1")]), looked, said("found a"), continued)).toEqual([
    { kind: "user", text: "look at a", at },
    { kind: "model", text: "I look", at },
    { kind: "tool", text: "it is a", toolName: "list_directory", status: "completed", at },
    { kind: "model", text: "found a", at },
    { kind: "user", text: "and b?", policy: "auto_edit", at },
  ])
})

test("R-267 R-268 what a summary stands for is not shown, the summary is", () => {
  const summary: Noted = { role: "summary", text: "we looked", from: 2 }
  expect(rows(userText("look"), said("done"), userText("more"), summary).map(({ kind, text }) => [kind, text])).toEqual(
    [
      ["summary", "we looked"],
      ["user", "more"],
    ],
  )
})

test("R-267 reminders, replies without words and the marks of reports are no rows", () => {
  const quiet: Noted = {
    role: "assistant",
    id: "r",
    content: [],
    calls: [call("1")],
    stop: "tool_use",
    usage: NO_USAGE,
  }
  expect(rows({ ...userText("psst"), hidden: true }, quiet)).toEqual([])
})

test("R-269 R-270 each text is cut at 4,000 characters with a mark, and the last 400 rows are kept", () => {
  const [row] = rows(userText("x".repeat(9000)))
  expect(row!.text).toMatch(/^x{4000}… .*\[cut\]$/)
  const many = Array.from({ length: 500 }, (_, index) => userText(`${index}`))
  expect(rows(...many)).toHaveLength(400)
  expect(rows(...many)[0]!.text).toBe("100")
})
