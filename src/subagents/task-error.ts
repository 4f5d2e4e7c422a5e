/** What went wrong with a request for a task. */
export class TaskError extends Error {
  override readonly name = "TaskError"
  readonly code: "task_not_found" | "subagent_running" | "subagent_compressing" | "too_many_tasks"

  constructor(code: TaskError["code"], message: string) {
    super(message)
    this.code = code
  }
}
