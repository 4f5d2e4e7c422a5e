import type { AgentEvent } from "../agent/event.ts"
import type { Transcript } from "../agent/transcript.ts"
import type { Brief, TurnPolicy } from "./brief.ts"

/** All that the agent of a subagent is made of, but for what its session gives it. */
export interface Work {
  readonly task: string
  readonly brief: Brief
  /** What a person lets it do in the turn that they began; undefined if its parent began it. */
  readonly policy: TurnPolicy | undefined
  readonly maxSteps: number
  readonly transcript: Transcript
  readonly lifetime: AbortSignal
  emit(event: AgentEvent): void
  checkpoint(): void
  /** Its model's connection is alive. */
  heard(): void
}
