import type { Expression } from "./expression.ts"

/** A part of a line. */
export interface Span {
  start: number
  end: number
}

/**
 * Finds where an expression matches a line, following all its ways at once instead of going back: the time grows
 * with the length of the line, whatever the expression. Undefined if it is too special or too big for that.
 */
export function linearSearch(expression: Expression, flags: string): ((line: string) => Span | undefined) | undefined {
  const program = programOf(expression, flags)
  return program && ((line) => search(program, line))
}

/** Where a way through the expression can stand. Ways that only move on are followed when they are taken. */
type Step =
  | { type: "character"; matches: (code: number) => boolean }
  | { type: "edge"; holds: (line: string, at: number) => boolean }
  | { type: "fork"; to: number[] }
  | { type: "end" }

const MOST_STEPS = 5_000

function programOf(expression: Expression, flags: string): Step[] | undefined {
  const steps: Step[] = []

  /** False if it can't be written out. */
  function write(part: Expression): boolean {
    if (steps.length > MOST_STEPS) return false
    switch (part.type) {
      case "special":
        return false
      case "character":
        return steps.push({ type: "character", matches: matcherOf(part.text, flags) }) > 0
      case "edge":
        return steps.push({ type: "edge", holds: edgeOf(part.text, flags) }) > 0
      case "sequence":
        return part.parts.every(write)
      case "choice": {
        const fork = forkHere()
        const ends: { to: number[] }[] = []
        for (const option of part.options) {
          fork.to.push(steps.length)
          if (!write(option)) return false
          ends.push(forkHere())
        }
        for (const end of ends) end.to.push(steps.length)
        return true
      }
      case "repeat": {
        for (let count = 0; count < part.min; count++) {
          const before = steps.length
          if (!write(part.of)) return false
          if (steps.length === before) return true // nothing, however often
        }
        if (part.max === Number.POSITIVE_INFINITY) {
          const again = steps.length
          const fork = forkHere(steps.length + 1)
          if (!write(part.of)) return false
          forkHere(again)
          fork.to.push(steps.length)
          return true
        }
        const forks: { to: number[] }[] = []
        for (let count = part.min; count < part.max; count++) {
          forks.push(forkHere(steps.length + 1))
          if (!write(part.of)) return false
        }
        for (const fork of forks) fork.to.push(steps.length)
        return true
      }
    }
  }

  function forkHere(...to: number[]): { to: number[] } {
    const fork = { type: "fork" as const, to }
    steps.push(fork)
    return fork
  }

  if (!write(expression)) return undefined
  steps.push({ type: "end" })
  return steps
}

function search(program: readonly Step[], line: string): Span | undefined {
  let here = new Ways(program)
  let next = new Ways(program)
  for (let at = 0; ; ) {
    here.take(0, at, line, at) // after those that began earlier, which win
    if (here.matchedFrom >= 0) return { start: here.matchedFrom, end: at }
    if (at >= line.length) return undefined
    const code = line.codePointAt(at)!
    at += code > 0xffff ? 2 : 1
    for (let way = 0; way < here.count; way++) {
      const place = here.places[way]!
      const step = program[place]!
      if (step.type === "character" && step.matches(code)) next.take(place + 1, here.starts[way]!, line, at)
    }
    ;[here, next] = [next, here]
    next.clear()
  }
}

/** The ways followed at one place of a line: where each waits for a character, and where it began. */
class Ways {
  count = 0
  /** Where the match began, if there is one. */
  matchedFrom = -1
  readonly places: Int32Array
  readonly starts: Int32Array
  readonly #program: readonly Step[]
  readonly #seen: Uint8Array

  constructor(program: readonly Step[]) {
    this.#program = program
    this.places = new Int32Array(program.length)
    this.starts = new Int32Array(program.length)
    this.#seen = new Uint8Array(program.length)
  }

  /** Moves on until a character is needed; where another way has been before, there is nothing to gain. */
  take(place: number, start: number, line: string, at: number): void {
    if (this.#seen[place]) return
    this.#seen[place] = 1
    const step = this.#program[place]!
    switch (step.type) {
      case "character":
        this.places[this.count] = place
        this.starts[this.count++] = start
        return
      case "edge":
        if (step.holds(line, at)) this.take(place + 1, start, line, at)
        return
      case "fork":
        for (const to of step.to) this.take(to, start, line, at)
        return
      case "end":
        this.matchedFrom = start
    }
  }

  clear(): void {
    this.count = 0
    this.matchedFrom = -1
    this.#seen.fill(0)
  }
}

/** Asks the engine about each character once. */
function matcherOf(text: string, flags: string): (code: number) => boolean {
  const expression = new RegExp(`^(?:${text})$`, flags)
  const test = (code: number) => expression.test(String.fromCodePoint(code))
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (test(code) ? 1 : 0))
  const others = new Map<number, boolean>()
  return (code) => {
    if (code < 128) return ascii[code] === 1
    let matches = others.get(code)
    if (matches === undefined) others.set(code, (matches = test(code)))
    return matches
  }
}

/** Asks the engine at this very place. */
function edgeOf(text: string, flags: string): (line: string, at: number) => boolean {
  if (text === "^") return (_, at) => at === 0
  if (text === "$") return (line, at) => at === line.length
  const expression = new RegExp(text, `${flags}y`)
  return (line, at) => {
    expression.lastIndex = at
    return expression.test(line)
  }
}
