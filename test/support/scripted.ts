import { abortable } from "../../src/agent/abortable.ts"
import type { Agent } from "../../src/agent/agent.ts"
import type { AgentEvent } from "../../src/agent/event.ts"
import { Inbox } from "../../src/agent/inbox.ts"
import type { ReplyStop, ToolKind } from "../../src/agent/message.ts"
import type { Model, ModelEvent, ModelRequest } from "../../src/agent/model.ts"
import { type CallContext, type Tool, textOutcome } from "../../src/agent/tool.ts"
import { Transcript } from "../../src/agent/transcript.ts"

export const never: AbortSignal = new AbortController().signal
export const soon = (ms = 20): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))

/** A reply in a script: words, and calls given as [tool, input]. */
export interface Reply {
  text?: string
  calls?: [name: string, input: unknown][]
  stop?: ReplyStop
  tokens?: number
  /** Events in place of all that. */
  events?: ModelEvent[]
  /** Runs when the model is asked, before it answers. */
  before?: () => unknown
}

let calls = 0

export type ScriptedModel = Model & { requests: ModelRequest[] }

/** A model that reads its lines, and keeps every request it got. */
export function scriptedModel(...script: Reply[]): ScriptedModel {
  return modelWith(100_000, (_, at) => script[at] ?? { text: "(end of script)" })
}

/** A model that answers each request by what is in it. */
export function modelWith(contextWindow: number, reply: (request: ModelRequest, at: number) => Reply): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    id: "scripted",
    contextWindow,
    takes: { image: true, audio: false },
    requests,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
      const { text, calls: made = [], before, stop, tokens, events } = reply(request, requests.length)
      requests.push({ ...request, messages: [...request.messages] })
      await abortable(Promise.resolve(before?.()), signal)
      if (events) return yield* events
      for (const word of text?.match(/\S+\s*/g) ?? []) {
        signal.throwIfAborted()
        yield { type: "text", delta: word }
      }
      for (const [name, input] of made) yield { type: "call", call: { id: `call-${++calls}`, name, input } }
      const whole = stop ?? (made.length > 0 ? "tool_use" : "end_turn")
      yield { type: "end", stop: whole, usage: { input: tokens ?? 10, output: 0, cached: 0, thought: 0 } }
    },
  }
}

/** A tool that does what the test says. */
export function fakeTool(
  name: string,
  run: (input: never, context: CallContext) => unknown,
  kind: ToolKind = "read",
): Tool {
  return {
    name,
    kind,
    description: "",
    schema: {},
    prepare: async (input) => ({
      title: name,
      locations: [],
      display: [],
      reach: { type: "nothing" },
      run: async (context) => textOutcome(String(await run(input as never, context))),
    }),
  }
}

/** An agent with nothing behind it, for one test. */
export function agentWith(model: Model, parts: Partial<Agent> = {}): { agent: Agent; events: AgentEvent[] } {
  const events: AgentEvent[] = []
  const agent: Agent = {
    session: "main",
    model: () => model,
    effort: () => undefined,
    instructions: () => "",
    tools: () => [],
    gate: { offers: () => true, admit: async () => ({ allowed: true }) },
    maxSteps: 20,
    transcript: new Transcript(),
    inbox: new Inbox(),
    lifetime: never,
    holding: () => [],
    due: () => [],
    emit: (event) => void events.push(event),
    checkpoint: () => {},
    ...parts,
  }
  return { agent, events }
}
