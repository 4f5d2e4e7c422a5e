import type { Token } from "./pattern.ts"

/** What a regular expression is made of. */
export type Expression =
  | { type: "character" | "edge"; text: string }
  | { type: "sequence"; parts: Expression[] }
  | { type: "choice"; options: Expression[] }
  | { type: "repeat"; of: Expression; min: number; max: number }
  /** What only an engine that goes back can match: looking around, references. */
  | { type: "special"; of: Expression }

/** Undefined if it is none; the engine says why. */
export function parse(tokens: readonly Token[]): Expression | undefined {
  let at = 0

  function choice(): Expression | undefined {
    const options: Expression[] = []
    do {
      const option = sequence()
      if (!option) return undefined
      options.push(option)
    } while (tokens[at]?.type === "or" && ++at)
    return options.length === 1 ? options[0] : { type: "choice", options }
  }

  function sequence(): Expression | undefined {
    const parts: Expression[] = []
    for (let token = tokens[at]; token && token.type !== "or" && token.type !== "close"; token = tokens[at]) {
      if (token.type === "repeat") {
        const of = parts.pop()
        if (!of) return undefined
        parts.push({ type: "repeat", of, min: token.min, max: token.max })
        at++
      } else {
        const part = single(token)
        if (!part) return undefined
        parts.push(part)
      }
    }
    return parts.length === 1 ? parts[0] : { type: "sequence", parts }
  }

  function single(token: Token): Expression | undefined {
    at++
    if (token.type === "reference") return { type: "special", of: { type: "sequence", parts: [] } }
    if (token.type === "character" || token.type === "edge") return { type: token.type, text: token.text }
    const of = choice()
    if (!of || tokens[at++]?.type !== "close") return undefined
    return token.type === "open" && token.looks ? { type: "special", of } : of
  }

  const whole = choice()
  return at === tokens.length ? whole : undefined
}

/**
 * How the time to match by going back grows with the length of a line: not with it (0), with it (1), with its square (2)
 * and so on, for each place to begin at; infinite where it can double with each character.
 */
export function growth(expression: Expression): number {
  return forks(expression) > MOST_FORKS ? Number.POSITIVE_INFINITY : power(expression)
}

function power(expression: Expression): number {
  switch (expression.type) {
    case "character":
    case "edge":
      return 0
    case "special":
      return power(expression.of)
    case "sequence":
      return expression.parts.reduce((sum, part) => sum + power(part), 0)
    case "choice":
      return Math.max(...expression.options.map(power))
    case "repeat": {
      const { of, min, max } = expression
      const inner = power(of)
      if (max <= FEW) return inner * max + (min < max && max > 1 ? 1 : 0)
      if (of.type === "character") return min === max ? 0 : 1
      return inner > 0 || branches(of) ? Number.POSITIVE_INFINITY : 1
    }
  }
}

/** So many repetitions are as good as written out. */
const FEW = 8

/** So many choices one after another are still tried out quickly, all together. */
const MOST_FORKS = 12

function branches(expression: Expression): boolean {
  return forks(expression) > 0
}

/** The choices on the longest way through, each time they come. */
function forks(expression: Expression): number {
  switch (expression.type) {
    case "character":
    case "edge":
      return 0
    case "special":
      return forks(expression.of)
    case "sequence":
      return expression.parts.reduce((sum, part) => sum + forks(part), 0)
    case "choice":
      return Math.max(...expression.options.map(forks)) + 1
    case "repeat": {
      const { of, min, max } = expression
      return forks(of) * Math.min(max, FEW) + (min < max ? 1 : 0)
    }
  }
}
