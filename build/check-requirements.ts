import type { Sources } from "./sources.ts"

/** The last number of the specification. */
const LAST = 367

export interface Coverage {
  errors: string[]
  claimed: number
  tested: number
}

/**
 * Compares the list of what this version claims with the numbers that test titles name. Each number of the
 * specification is claimed or left out with a reason, and each claimed one has a test.
 *
 * A line of the list is `R-001…R-062` or `R-063` for what is claimed, and `R-366: why` for what is left out.
 */
export function requirementErrors(list: string, tests: Sources): Coverage {
  const { claimed, leftOut, errors } = readList(list)
  const tested = new Set([...tests.values()].flatMap(numbersInTitles))
  const all = Array.from({ length: LAST }, (_, index) => index + 1)
  return {
    errors: [
      ...errors,
      ...all
        .filter((number) => !claimed.has(number) && !leftOut.has(number))
        .map((number) => `${name(number)} is neither claimed nor left out`),
      ...all
        .filter((number) => claimed.has(number) && leftOut.has(number))
        .map((number) => `${name(number)} is claimed and left out`),
      ...[...tested]
        .filter((number) => number < 1 || number > LAST)
        .map((number) => `a test names ${name(number)}, which is no requirement`),
      ...all
        .filter((number) => claimed.has(number) && !tested.has(number))
        .map((number) => `${name(number)} is claimed and no test names it`),
    ],
    claimed: claimed.size,
    tested: [...claimed].filter((number) => tested.has(number)).length,
  }
}

function readList(list: string): { claimed: Set<number>; leftOut: Set<number>; errors: string[] } {
  const claimed = new Set<number>()
  const leftOut = new Set<number>()
  const errors: string[] = []
  for (const line of list.split("\n").map((line) => line.trim())) {
    if (line === "" || line.startsWith("#")) continue
    const [, first, last, reason] = /^R-(\d{3})(?:…R-(\d{3}))?(?:: (\S.*))?$/.exec(line) ?? []
    if (!first) errors.push(`the list of requirements has a line that is none: "${line}"`)
    else for (const number of range(first, last)) (reason ? leftOut : claimed).add(number)
  }
  return { claimed, leftOut, errors }
}

/** `R-001`, `R-001…R-004`, `R-001…004` within the strings of a test file. */
function numbersInTitles(text: string): number[] {
  const titles = text.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
  return titles.flatMap((title) =>
    [...title.matchAll(/\bR-(\d{3})(?:…(?:R-)?(\d{3}))?/g)].flatMap(([, first, last]) => range(first!, last)),
  )
}

function range(first: string, last = first): number[] {
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index)
}

function name(number: number): string {
  return `R-${String(number).padStart(3, "0")}`
}
