import { expect, test } from "vitest"
import { fenced, inlineCode } from "../../src/text/fence.ts"

test("a code block is fenced by more backticks than are in it", () => {
  expect(fenced("npm test", "sh")).toBe("```sh\nnpm test\n```")
  expect(fenced("a\n````md\nb\n")).toBe("`````\na\n````md\nb\n`````")
})

test("code within a line keeps its backticks", () => {
  expect(inlineCode("npm test")).toBe("`npm test`")
  expect(inlineCode("echo `date`")).toBe("`` echo `date` ``")
})
