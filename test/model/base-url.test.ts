import { expect, test } from "vitest"
import { baseUrlOf, endpoint, shownUrl } from "../../src/model/base-url.ts"

test.each([
  ["http://h/v1", "http://h/v1"],
  [" http://h/v1/ ", "http://h/v1"],
  ["http://h", "http://h/v1"],
  ["http://h:8080/", "http://h:8080/v1"],
  ["https://h/v1/chat/completions", "https://h/v1"],
  ["https://h/v1/chat/completions/", "https://h/v1"],
  ["https://h/v1/models", "https://h/v1"],
  ["https://h/openai/deployments/x?api-version=1", "https://h/openai/deployments/x?api-version=1"],
  ["https://h/some/prefix/v1", "https://h/some/prefix/v1"],
  ["http://[::1]:11434", "http://[::1]:11434/v1"],
  ["localhost:1234", "http://localhost:1234/v1"],
  ["api.example.com/v1", "https://api.example.com/v1"],
  ["https://user:word@h/v1", "https://h/v1"],
  ["ftp://h", undefined],
  ["", undefined],
  ["http://", undefined],
])("MP-08 %j is %s", (text, base) => {
  expect(baseUrlOf(text)).toBe(base)
})

test("MP-08 paths below it keep its query; what is shown does not", () => {
  expect(endpoint("https://h/x/v1?version=1", "/models")).toBe("https://h/x/v1/models?version=1")
  expect(shownUrl("https://user:word@h/x/v1?key=1#a")).toBe("https://h/x/v1")
})
