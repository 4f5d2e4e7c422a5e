import type { Entry } from "../agent/message.ts"
import type { Delivery } from "./delivery.ts"

/** A task as it is kept; both are JSON. */
export interface KeptTask {
  readonly id: string
  readonly snapshot: string
  /** Its brief. */
  readonly role: string
}

/** Where a session keeps its subagents: what a method has written is there after a kill. */
export interface TaskJournal {
  /** Whether anything is kept; where nothing is, what is in memory is all there is. */
  readonly keeps: boolean
  /** Does all of it or none. */
  atomically(work: () => void): void
  /** The tasks that were kept, the oldest first, and the reports that the model has not answered. */
  load(): { tasks: readonly KeptTask[]; deliveries: readonly Delivery[] }
  /** Writes a task, or how it stands now. */
  save(task: KeptTask): void
  saveDelivery(delivery: Delivery): void
  /** Begins the conversation of a task. */
  begin(task: string, model: string): void
  append(task: string, seq: number, entry: Entry): void
  entries(task: string): Entry[]
}

/** Nothing is kept. */
export const NO_TASK_JOURNAL: TaskJournal = {
  keeps: false,
  atomically: (work) => work(),
  load: () => ({ tasks: [], deliveries: [] }),
  save: () => {},
  saveDelivery: () => {},
  begin: () => {},
  append: () => {},
  entries: () => [],
}
