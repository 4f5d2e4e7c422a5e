/** The names that one may have meant by a name there is not, the likeliest first. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase()
  const longer = (each: string) => Math.abs(each.length - name.length) // letters are swapped more often than left out
  const rated = names.flatMap((each) => {
    const off = difference(wanted, each.toLowerCase())
    return off === undefined ? [] : [{ each, off }]
  })
  return rated
    .sort((a, b) => a.off - b.off || longer(a.each) - longer(b.each) || (a.each < b.each ? -1 : 1))
    .slice(0, MOST)
    .map(({ each }) => each)
}

const MOST = 5
/** Names that a sentence can hold. */
const LISTED = 20

/** The name that is most like it, as a question to follow a sentence that says that there is none; empty if none is. */
export function didYouMean(name: string, names: readonly string[]): string {
  const [best] = similarNames(name, names)
  return best === undefined ? "" : `; did you mean "${best}"?`
}

/** What may have been meant by a name that is none of these, to follow a sentence that says that there is no such name. */
export function meant(name: string, names: readonly string[]): string {
  const likely = didYouMean(name, names)
  if (likely !== "") return likely
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ""
  const listed = names.slice(0, LISTED).join(", ") + more
  return `; there ${names.length === 1 ? "is only" : "are"} ${listed || "none"}`
}

/** How far apart two names are; undefined if too far. */
function difference(a: string, b: string): number | undefined {
  if (a === b) return 0
  if (stem(a) === stem(b)) return 1
  const shorter = Math.min(a.length, b.length)
  const longest = Math.max(a.length, b.length)
  const most = Math.max(1, shorter / 4)
  const steps = longest <= LONGEST && longest - shorter <= most ? editSteps(a, b) : longest
  if (steps < shorter && steps <= most) return 1 + steps
  return isPart(stem(a), b) || isPart(stem(b), a) ? 10 : undefined
}

/** Characters. Longer names are not compared letter by letter: there may be many. */
const LONGEST = 100

function isPart(stem: string, name: string): boolean {
  return stem.length >= 4 && name.includes(stem)
}

function stem(name: string): string {
  const dot = name.indexOf(".", 1)
  return dot < 0 ? name : name.slice(0, dot)
}

/** The letters to add, leave out, change or swap with the next to make one word of the other. */
function editSteps(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        row[j - 1]! + 1,
        last[j]! + 1,
        last[j - 1]! + (same ? 0 : 1),
        swapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[b.length]!
}
