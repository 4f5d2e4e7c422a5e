import { expect, test } from "vitest"
import { lengthErrors } from "../../build/check-length.ts"

const lines = (count: number) => "\n".repeat(count)

test("a file of 300 lines is the longest there may be, and the median is told", () => {
  const sources = new Map([
    ["src/a.ts", lines(20)],
    ["src/b.ts", lines(300)],
    ["src/c.ts", lines(301)],
    ["src/d.ts", lines(40)],
    ["src/e.ts", lines(60)],
  ])
  expect(lengthErrors(sources)).toEqual({
    errors: ["src/c.ts has 301 lines; split it by subject before it passes 300"],
    median: 60,
  })
})
