import fc from "fast-check"
import { expect, test } from "vitest"
import { plainText, TerminalText } from "../../src/text/terminal-text.ts"

test("colours, links, titles and cursor moves are not text", () => {
  const printed =
    "\x1b[1;31mred\x1b[0m \x1b]8;;https://a.example\x1b\\link\x1b]8;;\x07 \x1b]0;title\x07\x1b[2K\x1b[1Aend\x1b(B\x1b=\n"
  expect(plainText(printed)).toBe("red link end\n")
})

test("of a line that was written over, the last state is left", () => {
  expect(plainText("10%\r50%\r100%\ndone\r\n")).toBe("100%\ndone\n")
  expect(plainText("10%\r20%\r")).toBe("20%")
})

test("a character that was taken back is gone", () => {
  expect(plainText("N\bNA\bAM\bME\bE |\b/\b-\n")).toBe("NAME -\n")
})

test("tabs stay, other control characters go", () => {
  expect(plainText("a\tb\x00\x07c\x7f\n")).toBe("a\tbc\n")
})

test("a line without an end is given out in pieces, so that it does not gather in memory", () => {
  const text = new TerminalText()
  const out = Array.from({ length: 100 }, () => text.add("x".repeat(10_000))).join("")
  expect({ length: (out + text.line).length, held: text.line.length < 20_000 }).toEqual({
    length: 1_000_000,
    held: true,
  })
})

test("it makes no difference in which pieces the text comes", () => {
  const part = fc.constantFrom(
    "a",
    "é",
    "😀",
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\x1b(B",
    "\x1b",
    "[",
    " ",
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (parts, size) => {
      const printed = parts.join("")
      const text = new TerminalText()
      let out = ""
      for (let at = 0; at < printed.length; at += size) out += text.add(printed.slice(at, at + size))
      expect(out + text.line).toBe(plainText(printed))
    }),
  )
})
