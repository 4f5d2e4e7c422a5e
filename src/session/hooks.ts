import type { Agent } from "../agent/agent.ts"
import { type Content, hiddenText, type ToolCall, textContent, textOf, type UserMessage } from "../agent/message.ts"
import type { Action, Gate, Outcome, Tool, Verdict } from "../agent/tool.ts"
import { canonicalName } from "../agent/tool-names.ts"
import type { SessionGate } from "../permission/gate.ts"
import type { Hook, HookEvent, Settings } from "../settings/keys.ts"
import type { Machine } from "../workspace/machine.ts"
import { type HookAnswer, runHook } from "./hook-run.ts"

/** The user's own programs, which are told of what a session does and may object. */
export interface Hooks {
  /** The same gate, with one more voice in it, for the agent and its subagents. */
  gate(gate: SessionGate): SessionGate
  /** The same tool, of whose results they are told. */
  around(tool: Tool): Tool
  /** The same agent, with tools of that kind. */
  heard(agent: Agent): Agent
  /** The session begins, or goes on after it was loaded; once. Answers with what they tell the model. */
  begin(signal: AbortSignal): Promise<UserMessage[]>
  /** A turn is about to end. Answers with why it must go on, if it must. */
  stop(signal: AbortSignal): Promise<UserMessage[]>
}

export interface HooksNeeds {
  readonly hooks: Settings["hooks"]
  readonly machine: Machine
  readonly session: string
  readonly cwd: string
  /** Whether it was loaded. */
  readonly source: "new" | "load"
  /** Tells the user what is wrong. */
  warn(text: string): void
}

/** How often in a row a turn is kept from ending: a hook that always objects would keep it for ever. */
const MOST_STOPS = 3

export function hooksOf(needs: HooksNeeds): Hooks {
  const { hooks, machine, session, cwd, source } = needs
  /** What they said of a call before it ran. */
  const said = new WeakMap<Action, string>()
  const warned = new Set<string>()
  let hasBegun = false
  let stops = 0

  const run = (hook: Hook, event: HookEvent, more: object, signal: AbortSignal): Promise<HookAnswer> =>
    runHook(machine, hook, { event, session, cwd, ...more }, cwd, signal)

  function warn(event: HookEvent, { command }: Hook, why: string): void {
    const text = `The ${event} hook "${command}" gave no answer: ${why}`
    if (warned.has(text)) return
    warned.add(text)
    needs.warn(text)
  }

  /** Those that care for this tool, one after the other, until one objects. */
  async function about(event: HookEvent, tool: string, more: object, signal: AbortSignal): Promise<HookAnswer> {
    const contexts: string[] = []
    for (const hook of hooks[event] ?? []) {
      if (!matches(hook, tool)) continue
      const answer = await run(hook, event, { tool, ...more }, signal)
      if (answer.context !== undefined) contexts.push(answer.context)
      if (answer.failed !== undefined) {
        warn(event, hook, answer.failed)
        // it is there to say no, and nobody knows that it would not have
        if (event === "preToolUse") return { denied: `the hook that must agree to it failed: ${answer.failed}` }
      }
      if (answer.denied !== undefined) return { ...answer, ...joined(contexts) }
    }
    return joined(contexts)
  }

  function voiced(gate: Gate, subagent?: string): Gate {
    return {
      offers: (tool) => gate.offers(tool),
      async admit(tool, action, call, signal): Promise<Verdict> {
        const more = { ...asSaid(call), ...(subagent !== undefined && { subagent }) }
        const { denied, context } = await about("preToolUse", tool.name, more, signal)
        if (denied !== undefined) return { allowed: false, reason: `A hook of the user's refuses this call: ${denied}` }
        if (context !== undefined) said.set(action, context)
        return await gate.admit(tool, action, call, signal)
      },
    }
  }

  const hasToolHooks = Boolean(hooks.preToolUse?.length || hooks.postToolUse?.length)
  const known = new WeakMap<Tool, Tool>()

  function around(tool: Tool): Tool {
    if (!hasToolHooks) return tool
    const before = known.get(tool)
    if (before) return before
    const made: Tool = {
      ...tool,
      async prepare(input, signal) {
        const action: Action = await tool.prepare(input, signal)
        const hooked: Action = {
          ...action,
          async run(context) {
            const { call, signal } = context
            const before = said.get(hooked)
            const ran = await settled(action.run(context))
            const result = ran instanceof Error ? { status: "failed", text: ran.message } : resultOf(ran)
            const after = signal.aborted
              ? {}
              : await about("postToolUse", tool.name, { ...asSaid(call), result }, signal)
            const words = [before, after.context, after.denied && `A hook of the user's objects: ${after.denied}`]
            const added = words.filter((text) => text !== undefined && text !== "").join("\n")
            if (ran instanceof Error) throw added === "" ? ran : new Error(`${ran.message}\n${added}`)
            return added === "" ? ran : { ...ran, ...withMore(ran, added), ...(after.denied !== undefined && FAILED) }
          },
        }
        return hooked
      },
    }
    known.set(tool, made)
    return made
  }

  return {
    gate(gate) {
      if (!hooks.preToolUse?.length) return gate
      return {
        ...voiced(gate),
        reconsider: () => gate.reconsider(),
        forSubagent: (subagent) => voiced(gate.forSubagent(subagent), subagent.who),
      }
    },

    around,
    heard: (agent) => (hasToolHooks ? { ...agent, tools: () => agent.tools().map(around) } : agent),

    async begin(signal) {
      stops = 0
      if (hasBegun) return []
      hasBegun = true
      return await all("sessionStart", { source }, signal)
    },

    async stop(signal) {
      if (!hooks.stop?.length || ++stops > MOST_STOPS) return []
      return await all("stop", {}, signal)
    },
  }

  /** Tells each of them. What they add is for the model to read; at a stop, only what keeps the turn from ending. */
  async function all(event: "sessionStart" | "stop", more: object, signal: AbortSignal): Promise<UserMessage[]> {
    const words: string[] = []
    for (const hook of hooks[event] ?? []) {
      const { denied, context, failed } = await run(hook, event, more, signal)
      if (failed !== undefined) warn(event, hook, failed)
      if (event === "sessionStart" && context !== undefined) words.push(context)
      if (event === "stop" && denied !== undefined) words.push(`You are not done: ${denied}`)
    }
    return words.map((text) => hiddenText(`[from a hook of the user's] ${text}`))
  }
}

const FAILED = { failed: true } as const

/** `*` stands for any part of a name, `|` for "or"; without a matcher, all tools. */
export function matches({ matcher }: Pick<Hook, "matcher">, tool: string): boolean {
  if (matcher === undefined || matcher === "") return true
  return matcher.split("|").some((one) => {
    const parts = canonicalName(one.trim()).split("*")
    const [first = "", ...rest] = parts
    const last = rest.pop()
    if (last === undefined) return first === tool
    if (!tool.startsWith(first) || !tool.endsWith(last) || tool.length < first.length + last.length) return false
    let at = first.length
    return rest.every((part) => (at = tool.indexOf(part, at) + part.length) >= part.length)
  })
}

function asSaid({ id, input }: ToolCall): object {
  return { call: id, input }
}

function joined(contexts: readonly string[]): HookAnswer {
  return contexts.length === 0 ? {} : { context: contexts.join("\n") }
}

function settled(run: Promise<Outcome>): Promise<Outcome | Error> {
  return run.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
}

function resultOf({ content, failed }: Outcome): object {
  return { status: failed ? "failed" : "ok", text: textOf(content).slice(0, 50_000) }
}

/** What the user is shown stays as it is. */
function withMore({ content, display }: Outcome, text: string): Pick<Outcome, "content" | "display"> {
  const more: Content[] = textContent(`\n\n[from a hook of the user's] ${text}`)
  return { content: [...content, ...more], display: display ?? content }
}
