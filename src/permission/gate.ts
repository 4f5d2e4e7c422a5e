import { abortable } from "../agent/abortable.ts"
import type { ToolCall } from "../agent/message.ts"
import type { Action, Gate, Tool, Verdict } from "../agent/tool.ts"
import { type Facts, factsOf } from "./facts.ts"
import { type Ground, placesOn } from "./paths.ts"
import { type Judgement, judge, type Point, type Stance } from "./policy.ts"
import { createQueue } from "./questions.ts"
import { DECLINED, denial, questionAbout, unasked, warningAbout } from "./reasons.ts"
import { covers, nameOfAlways } from "./rules.ts"

export type Answer = "once" | "always" | "no"

/** What a user is asked. */
export interface Question {
  readonly call: ToolCall
  readonly tool: Tool
  readonly action: Action
  /** The name of what "always" would remember; null if this can only be allowed once. */
  readonly remember: string | null
  /** Which subagent asks. */
  readonly who?: string
  /** Why this is asked: "it writes outside the workspace: /etc/hosts". */
  readonly reason: string
  /** What of it the call does not show by itself. */
  readonly warning?: string
}

/** Puts one question to the user. The question is withdrawn when the signal aborts. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>

export interface GateNeeds {
  stance(): Stance
  readonly ground: Ground
  readonly ask: Ask
  /** Whether there is anybody to ask; where there is not, what would be asked is refused. */
  canAsk(): boolean
  /** Rules of the user's settings, as `parseRule` gives them. */
  allowed(): readonly string[]
}

/** The gate of a session. What it remembers lasts as long as it does. */
export interface SessionGate extends Gate {
  /** The stance or the rules have changed: every open and queued question is judged again. */
  reconsider(): void
  /** The same gate for a subagent: the same memory and the same queue, with its own name and, if need be, a stance of its own. */
  forSubagent(subagent: Subagent): Gate
}

export interface Subagent {
  readonly who: string
  stance?(): Stance
  canAsk?(): boolean
}

/** A gate that judges, asks and judges again, so that what runs is allowed by what holds when it runs. */
export function createGate({ ground, ask, allowed, ...own }: GateNeeds): SessionGate {
  const places = placesOn(ground)
  const remembered = new Set<string>()
  const queue = createQueue()
  /** For each open and queued question, what judges it again. */
  const questions = new Set<() => void>()

  /** What is to be asked once all that was allowed before is left out. */
  function judgeNow(stance: Stance, tool: Tool, facts: Facts): Judgement {
    const judgement = judge(stance, tool, facts)
    if (judgement.type !== "ask") return judgement
    const rules = [...remembered, ...allowed()]
    const points = judgement.points.filter((point) => !covers(rules, point))
    return points.length === 0 ? { type: "allow" } : { type: "ask", points }
  }

  function remember(points: readonly Point[]): void {
    for (const { rule } of points) if (rule !== null) remembered.add(rule)
    reconsider()
  }

  function reconsider(): void {
    for (const judgeAgain of [...questions]) judgeAgain()
  }

  function gateFor({ who, stance, canAsk }: Partial<Subagent> & Pick<GateNeeds, "stance" | "canAsk">): Gate {
    /** The user's answer; undefined if it needs none any more. */
    async function askUser(question: Question, points: readonly Point[], facts: Facts, signal: AbortSignal) {
      const withdraw = new AbortController()
      const judgeAgain = () => {
        if (judgeNow(stance(), question.tool, facts).type !== "ask" || !canAsk()) withdraw.abort()
      }
      questions.add(judgeAgain)
      try {
        return await queue.add(
          async (signal) => {
            const answer = await abortable(ask(question, signal), signal)
            questions.delete(judgeAgain)
            // Before the next question is put, which may need no answer any more.
            if (answer === "always" && question.remember !== null) remember(points)
            return answer
          },
          AbortSignal.any([signal, withdraw.signal]),
        )
      } catch (error) {
        signal.throwIfAborted()
        if (withdraw.signal.aborted) return undefined
        throw error
      } finally {
        questions.delete(judgeAgain)
      }
    }

    return {
      offers: (tool) => judge(stance(), tool).type !== "deny",

      async admit(tool, action, call, signal): Promise<Verdict> {
        const agreed = new Set<string>()
        for (;;) {
          // Looked at anew each time: while the user thinks, links are swapped and files appear.
          const facts = await factsOf(tool, action.reach, ground, places)
          signal.throwIfAborted()
          const judgement = judgeNow(stance(), tool, facts)
          if (judgement.type === "allow") return { allowed: true }
          if (judgement.type === "deny") return refuse(denial(judgement.why, tool, stance(), facts))
          const points = judgement.points.filter((point) => !agreed.has(keyOf(point)))
          if (points.length === 0) return { allowed: true }
          if (!canAsk()) return refuse(unasked(points, tool))

          const warning = warningAbout(points)
          const question = {
            call,
            tool,
            action,
            remember: nameOfAlways(points.map(({ rule }) => rule)),
            reason: questionAbout(points),
            ...(who !== undefined && { who }),
            ...(warning !== undefined && { warning }),
          }
          const answer = await askUser(question, points, facts, signal)
          if (answer === "no") return { allowed: false, reason: DECLINED, shown: "You declined this." }
          if (answer !== undefined) for (const point of points) agreed.add(keyOf(point))
        }
      },
    }
  }

  return {
    ...gateFor(own),
    reconsider,
    forSubagent: (subagent) => gateFor({ ...own, ...subagent }),
  }
}

function refuse(reason: string): Verdict {
  return { allowed: false, reason }
}

function keyOf({ why, what }: Point): string {
  return `${why} ${what}`
}
