import { expect, test } from "vitest"
import { visible, visibleLines } from "../../src/text/visible.ts"

test("PE-12 what is not seen is shown by its name: controls, line ends, marks of direction", () => {
  expect(visible("a\nb\t\x1b[2J\x7f\u202ec\u200b\u2066\ufeff")).toBe(
    "a\\nb\\t\\x1b[2J\\x7f\\u202ec\\u200b\\u2066\\ufeff",
  )
  expect(visibleLines("a\n\tb\r\x1b\u202e")).toBe("a\n\tb\\r\\x1b\\u202e")
})

test("letters of every script, and emoji of several parts, are as they are", () => {
  const text = "имя 名前 שלום می‌خواهم 👩‍🚀 é"
  expect(visible(text)).toBe(text)
})
