import { expect, test } from "vitest"
import type { AgentEvent } from "../../src/agent/event.ts"
import { NO_USAGE } from "../../src/agent/message.ts"
import { Activity } from "../../src/subagents/activity.ts"

const NOW = Date.parse("2026-01-01T00:00:00.000Z")
const timestamp = "2026-01-01T00:00:00.000Z"

const made = (id: string, title: string, name = "read_file"): AgentEvent => ({
  type: "call_made",
  call: { id, name, input: { path: "a.ts" } },
  shown: { title, kind: "read", locations: [], display: [] },
})
const ended = (id: string, status: "ok" | "failed"): AgentEvent => ({
  type: "call_ended",
  result: {
    role: "result",
    id,
    name: "read_file",
    status,
    content: [],
    shown: { title: "", kind: "read", locations: [], display: [] },
  },
})
const compaction = (status: "started" | "completed" | "failed", more: object = {}): AgentEvent => ({
  type: "compaction",
  id: "c",
  status,
  before: 900,
  after: status === "completed" ? 100 : 900,
  contextWindow: 1000,
  ...more,
})

test("R-165 R-360 replies, calls and compressions are steps, a call by its title and one name, not by its arguments", () => {
  const activity = new Activity()
  for (const event of [
    { type: "text", message: "m", delta: "I will " } as const,
    { type: "text", message: "m", delta: "look" } as const,
    made("1", "Read a.ts"),
    ended("1", "ok"),
    made("2", "Search b", "grep"),
    ended("2", "failed"),
    compaction("started"),
  ]) {
    activity.follow(event, NOW)
  }
  expect(activity.entries).toEqual([
    { id: "m", kind: "model", status: "completed", text: "I will look", timestamp },
    {
      id: "tool-1",
      kind: "tool",
      status: "completed",
      text: "Read a.ts",
      timestamp,
      toolName: "read_file",
      toolCallId: "1",
    },
    {
      id: "tool-2",
      kind: "tool",
      status: "failed",
      text: "Search b",
      timestamp,
      toolName: "search_file_content",
      toolCallId: "2",
    },
    { id: "compression-c", kind: "compression", status: "in_progress", text: "", timestamp },
  ])
  expect(activity.lines()).toEqual(["I will look", "✓ Read a.ts", "✗ Search b", "… Making room"])
})

test("R-166 R-167 a compression that is done says how many tokens there were and are, one that failed why", () => {
  const activity = new Activity()
  expect(activity.follow(compaction("completed"), NOW)).toEqual({
    id: "compression-c",
    kind: "compression",
    status: "completed",
    text: "",
    timestamp,
    originalTokenCount: 900,
    newTokenCount: 100,
  })
  expect(activity.follow(compaction("failed", { error: "no room" }), NOW)).toEqual({
    id: "compression-c",
    kind: "compression",
    status: "failed",
    text: "no room",
    timestamp,
  })
})

test("a long reply keeps its end, and no more than the last 200 steps are kept", () => {
  const activity = new Activity()
  activity.follow({ type: "text", message: "m", delta: "x".repeat(3000) }, NOW)
  activity.follow({ type: "text", message: "m", delta: "the end" }, NOW)
  expect(activity.entries[0]!.text).toHaveLength(1000)
  expect(activity.entries[0]!.text).toMatch(/the end$/)
  for (let at = 0; at < 300; at++) activity.follow(made(`${at}`, `Read ${at}`), NOW)
  expect(activity.entries).toHaveLength(200)
  expect(activity.lines()).toHaveLength(12)
})

test("a reply is whole when its cost is known; when all is over nothing is in progress", () => {
  const activity = new Activity()
  activity.follow({ type: "text", message: "m", delta: "hm" }, NOW)
  const done = activity.follow({ type: "used", usage: NO_USAGE, contextWindow: 1 }, NOW)
  expect(done).toMatchObject({ id: "m", status: "completed" })
  activity.follow(made("1", "Read"), NOW)
  expect(activity.close().map(({ id }) => id)).toEqual(["tool-1"])
  expect(activity.entries.map(({ status }) => status)).toEqual(["completed", "failed"])
})
