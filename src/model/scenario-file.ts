import * as v from "valibot"
import { ModelFailure } from "../agent/model.ts"
import type { Files } from "../runtime.ts"
import { expectedInWords } from "../text/expected.ts"

const TOKENS = v.pipe(v.number(), v.integer(), v.minValue(0))
const KINDS = ["auth", "too_long", "quota", "rate_limit", "model", "network", "server", "request", "empty"] as const
const STEP = v.union(
  [
    v.picklist(["results", "restart"]),
    v.strictObject({ text: v.string() }),
    v.strictObject({ thought: v.string() }),
    v.strictObject({ notice: v.string() }),
    v.strictObject({ call: v.string(), input: v.optional(v.unknown(), {}) }),
    v.strictObject({ delay: v.pipe(v.number(), v.minValue(0)) }),
    v.strictObject({
      usage: v.partial(v.strictObject({ input: TOKENS, output: TOKENS, cached: TOKENS, thought: TOKENS })),
    }),
    v.strictObject({
      error: v.strictObject({
        kind: v.picklist(KINDS),
        message: v.string(),
        status: v.optional(v.number()),
        retryAfter: v.optional(v.number()),
      }),
    }),
    v.strictObject({ stop: v.picklist(["end_turn", "max_tokens", "refusal"]) }),
  ],
  ({ input }) =>
    `${JSON.stringify(input)?.slice(0, 100)} is no step; a step is one of text, thought, notice, call (with input), delay, usage, error (with kind and message), stop, results, restart`,
)
const PATTERN = v.pipe(v.string(), v.check(isPattern, "is no regular expression"))
const TURNS = v.array(v.strictObject({ when: v.optional(PATTERN), steps: v.array(STEP) }))
const FILE = v.strictObject({ turns: TURNS, subagents: v.optional(TURNS, []) })

/** What a scenario's file holds; `scenario.ts` says what it means. */
export type Scenario = v.InferOutput<typeof FILE>
export type Step = v.InferOutput<typeof STEP>

/** Reads and checks a scenario. What is wrong with it is said so that its author can mend it. */
export async function readScenario(
  files: Pick<Files, "readText">,
  path: string,
  signal: AbortSignal,
): Promise<Scenario> {
  const { parse } = await import("yaml")
  let value: unknown
  try {
    value = parse(await files.readText(path, signal))
  } catch (error) {
    signal.throwIfAborted()
    const [line] = (error as Error).message.split("\n") // what follows shows the place in a drawing
    throw new ModelFailure("request", `The scenario ${path} can't be read: ${line?.replace(/:$/, "")}`)
  }
  const { success, output, issues } = v.safeParse(FILE, value)
  if (success) return output
  const [issue] = issues
  throw new ModelFailure(
    "request",
    `The scenario ${path} can't be played: ${v.getDotPath(issue) ?? "the file"}: ${faultOf(issue)}`,
  )
}

function faultOf({ message, expected, input, received }: v.BaseIssue<unknown>): string {
  if (!message.startsWith("Invalid ") || expected === null) return message
  if (expected === "never") return "is not known here"
  return input === undefined ? "is missing" : `must be ${expectedInWords(expected)}, not ${received}`
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    return false
  }
}
