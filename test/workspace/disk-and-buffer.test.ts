import { expect, test } from "vitest"
import { afterWrite, compare, type Memory } from "../../src/workspace/disk-and-buffer.ts"
import { ABSENT } from "../../src/workspace/fingerprint.ts"

const OURS = true
const SAME: Memory = { disk: "d1", buffer: "d1", past: ["d1"] }
const UNSAVED: Memory = { disk: "d1", buffer: "b1", past: ["d1"] }

test.each<[string, { disk: string; buffer: string }, Memory | undefined, boolean, string]>([
  ["a buffer like the disk: the disk", { disk: "d1", buffer: "d1" }, undefined, false, "disk"],
  ["seen first, and differing: the user has typed", { disk: "d1", buffer: "b1" }, undefined, false, "buffer"],
  ["seen first, after a command changed the disk: late", { disk: "d1", buffer: "b1" }, undefined, OURS, "disk"],
  ["typed since it was the same: unsaved", { disk: "d1", buffer: "b1" }, SAME, false, "buffer"],
  ["typed on: still unsaved", { disk: "d1", buffer: "b2" }, UNSAVED, OURS, "buffer"],
  ["the disk changed, the buffer did not: late", { disk: "d2", buffer: "d1" }, SAME, OURS, "disk"],
  ["the disk changed by whoever, the buffer did not: late", { disk: "d2", buffer: "d1" }, SAME, false, "disk"],
  ["unsaved, and a command of ours changed the disk: late", { disk: "d2", buffer: "b1" }, UNSAVED, OURS, "disk"],
  ["unsaved, and somebody else changed the disk: neither", { disk: "d2", buffer: "b1" }, UNSAVED, false, "neither"],
  ["both changed: neither", { disk: "d2", buffer: "b2" }, UNSAVED, OURS, "neither"],
  ["both changed, since they were the same: neither", { disk: "d2", buffer: "b1" }, SAME, OURS, "neither"],
])("%s counts", (_, now, last, ours, counts) => {
  expect(compare(now, last, ours).counts).toBe(counts)
})

test("a late buffer stays late, and one that catches up half way is late still", () => {
  const first = compare({ disk: "d1", buffer: "d1" }, undefined, false).memory
  const once = afterWrite(first, "d1", "d2")
  const twice = afterWrite(once, "d2", "d3")
  const late = compare({ disk: "d3", buffer: "d1" }, twice, false)
  const halfway = compare({ disk: "d3", buffer: "d2" }, late.memory, false)
  const typed = compare({ disk: "d3", buffer: "b1" }, halfway.memory, false)
  const caughtUp = compare({ disk: "d3", buffer: "d3" }, halfway.memory, false)
  const typedThen = compare({ disk: "d3", buffer: "b1" }, caughtUp.memory, false)
  expect([late, halfway, typed, caughtUp, typedThen].map(({ counts }) => counts)).toEqual([
    "disk",
    "disk",
    "neither",
    "disk",
    "buffer",
  ])
})

test("what is typed into a file that we made is unsaved, not a conflict", () => {
  expect(compare({ disk: "d1", buffer: "b1" }, afterWrite(undefined, ABSENT, "d1"), false).counts).toBe("buffer")
})
