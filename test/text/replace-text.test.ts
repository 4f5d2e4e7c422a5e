import fc from "fast-check"
import { expect, test } from "vitest"
import { keepEnds } from "../../src/text/line-ends.ts"
import { replaceText } from "../../src/text/replace-text.ts"
import { decode, encode } from "../../src/workspace/encoding.ts"

const line = fc.string({
  unit: fc.constantFrom("a", "b", " ", "\t", "é", "😀", "\f", "\u2028", "$", "{"),
  maxLength: 8,
})
const end = fc.constantFrom("\n", "\r\n", "\n", "")
const body = fc.array(fc.tuple(line, end), { maxLength: 12 }).map((lines) => lines.flat().join(""))

test("ED-01 ED-02 an edit leaves every byte outside of it as it was", () => {
  fc.assert(
    fc.property(body, body, body, body, fc.boolean(), (before, old, after, put, mark) => {
      const marked = `<${old}>` // stands nowhere else
      const format = { encoding: "utf-8", mark } as const
      const bytes = encode(before + marked + after, format)
      const { text } = decode(bytes)!
      fc.pre(marked.replaceAll("\r\n", "\n") !== put.replaceAll("\r\n", "\n"))
      const edited = replaceText(text, { old: marked.replaceAll("\r\n", "\n"), new: put, all: false }, "a.txt")
      const result = encode(edited.text, format)
      const [head, tail] = [encode(before, format), encode(after, { encoding: "utf-8", mark: false })]
      expect(result.subarray(0, head.length)).toEqual(head)
      expect(result.subarray(result.length - tail.length)).toEqual(tail)
      const middle = new TextDecoder().decode(result.subarray(head.length, result.length - tail.length))
      expect(middle.replaceAll("\r\n", "\n")).toBe(put.replaceAll("\r\n", "\n"))
    }),
    { numRuns: 1_000 },
  )
})

test("ED-01 in a file with one kind of line end an edit brings in no other", () => {
  fc.assert(
    fc.property(body, body, body, fc.constantFrom("\n", "\r\n", "\r"), (before, after, put, kind) => {
      const lines = (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\r", "").replaceAll("\n", kind)
      const text = `first${kind}${lines(before)}<here>${lines(after)}`
      const edited = replaceText(text, { old: "<here>", new: put, all: false }, "a.txt").text
      expect(edited).toBe(`first${kind}${lines(before)}${lines(put)}${lines(after)}`)
    }),
  )
})

test("every occurrence is replaced once, also where the new text holds the old", () => {
  expect(replaceText("a\r\naa\n", { old: "a", new: "aa", all: true }, "a.txt")).toEqual({
    text: "aa\r\naaaa\n",
    lines: [1, 2, 2],
  })
})

test("occurrences that overlap are two", () => {
  expect(() => replaceText("aaa\n", { old: "aa", new: "b", all: false }, "a.txt")).toThrow(
    "occurs 2 times in a.txt, on lines 1 and 1",
  )
})

test("line ends that an edit removes go, and those it keeps stay what they were", () => {
  expect(replaceText("a\nb\r\nc\nd", { old: "a\nb\nc\nd", new: "a\nb c\nd", all: false }, "a.txt").text).toBe(
    "a\nb c\nd",
  )
  expect(replaceText("a\r\nb\nc", { old: "a\nb", new: "a\nx\nb", all: false }, "a.txt").text).toBe("a\r\nx\nb\nc")
})

test("an edit that would change nothing but line ends is refused", () => {
  expect(() => replaceText("a\r\n", { old: "a\r\n", new: "a\n", all: false }, "a.txt")).toThrow("are the same")
})

test("a whole new text takes over the line ends of the old one", () => {
  expect([
    keepEnds("a\r\nb\r\n", "a\nc\nd\n"),
    keepEnds("a\nb\r\n", "a\nb\nc\n"),
    keepEnds("a\rb\r", "x\ny\n"),
    keepEnds("", "a\nb\n"),
    keepEnds("one line", "a\nb"),
  ]).toEqual(["a\r\nc\r\nd\r\n", "a\nb\r\nc\r\n", "x\ry\r", "a\nb\n", "a\nb"])
})
