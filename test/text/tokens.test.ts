import { estimateTokenCount } from "tokenx"
import { expect, test } from "vitest"
import { estimateTokens } from "../../src/text/tokens.ts"

test.each([
  ["The quick brown fox jumps over the lazy dog. ".repeat(50)],
  ["export function add(a: number, b: number): number {\n  return a + b\n}\n".repeat(50)],
  ["Быстрая коричневая лиса прыгает через ленивую собаку. ".repeat(50)],
  ["敏捷的棕色狐狸跳过了懒狗。".repeat(50)],
])("%#: agrees with another estimate within a factor of two", (text) => {
  const ratio = estimateTokens(text) / estimateTokenCount(text)
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})

test("nothing is no token, and more text is never fewer", () => {
  expect(estimateTokens("")).toBe(0)
  expect(estimateTokens("a")).toBe(1)
  expect(estimateTokens("abc def ghi jkl")).toBeGreaterThan(estimateTokens("abc def"))
})
