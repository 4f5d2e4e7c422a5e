import { expect, test } from "vitest"
import { nameMatcher } from "../../src/text/name-matcher.ts"
import { alternatives, pathMatcher } from "../../src/text/path-pattern.ts"

const PATHS = ["a.ts", "b.js", ".env", "src/a.ts", "src/deep/b.ts", "src/.git/c.ts", "lib/a.test.ts", "app/[id]/p.ts"]

function matched(glob: string, dots = false): string[] {
  const matchers = alternatives(glob).map((each) => pathMatcher(each, "extended", dots))
  return PATHS.filter((path) => matchers.some((matches) => matches?.(path)))
}

test("a star stays in a name, two go through folders, and dots must be named", () => {
  expect(matched("*")).toEqual(["a.ts", "b.js"])
  expect(matched("**/*.ts")).toEqual(["a.ts", "src/a.ts", "src/deep/b.ts", "lib/a.test.ts", "app/[id]/p.ts"])
  expect(matched("**", true)).toEqual(PATHS)
  expect(matched("src/**")).toEqual(["src/a.ts", "src/deep/b.ts"])
  expect(matched("src/**/c.ts")).toEqual([])
  expect(matched("src/.*/c.ts")).toEqual(["src/.git/c.ts"])
  expect(matched("?[!x]*s")).toEqual(["a.ts", "b.js"])
})

test("choices, ranges and exceptions are what they are in a shell", () => {
  expect(matched("{src,lib}/*.ts")).toEqual(["src/a.ts", "lib/a.test.ts"])
  expect(matched("{src/deep,lib}/**")).toEqual(["src/deep/b.ts", "lib/a.test.ts"])
  expect(matched("*.{j,t}s")).toEqual(["a.ts", "b.js"])
  expect(matched("**/!(*.test).ts")).toEqual(["a.ts", "src/a.ts", "src/deep/b.ts", "app/[id]/p.ts"])
  expect(matched("@(a|b).+(t|j|s)")).toEqual(["a.ts", "b.js"])
  expect(matched("**/[id]/*")).toEqual(["app/[id]/p.ts"])
  expect(alternatives("v{1..3}/{a..c}{x}")).toEqual(
    ["v1", "v2", "v3"].flatMap((v) => [`${v}/a{x}`, `${v}/b{x}`, `${v}/c{x}`]),
  )
  expect(() => alternatives("{1..9999}")).toThrow('"{1..9999}" stands for more than 1000 globs; say less at once')
})

// A matcher that goes back would not be done with any of these before the sun burns out.
test("no pattern takes long, whatever it repeats", () => {
  const name = "a".repeat(255)
  const path = `${"a/".repeat(1_000)}x.e`
  const answers = [
    pathMatcher(`${"**/a*/".repeat(40)}**/*.d`, "plain", true)?.(path),
    pathMatcher(`${"**/*a*/".repeat(40)}x.[d]`, "extended", false)?.(path),
    nameMatcher(`${"*a".repeat(40)}*[b]`, "plain", true)?.(name),
    nameMatcher("+(+(+(a|aa)|a)|!(b))[b]", "extended", false)?.(name),
    nameMatcher("!(!(a*)*a)*!(a)*[b]", "extended", false)?.(name),
  ]
  expect(answers).toEqual([false, false, false, false, false])
})
