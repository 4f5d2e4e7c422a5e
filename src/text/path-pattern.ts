import { nameMatcher } from "./name-matcher.ts"
import type { Syntax } from "./name-pattern.ts"

/** What a pattern says of a path, name by name; "deep" is `**`: any number of names. */
type Part = ((name: string) => boolean) | "deep"

/**
 * Tells which paths a pattern matches, in a time that grows with both and no faster. Unless `dots`, what begins with a dot
 * must be named so. Undefined if the pattern can match nothing.
 */
export function pathMatcher(text: string, syntax: Syntax, dots: boolean): ((path: string) => boolean) | undefined {
  const parts: Part[] = []
  for (const name of text.split("/")) {
    const part = /^\*{2,}$/.test(name) ? "deep" : nameMatcher(name, syntax, dots)
    if (!part) return undefined
    if (part !== "deep" || parts.at(-1) !== "deep") parts.push(part)
  }
  const last = parts.at(-1)
  if (last === "deep") parts.splice(-1, 0, dots ? () => true : (name) => !name.startsWith(".")) // at least one name
  return (path) =>
    (last === "deep" || last!(path.slice(path.lastIndexOf("/") + 1))) && matches(parts, path.split("/"), dots)
}

/** Only the last `**` ever has to take more. */
function matches(parts: readonly Part[], names: readonly string[], dots: boolean): boolean {
  let [at, next, afterDeep, taken] = [0, 0, -1, 0]
  while (at < names.length || next < parts.length) {
    const part = parts[next]
    if (part === "deep") {
      afterDeep = ++next
      taken = at
      continue
    }
    if (part && at < names.length && part(names[at]!)) {
      at++
      next++
      continue
    }
    if (afterDeep < 0 || taken >= names.length || (!dots && names[taken]!.startsWith("."))) return false
    taken++
    at = taken
    next = afterDeep
  }
  return true
}

/**
 * The patterns that one stands for: `{a/b,c}/d` is `a/b/d` and `c/d`, `v{1..3}` is three. Those that "not" may be about are left
 * to `pathMatcher`. Throws an Error if they are too many.
 */
export function alternatives(text: string): string[] {
  const done: string[] = []
  const open = [text]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const choice = choiceIn(next)
    if (choice) open.push(...choice.toReversed())
    else done.push(next)
    if (done.length + open.length > MOST)
      throw new Error(`"${text}" stands for more than ${MOST} globs; say less at once`)
  }
  return done
}

const MOST = 1_000

/** The texts that the first braces make of it that are no part of a name. */
function choiceIn(text: string): string[] | undefined {
  const inGroups = text.includes("!(")
  for (let open = next(text, "{", 0); open < text.length; open = next(text, "{", open + 1)) {
    const cuts = [open]
    let depth = 0
    for (let at = open; at < text.length; at = next(text, "{},", at + 1)) {
      if (text[at] === "{") depth++
      else if (text[at] === "}") depth--
      else if (depth === 1) cuts.push(at)
      if (depth > 0) continue
      const options = [...cuts.keys()].map((cut) => text.slice(cuts[cut]! + 1, cuts[cut + 1] ?? at))
      const inside = text.slice(open + 1, at)
      const range = rangeOf(inside)
      if (!range && (options.length < 2 || (inGroups && !inside.includes("/")))) break
      return (range ?? options).map((option) => text.slice(0, open) + option + text.slice(at + 1))
    }
  }
  return undefined
}

/** Where one of these signs is next that is not escaped. */
function next(text: string, signs: string, from: number): number {
  let at = from
  while (at < text.length && !signs.includes(text[at] as string)) at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

function rangeOf(text: string): string[] | undefined {
  const [, first, last] = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(text) ?? []
  const [, from, to] = /^([a-zA-Z])\.\.([a-zA-Z])$/.exec(text) ?? []
  const [a, b] = from && to ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(first), Number(last)]
  if (Number.isNaN(a) || Number.isNaN(b)) return undefined
  const count = Math.min(Math.abs(b - a) + 1, MOST + 1)
  const numbers = Array.from({ length: count }, (_, at) => (a < b ? a + at : a - at))
  return numbers.map((number) => (from ? String.fromCharCode(number) : String(number)))
}
