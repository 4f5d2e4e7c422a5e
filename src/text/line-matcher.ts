import { type Expression, growth, parse } from "./expression.ts"
import { linearSearch, type Span } from "./linear.ts"
import { inEveryScript, type Token, tokensOf } from "./pattern.ts"

/** Finds a pattern in lines. Never takes long, whatever the pattern and the line. */
export interface LineMatcher {
  /** The expression as any engine takes it, or the text. */
  readonly source: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** So much of a line is searched. */
  readonly reach: number
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
  if (text.includes("\n"))
    throw new Error("The text has several lines, and lines are searched one by one; search for one of them")
  const ignoreCase = !(caseSensitive ?? /\p{Lu}/u.test(text))
  const expression = new RegExp(text.replaceAll(/[\^$\\.*+?()[\]{}|]/g, "\\$&"), "iu")
  const find = (line: string): Span | undefined => {
    if (ignoreCase) return spanOf(expression.exec(line))
    const start = line.indexOf(text)
    return start < 0 ? undefined : { start, end: start + text.length }
  }
  return { source: text, literal: true, ignoreCase, reach: Number.POSITIVE_INFINITY, find }
}

function patternMatcher(written: string, caseSensitive: boolean | undefined): LineMatcher {
  const [, flags = "", pattern = ""] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(written)!
  if (pattern === "") throw new Error("The pattern is empty")
  const tokens = tokensOf(pattern)
  if (tokens.some(({ text }) => text === "\n" || text === "\\n")) {
    throw new Error(
      "Lines are searched one by one, so a pattern with a line end never matches; search for one of the lines",
    )
  }
  const ignoreCase = flags.includes("i") || !(caseSensitive ?? tokens.some(isCapital))
  const engines = enginesFor(tokens, ignoreCase ? "iu" : "u", written)
  const power = growth(engines.expression)
  const quick = Math.floor(MOST_STEPS ** (1 / (power + 1))) // of a line this long, the engine needs no more steps
  const { linear } = engines
  if (!linear && quick < 2)
    throw new Error(`${quoted(written)} could take for ever: it repeats what repeats. Write it without`)
  const reach = linear ? LONGEST_LINE : quick
  return {
    source: tokens.map(({ text }) => text).join(""),
    literal: false,
    ignoreCase,
    reach,
    find(line, ascii) {
      const part = line.length > reach ? line.slice(0, reach) : line
      if (linear && part.length > quick) return linear(part)
      return spanOf((ascii ? engines.ascii : engines.unicode).exec(part))
    },
  }
}

interface Engines {
  expression: Expression
  ascii: RegExp
  unicode: RegExp
  /** None for an expression that only the others can match. */
  linear: ReturnType<typeof linearSearch>
}

function enginesFor(tokens: readonly Token[], flags: string, written: string): Engines {
  const wide = inEveryScript(tokens)
  const ascii = compiled(tokens, flags, written)
  const unicode = compiled(wide, flags, written)
  const expression = parse(wide)
  if (!expression) throw new Error(`${quoted(written)} has a part that is not supported, such as (?>…)`)
  return { expression, ascii, unicode, linear: linearSearch(expression, flags) }
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
