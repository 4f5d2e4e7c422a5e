import { type Message, NO_USAGE, type ReplyStop, type ToolCall, textOf } from "../agent/message.ts"
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from "../agent/model.ts"
import { REPORT_CALL } from "../agent/transcript.ts"
import { type Clock, sleep, systemClock } from "../clock.ts"
import type { Files } from "../runtime.ts"
import type { Metadata } from "./metadata.ts"
import { pieces } from "./pieces.ts"
import type { Scenario, Step } from "./scenario-file.ts"

export const SCENARIO: Metadata = {
  modelId: "koda-scenario",
  name: "Koda scenario",
  description: "Plays the file given with --scenario, to show and test clients without a key",
  imageSupport: true,
  contextWindow: 128_000,
}

/**
 * Plays a YAML file in a model's place. The file is read again for each reply, so that it can be changed while it runs.
 *
 * ```yaml
 * turns:                          # one for each prompt, in order
 *   - when: "^fix"                # optional: only for prompts that match; such turns are looked at first
 *     steps:
 *       - thought: Let me look.   # streamed in pieces
 *       - text: I read the file.
 *       - call: read_file         # a tool, called for real
 *         input: { path: README.md }
 *       - results                 # waits for the results before more calls; text after a call waits by itself.
 *                                 # After text: for a report of a subagent that comes later
 *       - delay: 500              # milliseconds
 *       - notice: The server is slow today.
 *       - restart                 # what this reply has said so far is void
 *       - usage: { input: 1200, output: 80, cached: 1000, thought: 20 }
 *       - error: { kind: rate_limit, message: Slow down., status: 429, retryAfter: 2000 }
 *       - stop: max_tokens        # or refusal, end_turn
 * subagents:                      # the same, for what subagents are told: `when` finds the one that is meant
 *   - when: "find the cause"
 *     steps: [{ text: Found it. }]
 * ```
 */
export function scenarioModel(files: Pick<Files, "readText">, path: string, clock: Clock = systemClock): Model {
  return {
    id: SCENARIO.modelId,
    contextWindow: SCENARIO.contextWindow,
    takes: { image: true, audio: true },
    async *stream(request, signal) {
      const { readScenario } = await import("./scenario-file.ts") // what checks it is of no use to anyone else
      const scenario = await readScenario(files, path, signal)
      yield* play(stepsFor(scenario, request), request, clock, signal)
    },
  }
}

/** The steps of the reply that is due. */
function stepsFor({ turns, subagents }: Scenario, { messages, task }: ModelRequest): Step[] {
  const prompts = messages.filter((message) => message.role === "user" && !message.hidden)
  const told = prompts.at(-1)
  const words = told?.role === "user" ? textOf(told.content) : ""
  const list = task === undefined ? turns : subagents
  const matching = list.find(({ when }) => when !== undefined && new RegExp(when, "im").test(words))
  const plain = list.filter(({ when }) => when === undefined)
  const at = task === undefined ? prompts.length - 1 : 0
  const turn = matching ?? plain[at]
  if (!turn) return [{ text: "The scenario has no more turns." }]
  const made = messages.slice(told ? messages.indexOf(told) + 1 : 0).filter(isReply)
  return repliesIn(turn.steps)[made.length] ?? [{ text: "The scenario's turn is over." }]
}

/** Reports of subagents come as calls that no model has made. */
function isReply(message: Message): boolean {
  return message.role === "assistant" && message.calls.every(({ name }) => name !== REPORT_CALL)
}

/** A reply ends with its calls: what is said after them answers their results. */
function repliesIn(steps: readonly Step[]): Step[][] {
  const replies: Step[][] = [[]]
  let called = false
  for (const step of steps) {
    const speaks = typeof step === "object" && ("text" in step || "thought" in step || "error" in step)
    if (step === "results" || (called && speaks)) {
      replies.push([])
      called = false
    }
    if (step === "results") continue
    called ||= typeof step === "object" && "call" in step
    replies.at(-1)!.push(step)
  }
  return replies
}

async function* play(
  steps: readonly Step[],
  request: ModelRequest,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  let usage = NO_USAGE
  let stop: ReplyStop | undefined
  for (const step of steps) {
    signal.throwIfAborted()
    if (step === "restart") yield { type: "restart" }
    else if (step === "results") continue
    else if ("text" in step) for (const delta of pieces(step.text)) yield { type: "text", delta }
    else if ("thought" in step) for (const delta of pieces(step.thought)) yield { type: "reasoning", delta }
    else if ("notice" in step) yield { type: "notice", text: step.notice }
    else if ("call" in step) calls.push({ id: callId(request, calls.length), name: step.call, input: step.input ?? {} })
    else if ("delay" in step) await sleep(step.delay, clock, signal)
    else if ("usage" in step) usage = { ...usage, ...defined(step.usage) }
    else if ("stop" in step) stop = step.stop
    else throw new ModelFailure(step.error.kind, step.error.message, defined(step.error))
  }
  for (const call of calls) yield { type: "call", call }
  yield { type: "end", stop: stop ?? (calls.length > 0 ? "tool_use" : "end_turn"), usage }
}

/** The same for the same request, another for every other. */
function callId({ messages, task }: ModelRequest, at: number): string {
  const told = messages.findLast((message) => message.role === "user")
  return ["play", told?.role === "user" ? told.id.slice(0, 13) : task, messages.length, at].join("-")
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
