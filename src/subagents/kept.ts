import type { Brief } from "./brief.ts"
import type { TaskSnapshot } from "./snapshot.ts"
import { type Hears, Task, type TaskTies } from "./task.ts"
import type { KeptTask } from "./task-journal.ts"

/** A task as it was kept; undefined if it can't be read any more. */
export function keptTask({ id, snapshot, role }: KeptTask, ties: TaskTies): Task | undefined {
  const read = parsed<TaskSnapshot>(snapshot)
  const kept = parsed<Brief & { hears: Hears }>(role)
  if (read?.taskId !== id || typeof kept?.prompt !== "string") return undefined
  const { hears, ...brief } = kept
  return new Task(brief, hears, ties, read)
}

function parsed<Value>(json: string): (Partial<Value> & Value) | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
