import { expect, test } from "vitest"
import { withFact } from "../../src/tools/save-memory.ts"

test.each([
  ["", "## Remembered\n\n- a\n"],
  ["# W\r\n", "# W\r\n\r\n## Remembered\r\n\r\n- a\r\n"],
  ["## Remembered\n\n- b\n", "## Remembered\n\n- b\n- a\n"],
  ["## Remembered\n\n- b\n\n## More\n\nx\n", "## Remembered\n\n- b\n- a\n\n## More\n\nx\n"],
  ["## Remembered\n\n- a\n", "## Remembered\n\n- a\n"],
])("a fact is kept at the end of its section: %j", (before, after) => {
  expect(withFact(before, "a")).toBe(after)
})
