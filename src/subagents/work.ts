import type { Agent } from "../agent/agent.ts"
import type { AgentEvent } from "../agent/event.ts"
import type { Transcript } from "../agent/transcript.ts"
import type { Brief, TurnPolicy } from "./brief.ts"
import type { Task, TaskTies } from "./task.ts"

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
  /** Its model's connection is alive. */
  heard(): void
}

/** What the tasks of a session need of it. */
export interface TasksNeeds extends Omit<TaskTies, "changed"> {
  /** Ends with the session. */
  readonly lifetime: AbortSignal
  maxConcurrent(): number
  agentFor(work: Work): Agent
  /** A task stands differently. Told in the transaction that writes it. */
  changed: TaskTies["changed"]
  /** A task has ended, and its parent is to hear of it; told likewise. */
  reported(task: Task, report: string): void
  /** An ended task that its parent hears of when it next hears of anything. */
  interrupted(task: Task, report: string): void
  /** What a subagent does, as it does it. */
  heard(task: Task, event: AgentEvent): void
}
