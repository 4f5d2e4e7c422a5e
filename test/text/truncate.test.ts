import { expect, test } from "vitest"
import { byteLength, cutAround, cutEnd, linesOf, linesWithin, sizeInWords } from "../../src/text/truncate.ts"

test.each([
  ["", []],
  ["a", ["a"]],
  ["a\nb\n", ["a", "b"]],
  ["a\r\nb\rc\n\nd", ["a", "b\rc", "", "d"]],
  ["a\rb\r", ["a", "b"]],
  ["a\u2028b\fc", ["a\u2028b\fc"]],
])("the lines of %j are %j", (text, lines) => {
  expect(linesOf(text)).toEqual(lines)
})

test("text is measured in bytes of UTF-8", () => {
  for (const text of ["", "abc", "Привет", "€ü", "👍🏽 ok", "漢字"]) {
    expect([text, byteLength(text)]).toEqual([text, new TextEncoder().encode(text).length])
  }
})

test("as many lines are taken as fit, each with its line end", () => {
  const lines = ["aaaa", "é", "bb"]
  expect([0, 4, 5, 7, 8, 10, 11].map((bytes) => linesWithin(lines, bytes))).toEqual([0, 0, 1, 1, 2, 2, 3])
})

test("a long line is cut at its end, and says by how much", () => {
  expect(cutEnd("short", 5)).toBe("short")
  expect(cutEnd("x".repeat(12_000), 3)).toBe("xxx… [11,997 more characters]")
  expect(cutEnd("ab👍cd", 3)).toBe("ab… [4 more characters]")
})

test("a long line is cut around what was found in it", () => {
  const line = "0123456789"
  expect(cutAround(line, { start: 4, end: 6 }, 10)).toBe("0123456789")
  expect(cutAround(line, { start: 4, end: 6 }, 4)).toBe("…3456…")
  expect(cutAround(line, { start: 0, end: 1 }, 4)).toBe("0123…")
  expect(cutAround(line, { start: 9, end: 10 }, 4)).toBe("…6789")
  expect(cutAround(line, { start: 2, end: 9 }, 4)).toBe("…2345…")
  expect(cutAround("a👍b👍c", { start: 3, end: 4 }, 3)).toBe("…👍b…")
})

test("sizes are said as people say them", () => {
  expect([0, 1023, 1024, 12_345, 150_000, 5_000_000, 500_000_000].map(sizeInWords)).toEqual([
    "0 B",
    "1023 B",
    "1 KB",
    "12.1 KB",
    "146 KB",
    "4.8 MB",
    "477 MB",
  ])
})
