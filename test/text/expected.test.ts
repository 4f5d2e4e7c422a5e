import { expect, test } from "vitest"
import { expectedInWords } from "../../src/text/expected.ts"

test.each([
  ["number", "a number"],
  ["string", "a text"],
  ["Array", "a list"],
  ["(string | null)", "a text or null"],
  ['("warm" | "cold")', "one of warm, cold"],
  ['"koda"', '"koda"'],
])("what a schema calls %j is for people %j", (expected, words) => {
  expect(expectedInWords(expected)).toBe(words)
})
