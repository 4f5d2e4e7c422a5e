import type { Sources } from "./sources.ts"

/** A file this long has two subjects. */
const LIMIT = 300

/** The files over the limit, and the median of all, which is to stay under a hundred lines. */
export function lengthErrors(sources: Sources): { errors: string[]; median: number } {
  const lengths = [...sources].map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
  const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b)
  return {
    errors: lengths
      .filter(({ lines }) => lines > LIMIT)
      .map(({ file, lines }) => `${file} has ${lines} lines; split it by subject before it passes ${LIMIT}`),
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
  }
}
