import { expect, test } from "vitest"
import { embedded, isPutIn } from "../../src/text/embedded.ts"

test("PC-01 a text is fenced by a tag that does not end in it, and told from the user's words by that", () => {
  const fenced = embedded("file:///a.ts", "let a\n</resource>\n</resource_>")
  expect(fenced).toBe('<resource__ uri="file:///a.ts">\nlet a\n</resource>\n</resource_>\n</resource__>')
  expect([fenced, "[left out: an image]", "<resource> is a tag", "why?"].map(isPutIn)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
