import fc from "fast-check"
import { expect, test } from "vitest"
import { growth, parse } from "../../src/text/expression.ts"
import { lineMatcher } from "../../src/text/line-matcher.ts"
import { linearSearch } from "../../src/text/linear.ts"
import { tokensOf } from "../../src/text/pattern.ts"
import { requiredText } from "../../src/text/required.ts"

const find = (pattern: string, line: string, literal = false, caseSensitive?: boolean) =>
  found(lineMatcher(pattern, { literal, caseSensitive }).find(line, false), line)

const found = (span: { start: number; end: number } | undefined, line: string) =>
  span && line.slice(span.start, span.end)

test.each<[pattern: string, line: string, found: string]>([
  ["fo+", "a foo", "foo"],
  ["^\\s*def (\\w+)", "  def run():", "  def run"],
  ["a|b$", "xb", "b"],
  ["interface{", "type T interface{}", "interface{"],
  ["a{2}", "aaa", "aa"],
  ['say \\"hi\\"', 'say "hi"', 'say "hi"'],
  ["\\<div\\>", "<div>", "<div>"],
  ["a\\/b\\-c", "a/b-c", "a/b-c"],
  ["[\\w-.]+", "a-b.c d", "a-b.c"],
  ["[]x]+", "a]x]", "]x]"],
  ["[[x]+", "a[x", "[x"],
  ["(?P<name>b)c", "abc", "bc"],
  ["(?i)FOO", "a foo", "foo"],
  ["\\Aa\\z", "a", "a"],
  ["\\x{41}\\x41\\u0041", "AAA", "AAA"],
  ["(a)\\1", "aa", "aa"],
  ["a(?=b)", "ab", "a"],
  ["слово\\b", "моё слово.", "слово"],
  ["\\bслово", "нетслово слово", "слово"],
  ["\\w+", "— имя_1 —", "имя_1"],
  ["[\\w.]+", "— ф.и —", "ф.и"],
  ["\\W+", "имя, x", ", "],
  [".", "👍", "👍"],
])("%j finds in %j %j", (pattern, line, part) => {
  expect(find(pattern, line)).toBe(part)
})

test("case counts when the pattern has a capital letter, or as one says", () => {
  const lines = ["error", "Error"]
  const matches = (pattern: string, literal: boolean, caseSensitive?: boolean) =>
    lines.map((line) => find(pattern, line, literal, caseSensitive) !== undefined)
  for (const literal of [false, true]) {
    expect(matches("error", literal)).toEqual([true, true])
    expect(matches("Error", literal)).toEqual([false, true])
    expect(matches("error", literal, true)).toEqual([true, false])
    expect(matches("Error", literal, false)).toEqual([true, true])
  }
  expect(matches("\\Serror|\\Werror|error", false)).toEqual([true, true])
  expect(find("ошибка", "Ошибка")).toBe("Ошибка")
})

test("plain text is found as it is", () => {
  expect(find("a.b(*)", "x a.b(*) y", true)).toBe("a.b(*)")
  expect(find("a.b\n", "a.b", true)).toBe("a.b")
})

test.each<[string, RegExp]>([
  ["(foo", /^"\(foo" is no regular expression: .+\. To search for it as plain text, set "literal": true$/],
  ["*a", /^"\*a" is no regular expression: /],
  ["a)", /is no regular expression/],
  ["[a", /is no regular expression/],
  ["\\", /is no regular expression/],
  ["\\y", /is no regular expression/],
  ["", /^The pattern is empty$/],
  ["a\\nb", /^Lines are searched one by one, so no line end ever matches/],
  ["(?=(a+)+)b", /^"\(\?=\(a\+\)\+\)b" could take for ever: repeat nothing that repeats$/],
  ["((a+)+)\\1$", /could take for ever/],
])("the pattern %j is refused with what to do instead", (pattern, message) => {
  expect(() => lineMatcher(pattern, { literal: false })).toThrow(message)
})

test.each<[string, number]>([
  ["abc|d", 0],
  ["a.*b", 1],
  [".*a.*b", 2],
  ["\\d{1,3}\\.\\d{1,3}", 2],
  ["[0-9]{4}", 0],
  ["(\\w+\\.)+", Number.POSITIVE_INFINITY],
  ["(a|b)*", Number.POSITIVE_INFINITY],
  ["(a?){30}a{30}", Number.POSITIVE_INFINITY],
  ["(ab){3,}", 1],
  ["(a|a)".repeat(20), Number.POSITIVE_INFINITY],
])("the time %j takes to go back grows by the power %j", (pattern, power) => {
  expect(growth(parse(tokensOf(pattern))!)).toBe(power)
})

test("patterns that would double their time with each character are matched at once", () => {
  const line = `${"a".repeat(5_000)}!`
  for (const pattern of ["(a+)+$", "(a|aa)+$", "(.*)*$b", "(a?){30}a{30}$", "^(([a-z])+.)+[A-Z]$", "(a*)*b"]) {
    expect([pattern, find(pattern, line)]).toEqual([pattern, undefined])
  }
  expect(find("(a+)+!", line)).toBe(line)
})

test("patterns whose time grows with a power of the length are matched at once in long lines too", () => {
  const line = "x".repeat(300_000)
  for (const pattern of [".*.*.*=.*", "x*x*x*y", "\\w+\\s*=\\s*\\w+;"]) {
    expect([pattern, find(pattern, line)]).toEqual([pattern, undefined])
  }
  expect(find("x+y", `${line}y`)).toHaveLength(300_001)
})

test("of a long line, a pattern that looks around sees the beginning, and says how much", () => {
  const matcher = lineMatcher("x+(?=y)", { literal: false })
  expect([matcher.reach, matcher.find(`${"x".repeat(4_000)}y`, true)]).toEqual([3162, undefined])
  expect(matcher.find("xxy", true)).toEqual({ start: 0, end: 2 })
})

test.each<[string, string]>([
  ["\\bawait\\b.*\\bfetchAll\\(", "fetchAll("],
  ["(\\w+\\.)+then", "then"],
  ["(a|b)x?cd+e", "c"],
  ["(abc)?|d", ""],
  ["(?=abcd)a.", "a"],
  ["\\x41bc\\n", "bc"],
  ["(?:(foo)bar){2,}", "foobar"],
])("what matches %j must have %j in it", (pattern, text) => {
  expect(requiredText(parse(tokensOf(pattern))!)).toBe(text)
})

test("a text without what a pattern needs is passed over", () => {
  const matchers = [
    lineMatcher("x+Foo", { literal: false }),
    lineMatcher("x+foo", { literal: false }),
    lineMatcher("foo", { literal: true }),
  ]
  expect(matchers.map((matcher) => ["a\nFOO", "a Foo", "bar"].map((text) => matcher.mayMatch(text)))).toEqual([
    [false, true, false],
    [true, true, false],
    [true, true, false],
  ])
})

/** Any expression that both engines know, small enough to go back in. */
const expression = fc.letrec<{ any: string; group: string; one: string }>((tie) => ({
  one: fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "é", "\\W"),
  group: fc.oneof(
    fc
      .tuple(tie("any"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,1}", "*?"))
      .map(([of, times]) => `(?:${of})${times}`),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `(${one}|${other})`),
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie("one"),
    fc
      .array(fc.oneof({ maxDepth: 3 }, tie("one"), tie("group")), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("")),
  ),
})).any

test("both engines agree on whether a line matches", () => {
  fc.assert(
    fc.property(
      expression,
      fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "-"), maxLength: 6 }),
      (pattern, line) => {
        const linear = linearSearch(parse(tokensOf(pattern))!, "u")!
        expect([pattern, line, linear(line) !== undefined]).toEqual([
          pattern,
          line,
          new RegExp(pattern, "u").test(line),
        ])
      },
    ),
    { numRuns: 2_000 },
  )
})
