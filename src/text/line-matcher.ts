import { type Expression, growth, parse } from "./expression.ts"
import { linearSearch, type Span } from "./linear.ts"
import { inEveryScript, type Token, tokensOf } from "./pattern.ts"
import { requiredText } from "./required.ts"

/** Finds a pattern in lines. Never takes long, whatever the pattern and the line. */
export interface LineMatcher {
  /** The expression as any engine takes it, or the text. */
  readonly source: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** So much of a line is searched. */
  readonly reach: number
  /** False if no line of the text can match; quick. */
  mayMatch(text: string): boolean
  /** Where the line matches. `ascii` promises that the line is nothing else, which is faster. */
  find(line: string, ascii: boolean): Span | undefined
}

export interface MatcherOptions {
  /** The pattern is plain text. */
  literal: boolean
  /** If not given, case counts when the pattern has a capital letter. */
  caseSensitive?: boolean | undefined
}

/** Throws an Error that says what is wrong with the pattern, and what to do instead. */
export function lineMatcher(pattern: string, { literal, caseSensitive }: MatcherOptions): LineMatcher {
  return literal ? textMatcher(pattern, caseSensitive) : patternMatcher(pattern, caseSensitive)
}

/** So many steps take some milliseconds. */
const MOST_STEPS = 10_000_000

const LONGEST_LINE = 1_000_000

function textMatcher(written: string, caseSensitive: boolean | undefined): LineMatcher {
  const text = written.replace(/\r?\n$/, "")
  if (text === "") throw new Error("The text to search for is empty")
  if (text.includes("\n")) throw new Error("Lines are searched one by one; search for one of these lines")
  const ignoreCase = !(caseSensitive ?? /\p{Lu}/u.test(text))
  const expression = plainText(text, "iu")
  const find = (line: string): Span | undefined => {
    if (ignoreCase) return spanOf(expression.exec(line))
    const start = line.indexOf(text)
    return start < 0 ? undefined : { start, end: start + text.length }
  }
  const mayMatch = (all: string) => (ignoreCase ? expression.test(all) : all.includes(text))
  return { source: text, literal: true, ignoreCase, reach: Number.POSITIVE_INFINITY, mayMatch, find }
}

function patternMatcher(written: string, caseSensitive: boolean | undefined): LineMatcher {
  const [, marks = "", pattern = ""] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(written)!
  if (pattern === "") throw new Error("The pattern is empty")
  const tokens = tokensOf(pattern)
  if (tokens.some(({ text }) => text === "\n" || text === "\\n")) {
    throw new Error("Lines are searched one by one, so no line end ever matches; search for one of the lines")
  }
  const ignoreCase = marks.includes("i") || !(caseSensitive ?? tokens.some(isCapital))
  const flags = ignoreCase ? "iu" : "u"
  const narrow = engineFor(tokens, flags, written)
  const wide = engineFor(inEveryScript(tokens), flags, written)
  const { expression, linear } = narrow
  const quick = Math.floor(MOST_STEPS ** (1 / (growth(expression) + 1))) // of a line this long, few steps are needed
  if (!linear && quick < 2) throw new Error(`${quoted(written)} could take for ever: repeat nothing that repeats`)
  const reach = linear ? Math.max(LONGEST_LINE, quick) : quick
  const required = requiredText(expression)
  const needed = plainText(required, flags)
  return {
    source: tokens.map(({ text }) => text).join(""),
    literal: false,
    ignoreCase,
    reach,
    mayMatch: (text) => (ignoreCase ? needed.test(text) : text.includes(required)),
    find(line, ascii) {
      const part = line.length > reach ? line.slice(0, reach) : line
      const engine = ascii ? narrow : wide
      return engine.linear && part.length > quick ? engine.linear(part) : spanOf(engine.native.exec(part))
    },
  }
}

interface Engine {
  expression: Expression
  native: RegExp
  /** None for an expression that only the other can match. */
  linear: ReturnType<typeof linearSearch>
}

function engineFor(tokens: readonly Token[], flags: string, written: string): Engine {
  const native = compiled(tokens, flags, written)
  const expression = parse(tokens)
  if (!expression) throw new Error(`${quoted(written)} has a part that is not supported, such as (?>…)`)
  return { expression, native, linear: linearSearch(expression, flags) }
}

function compiled(tokens: readonly Token[], flags: string, written: string): RegExp {
  try {
    return new RegExp(tokens.map(({ text }) => text).join(""), flags)
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/s, "")
    throw new Error(
      `${quoted(written)} is no regular expression: ${reason}. To search for it as plain text, set "literal": true`,
    )
  }
}

function plainText(text: string, flags: string): RegExp {
  return new RegExp(text.replaceAll(/[\^$\\.*+?()[\]{}|]/g, "\\$&"), flags)
}

function isCapital(token: Token): boolean {
  return (
    token.type === "character" && /\p{Lu}/u.test(token.text.replaceAll(/\\(?:[pPuxk]\{[^}]*\}|u\w{4}|x\w\w|.)/gsu, ""))
  )
}

function spanOf(match: RegExpExecArray | null): Span | undefined {
  return match ? { start: match.index, end: match.index + match[0].length } : undefined
}

function quoted(pattern: string): string {
  return JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern)
}
