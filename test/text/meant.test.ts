import { expect, test } from "vitest"
import { meant } from "../../src/text/similar.ts"

test.each([
  ["modle", ["mode", "model"], '; did you mean "model"?'],
  ["x", ["a", "b"], "; there are a, b"],
  ["x", ["abc"], "; there is only abc"],
  ["x", [], "; there are none"],
  ["x", Array.from({ length: 23 }, (_, at) => `n${at}`), expect.stringMatching(/^; there are n0, .*, n19 and 3 more$/)],
])("who says %j and could have said %j is told what was meant, or what there is", (name, names, words) => {
  expect(meant(name, names)).toEqual(words)
})
