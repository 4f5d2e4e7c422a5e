import type { Started } from "./client.ts"
import { clockMs } from "./clock.ts"
import type { Model } from "./model.ts"

/** What one run of a scenario measured, by the names in `metrics.ts`. */
export type Values = Record<string, number>

export interface Stage {
  readonly model: Model
  /** Where the agent works, and a file to read in it. */
  readonly folder: string
  readonly file: string
  /** Where sessions are kept, if a scenario says so. Empty at first. */
  readonly store: string
  /** Starts the agent anew, with more variables. Whatever happens, it ends with the run. */
  start(env?: Record<string, string>): Started
}

/** From the start of the process to its answer to `initialize`; of every program, also one that can do no more. */
export async function initialize(agent: Started): Promise<Values> {
  const { atMs } = await agent.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "bench", version: "1.0.0" },
    clientCapabilities: {},
  })
  return { init: atMs - agent.spawnedMs }
}

/** The id of a session that was opened. */
export async function ready(agent: Started, folder: string): Promise<string> {
  await initialize(agent)
  return (await newSession(agent, folder)).sessionId
}

export async function newSession(agent: Started, cwd: string): Promise<{ sessionId: string; atMs: number }> {
  const { result, atMs } = await agent.request("session/new", { cwd, mcpServers: [] })
  return { sessionId: result.sessionId, atMs }
}

export interface Turn {
  sentMs: number
  firstMs: number
  endMs: number
  texts: string[]
  arrivals: { atMs: number; text: string }[]
}

export async function prompt(agent: Started, sessionId: string, text: string): Promise<Turn> {
  agent.updates.length = 0
  const sentMs = clockMs()
  const { atMs, result } = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  if (result.stopReason !== "end_turn") throw new Error(`"${text}" ended with ${result.stopReason}`)
  const arrivals = agent.updates.flatMap(({ atMs, line }) => {
    const { update } = JSON.parse(line).params
    return update.sessionUpdate === "agent_message_chunk" ? [{ atMs, text: String(update.content.text) }] : []
  })
  if (!arrivals[0]) throw new Error(`"${text}" was answered without text`)
  return { sentMs, firstMs: arrivals[0].atMs, endMs: atMs, texts: arrivals.map(({ text }) => text), arrivals }
}
