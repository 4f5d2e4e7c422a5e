import { type NamePattern, namePattern, type Part, type Sign, type Syntax, widthAt } from "./name-pattern.ts"

/**
 * Tells which names a pattern matches, in a time that grows with the name and no faster: who writes a pattern can hold up
 * nobody, which no package promises. Unless `dots`, a dot that a name begins with must be named. In the extended syntax what
 * is called like the pattern itself matches too: `[id]`. Undefined if the pattern can match nothing.
 */
export function nameMatcher(text: string, syntax: Syntax, dots: boolean): ((name: string) => boolean) | undefined {
  const pattern = namePattern(text, syntax)
  if (!pattern) return undefined
  const [first, ...more] = pattern
  if (!first || (first.type === "text" && more.length === 0)) return (name) => name === (first?.text ?? "")
  const end = pattern.at(-1)!
  const begin = first.type === "text" ? first.text : ""
  const tail = end.type === "text" ? end.text : ""
  const matches = pattern.some(({ type }) => type === "group") ? matchesInAnyWay : matchesStraight
  return (name) => {
    if (syntax === "extended" && name === text) return true
    const hidden = !dots && name.startsWith(".")
    return name.startsWith(begin) && name.endsWith(tail) && matches(pattern, { name, hidden })
  }
}

interface Subject {
  name: string
  /** Only a dot in the pattern matches the one at its beginning. */
  hidden: boolean
}

/** Without groups only the last `*` ever has to take more. */
function matchesStraight(pattern: NamePattern, subject: Subject): boolean {
  const { name, hidden } = subject
  let [at, next, afterAny, taken] = [0, 0, -1, 0]
  while (at < name.length || next < pattern.length) {
    const part = pattern[next]
    if (part?.type === "any" && !(hidden && at === 0)) {
      afterAny = ++next
      taken = at
      continue
    }
    const width = part ? widthOf(part, subject, at) : -1
    if (width >= 0) {
      at += width
      next++
      continue
    }
    if (afterAny < 0 || taken >= name.length) return false
    taken++
    at = taken
    next = afterAny
  }
  return true
}

/** How much of the name a part takes that takes the same always; -1 if it does not match here. */
function widthOf(part: Part, { name, hidden }: Subject, at: number): number {
  if (part.type === "text") return name.startsWith(part.text, at) ? part.text.length : -1
  if (part.type === "any" || at >= name.length || (hidden && at === 0)) return -1
  const width = widthAt(name, at)
  return part.type !== "set" || part.has(name.slice(at, at + width)) ? width : -1
}

/** Follows all ways at once instead of going back. */
function matchesInAnyWay(pattern: NamePattern, subject: Subject): boolean {
  return endsOf(pattern, subject, [0]).includes(subject.name.length)
}

/** Where a pattern can end that begins at one of these places. Places are in order, each once. */
function endsOf(pattern: NamePattern, subject: Subject, places: readonly number[]): readonly number[] {
  let at = places
  for (const part of pattern) {
    if (at.length === 0) break
    at = endsOfPart(part, subject, at)
  }
  return at
}

function endsOfPart(part: Part, subject: Subject, places: readonly number[]): readonly number[] {
  switch (part.type) {
    case "any":
      return onward(subject, places)
    case "group":
      return endsOfGroup(part.sign, part.options, subject, places)
    default:
      return places.map((at) => at + widthOf(part, subject, at)).filter((end, at) => end >= places[at]!)
  }
}

function endsOfGroup(
  sign: Sign,
  options: readonly NamePattern[],
  subject: Subject,
  places: readonly number[],
): readonly number[] {
  const once = (from: readonly number[]) => inOrder(options.flatMap((option) => endsOf(option, subject, from)))
  switch (sign) {
    case "@":
      return once(places)
    case "?":
      return inOrder([...places, ...once(places)])
    case "!":
      return inOrder(
        places.flatMap((place) => {
          const not = new Set(once([place]))
          return onward(subject, [place]).filter((at) => !not.has(at))
        }),
      )
    default: {
      const ends = new Set(sign === "*" ? places : [])
      for (let from: readonly number[] = places; from.length > 0; ) {
        from = once(from).filter((at) => !ends.has(at))
        for (const at of from) ends.add(at)
      }
      return inOrder([...ends])
    }
  }
}

/** These places and all behind them, but for those that a hidden dot bars. */
function onward({ name, hidden }: Subject, places: readonly number[]): readonly number[] {
  const first = hidden ? places.find((at) => at > 0) : places[0]
  return first === undefined ? [] : Array.from({ length: name.length - first + 1 }, (_, at) => first + at)
}

function inOrder(places: readonly number[]): readonly number[] {
  return places.length < 2 ? places : [...new Set(places)].sort((a, b) => a - b)
}
