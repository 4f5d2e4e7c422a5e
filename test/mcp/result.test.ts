import { expect, test } from "vitest"
import { outcomeOf } from "../../src/mcp/result.ts"

const textIn = (result: object) =>
  outcomeOf({ ...result }).content.map((part) => (part.type === "text" ? part.text : part.type))

test("R-297 texts, pictures, sounds, links and resources come as what they are", () => {
  const result = {
    content: [
      { type: "text", text: "words" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource_link", uri: "https://docs.example/a", name: "a", title: "A", description: "about a", size: 5 },
      { type: "resource", resource: { uri: "file:///a.txt", text: "inside", mimeType: "text/plain" } },
      { type: "resource", resource: { uri: "file:///a.png", blob: "aGk=", mimeType: "image/png" } },
    ],
  }
  expect(outcomeOf(result)).toEqual({
    content: [
      { type: "text", text: "words" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "link", uri: "https://docs.example/a", name: "a", title: "A", description: "about a" },
      { type: "text", text: '<resource uri="file:///a.txt">\ninside\n</resource>' },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
  })
})

test("what can't be read leaves a note, and costs nothing else", () => {
  const content = [
    7,
    { type: "smell" },
    { type: "image" },
    { type: "image", data: "x", mimeType: "image/svg+xml" },
    { type: "text" },
  ]
  const blob = { type: "resource", resource: { uri: "file:///a.zip", blob: "aGk=", mimeType: "application/zip" } }
  expect(textIn({ content: [...content, blob] })).toEqual([
    "[left out: a part that can't be read]",
    '[left out: a part of the unknown type "smell"]',
    "[left out: an image without data]",
    "[left out: an image (image/svg+xml)]",
    "",
    "[left out: the binary resource file:///a.zip (application/zip)]",
  ])
  expect(outcomeOf({ content: "no list" })).toEqual({ content: [] })
})

test("structured content is read where there are no words", () => {
  expect(textIn({ content: [], structuredContent: { a: 1 } })).toEqual(['{\n  "a": 1\n}'])
  expect(textIn({ content: [{ type: "text", text: "said" }], structuredContent: { a: 1 } })).toEqual(["said"])
})

test("a failure is one, also without words", () => {
  expect(outcomeOf({ isError: true })).toEqual({
    content: [{ type: "text", text: "The tool failed, and did not say why." }],
    failed: true,
  })
})

test("the whole of a result stays within bounds, and says what is missing", () => {
  const [first = "", second] = textIn({
    content: [
      { type: "text", text: "é".repeat(40_000) },
      { type: "text", text: "more" },
    ],
  })
  expect(first.length).toBeLessThan(26_000)
  expect(first).toMatch(/\n\[left out: 29\.3 KB more; ask the tool for less at a time\]$/)
  expect(second).toMatch(/^\n\[left out: 4 B more/)
  const picture = { type: "image", data: "x".repeat(6_000_000), mimeType: "image/png" }
  expect(textIn({ content: [picture, picture, picture] })).toEqual([
    "image",
    "image",
    "[left out: an image of 4.3 MB: too large]",
  ])
  expect(textIn({ content: Array.from({ length: 500 }, () => ({ type: "text", text: "" })) }).at(-1)).toBe(
    "[left out: 300 more parts]",
  )
})
