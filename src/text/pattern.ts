/** A piece of a regular expression. */
export type Token =
  /** Matches one character: a letter, `.`, `\d`, `[a-z]`. */
  | { type: "character"; text: string }
  /** Matches between characters: `^`, `$`, `\b`, `\B`. */
  | { type: "edge"; text: string }
  /** `(`, `(?:`, `(?<name>`; `looks` if it matches without moving on. */
  | { type: "open"; text: string; looks: boolean }
  | { type: "close"; text: string }
  | { type: "or"; text: string }
  | { type: "repeat"; text: string; min: number; max: number }
  /** `\1`, `\k<name>`. */
  | { type: "reference"; text: string }

/**
 * Reads a regular expression as kindly as people and models write them: `{` that counts nothing, `\"`, `[\w-.]`, `[]a]` and
 * `(?P<name>` mean what they must mean, so that the tokens joined are strict enough for any engine.
 */
export function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; ) {
    const [token, length] = tokenAt(pattern, at)
    tokens.push(token)
    at += length
  }
  return tokens
}

/** The same expression with letters and digits of every script in `\w`, `\d` and `\b`. */
export function inEveryScript(tokens: readonly Token[]): Token[] {
  return tokens.map((token) => {
    if (token.type === "edge" && token.text in EDGES) return { ...token, text: EDGES[token.text]! }
    if (token.type !== "character") return token
    if (token.text in SETS) return { ...token, text: `[${token.text === "\\W" ? "^" : ""}${SETS[token.text]}]` }
    if (!token.text.startsWith("[")) return token
    return {
      ...token,
      text: token.text.replace(/\\[\s\S]/g, (set) => (set === "\\W" ? set : (SETS[set] ?? set))),
    }
  })
}

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}"
const SETS: Readonly<Record<string, string>> = { "\\w": WORD, "\\W": WORD, "\\d": "\\p{Nd}" }
const EDGES: Readonly<Record<string, string>> = {
  "\\b": `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  "\\B": `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
}

function tokenAt(pattern: string, at: number): [Token, length: number] {
  const rest = (shape: RegExp) => {
    shape.lastIndex = at
    return shape.exec(pattern)
  }
  const character = String.fromCodePoint(pattern.codePointAt(at)!)
  switch (character) {
    case "\\":
      return escapeAt(rest(ESCAPE)?.[0] ?? "\\")
    case "[":
      return classAt(pattern, at)
    case "(": {
      const [text] = rest(OPEN)!
      return [{ type: "open", text: text.replace("(?P<", "(?<"), looks: /^\(\?<?[=!]/.test(text) }, text.length]
    }
    case ")":
      return [{ type: "close", text: ")" }, 1]
    case "|":
      return [{ type: "or", text: "|" }, 1]
    case "^":
    case "$":
      return [{ type: "edge", text: character }, 1]
    case "*":
    case "+":
    case "?":
    case "{": {
      const found = rest(REPEAT)
      if (!found) return [{ type: "character", text: "\\{" }, 1]
      return [repeat(found), found[0].length]
    }
    case "}":
    case "]":
      return [{ type: "character", text: `\\${character}` }, 1]
    default:
      return [{ type: "character", text: character }, character.length]
  }
}

const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|k<[^>]*>|[1-9]\d*|[\s\S])/uy
const OPEN = /\((?:\?(?:<[=!]|[=!:]|P?<\w+>))?/y
const REPEAT = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y

function escapeAt(text: string): [Token, number] {
  const name = text[1] ?? ""
  if (name === "b" || name === "B") return [{ type: "edge", text }, text.length]
  if (name === "A") return [{ type: "edge", text: "^" }, text.length]
  if (name === "z" || name === "Z") return [{ type: "edge", text: "$" }, text.length]
  if (name === "k" || /[1-9]/.test(name)) return [{ type: "reference", text }, text.length]
  return [{ type: "character", text: escaped(text) }, text.length]
}

/** An escape that every engine takes: what needs none loses it. */
function escaped(text: string): string {
  if (text.startsWith("\\x{")) return `\\u${text.slice(2)}`
  return /^\\[^\w\s^$\\.*+?()[\]{}|]$/u.test(text) || /^\\\s$/.test(text) ? text.slice(1) : text
}

/** From `[` to its `]`; a `]` that comes first, and a `-` beside a set like `\w`, stand for themselves. */
function classAt(pattern: string, at: number): [Token, number] {
  const begin = pattern.startsWith("[^", at) ? 2 : 1
  let text = pattern.slice(at, at + begin)
  let next = at + begin
  for (; next < pattern.length; ) {
    const [piece, length] = memberAt(pattern, next)
    if (piece === "]" && next > at + begin) return [{ type: "character", text: `${text}]` }, next + 1 - at]
    const alone = piece === "-" && (SET.test(text) || SET_NEXT.test(pattern.slice(next + 1, next + 3)))
    text += alone ? "\\-" : piece === "]" || piece === "[" ? `\\${piece}` : piece
    next += length
  }
  return [{ type: "character", text }, next - at] // never closed: the engine will say so
}

const SET = /\\[wWdDsS]$|\\[pP]\{[^}]*\}$/
const SET_NEXT = /^\\[wWdDsSpP]/

function memberAt(pattern: string, at: number): [text: string, length: number] {
  if (pattern[at] !== "\\") {
    const character = String.fromCodePoint(pattern.codePointAt(at)!)
    return [character, character.length]
  }
  ESCAPE.lastIndex = at
  const text = ESCAPE.exec(pattern)?.[0] ?? "\\"
  return [text === "\\-" ? text : escaped(text), text.length]
}

function repeat([text, least, comma, most]: RegExpExecArray): Token {
  if (least === undefined) {
    const [min, max] = (
      { "*": [0, Number.POSITIVE_INFINITY], "+": [1, Number.POSITIVE_INFINITY], "?": [0, 1] } as const
    )[text[0] as "*" | "+" | "?"]
    return { type: "repeat", text, min, max }
  }
  const min = Number(least)
  return { type: "repeat", text, min, max: comma === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY }
}
