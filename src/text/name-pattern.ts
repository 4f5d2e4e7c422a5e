/** What a pattern for one name of a path is made of. */
export type NamePattern = readonly Part[]

export type Part =
  | { type: "text"; text: string }
  /** `?` */
  | { type: "one" }
  /** `*` */
  | { type: "any" }
  /** `[a-z]` */
  | { type: "set"; has: (character: string) => boolean }
  /** `@(a|b)` and its like, by the sign before it. */
  | { type: "group"; sign: Sign; options: readonly NamePattern[] }

export type Sign = "@" | "?" | "*" | "+" | "!"

/** How much a pattern may say: `*`, `?`, `[a-z]` and `\` alone, or `{a,b}`, `(a|b)` and `@(a|b)` as well. */
export type Syntax = "plain" | "extended"

/** Reads a pattern for a name. Undefined if it ends in the midst of something, and so matches nothing. */
export function namePattern(text: string, syntax: Syntax): NamePattern | undefined {
  const read = partsFrom(text, 0, syntax, "")
  return read && read.at === text.length ? read.parts : undefined
}

/** How many units the character has that begins here. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}

/** Reads up to one of the signs in `until`, which belongs to what is around it. */
function partsFrom(
  text: string,
  from: number,
  syntax: Syntax,
  until: string,
): { parts: Part[]; at: number } | undefined {
  const parts: Part[] = []
  const add = (plain: string) => {
    const last = parts.at(-1)
    if (last?.type === "text") last.text += plain
    else parts.push({ type: "text", text: plain })
  }
  let at = from
  while (at < text.length && !until.includes(text[at] as string)) {
    const character = text.slice(at, at + widthAt(text, at))
    const group = syntax === "extended" ? groupAt(text, at) : undefined
    if (group) {
      parts.push(group.part)
      at = group.at
      continue
    }
    at += character.length
    if (character === "*") {
      if (parts.at(-1)?.type !== "any") parts.push({ type: "any" })
    } else if (character === "?") parts.push({ type: "one" })
    else if (character === "[") {
      const set = setAt(text, at)
      if (!set && syntax === "plain") return undefined
      if (set) parts.push(set.part)
      else add("[") // never closed: then it is a bracket
      at = set?.at ?? at
    } else if (character === "\\") {
      if (at === text.length) return undefined
      const width = widthAt(text, at)
      add(text.slice(at, at + width))
      at += width
    } else add(character)
  }
  return { parts, at }
}

/** `@(a|b)`, `(a|b)` or `{a,b}`; what offers no choice is a name: `(app)`, `{id}`. */
function groupAt(text: string, from: number): { part: Part; at: number } | undefined {
  const signed = /^[@?*+!]\(/.test(text.slice(from, from + 2))
  const open = signed ? "(" : (text[from] as string)
  if (open !== "(" && open !== "{") return undefined
  const [close, between] = open === "(" ? [")", "|"] : ["}", ","]
  const options: NamePattern[] = []
  for (let at = from + (signed ? 2 : 1); ; at++) {
    const read = partsFrom(text, at, "extended", close + between)
    if (!read || read.at === text.length) return undefined
    options.push(read.parts)
    at = read.at
    if (text[at] !== close) continue
    if (!signed && options.length === 1) return undefined
    return { part: { type: "group", sign: signed ? (text[from] as Sign) : "@", options }, at: at + 1 }
  }
}

/** A set from behind its `[`. A `]` that comes first stands for itself. */
function setAt(text: string, from: number): { part: Part; at: number } | undefined {
  const not = text[from] === "!" || text[from] === "^"
  const tests: ((character: string) => boolean)[] = []
  for (let at = from + (not ? 1 : 0), first = true; at < text.length; first = false) {
    if (text[at] === "]" && !first) {
      return { part: { type: "set", has: (character) => tests.some((test) => test(character)) !== not }, at: at + 1 }
    }
    const [, name] = /^\[:(\w+):\]/.exec(text.slice(at, at + 12)) ?? []
    if (name !== undefined) {
      const kind = KINDS[name]
      if (!kind) return undefined
      tests.push((character) => kind.test(character))
      at += name.length + 4
      continue
    }
    const low = memberAt(text, at)
    if (!low) return undefined
    at = low.at
    const high = text[at] === "-" && at + 1 < text.length && text[at + 1] !== "]" ? memberAt(text, at + 1) : low
    if (!high) return undefined
    at = high.at
    const [lowest, highest] = [low.code, high.code]
    tests.push((character) => {
      const code = character.codePointAt(0) as number
      return code >= lowest && code <= highest
    })
  }
  return undefined
}

function memberAt(text: string, from: number): { code: number; at: number } | undefined {
  const at = text[from] === "\\" ? from + 1 : from
  const code = text.codePointAt(at)
  return code === undefined ? undefined : { code, at: at + widthAt(text, at) }
}

const KINDS: Readonly<Record<string, RegExp>> = {
  alnum: /[a-zA-Z0-9]/,
  alpha: /[a-zA-Z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-fA-F]/,
}
