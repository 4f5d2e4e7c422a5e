import fc from "fast-check"
import { expect, test } from "vitest"
import { changedLines } from "../../src/text/changed-part.ts"

const line = fc.constantFrom("a\n", "b\n", "\n", "a b\n", "b b a\n")
const end = fc.constantFrom("", "a", "b b")
const body = fc.tuple(fc.array(line, { maxLength: 12 }), end).map(([lines, last]) => lines.join("") + last)

test("the lines that change, put in the place of what they were, make the new text of the old", () => {
  fc.assert(
    fc.property(body, body, body, fc.nat(3), (head, before, after, around) => {
      const [old, now] = [head + before + head, head + after + head]
      const part = changedLines(old, now, around)
      const above = old.split("\n").slice(0, part.line - 1)
      const start = above.join("\n").length + Math.min(1, above.length)
      expect(old.startsWith(part.before, start)).toBe(true)
      expect(old.slice(0, start) + part.after + old.slice(start + part.before.length)).toBe(now)
    }),
  )
})

test("of a text with one change only its surroundings are looked at", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `${at + 1}\n`)
  const after = lines.map((text, at) => (at === 49 ? "fifty\n" : text))
  expect(changedLines(lines.join(""), after.join(""), 2)).toEqual({
    before: "48\n49\n50\n51\n52\n",
    after: "48\n49\nfifty\n51\n52\n",
    line: 48,
  })
  expect(changedLines("a\nb", "a\nc", 2)).toEqual({ before: "a\nb", after: "a\nc", line: 1 })
})
