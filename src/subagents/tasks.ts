import { abortable } from "../agent/abortable.ts"
import type { Agent } from "../agent/agent.ts"
import { type UserMessage, userText } from "../agent/message.ts"
import { type Ending, runToEnd } from "../agent/subagent.ts"
import type { Brief, TurnPolicy } from "./brief.ts"
import { type Compressed, compressAll } from "./compress.ts"
import type { Noted } from "./history.ts"
import { keptTask } from "./kept.ts"
import { type Quiet, watchQuiet } from "./quiet.ts"
import { reportOf } from "./report.ts"
import { byEnd } from "./snapshot.ts"
import { type Hears, MAX_STEPS, Task } from "./task.ts"
import { TaskError } from "./task-error.ts"
import type { TasksNeeds } from "./work.ts"

/** Tasks of a session that are queued or at work, at most; those that have ended are kept to this number too. */
const MOST = 100

/** What begins a run of a task: its parent, a call that waits for it, or a person. */
type Run = { for: "parent" } | { for: "call"; signal: AbortSignal } | { for: "person"; policy: TurnPolicy }

interface Working {
  readonly task: Task
  readonly stop: AbortController
  readonly quiet: Quiet | undefined
  readonly done: Promise<unknown>
}

/** The subagents of one session. They outlive the turn that started them, and not the session. */
export class Tasks {
  readonly #needs: TasksNeeds
  readonly #tasks = new Map<string, Task>()
  /** Those that wait for a place, with what they are told when they get it. */
  readonly #queue = new Map<Task, readonly UserMessage[]>()
  /** Those at work. */
  readonly #working = new Map<string, Working>()

  constructor(needs: TasksNeeds) {
    this.#needs = needs
    for (const kept of needs.journal.load().tasks) {
      const task = keptTask(kept, needs)
      if (!task) continue
      this.#tasks.set(task.id, task)
      if (task.isAlive) this.#interrupt(task)
    }
    this.#forgetOld()
  }

  list(): Task[] {
    return [...this.#tasks.values()]
  }

  find(id: string): Task {
    const task = this.#tasks.get(id)
    if (task) return task
    throw new TaskError("task_not_found", `There is no task "${id}" in this session`)
  }

  /** Those at whose end the parent's next reply may come. */
  get holding(): string[] {
    return this.list()
      .filter(({ brief, hears, isAlive }) => brief.kind === "run_subagent" && hears === "parent" && isAlive)
      .map(({ id }) => id)
  }

  get alive(): Task[] {
    return this.list().filter(({ isAlive }) => isAlive)
  }

  /** Starts work whose report comes by itself, as soon as there is a place. */
  start(brief: Brief): Task {
    const task = this.#create(brief, "parent")
    this.#enqueue(task, [userText(brief.prompt)])
    return task
  }

  /** Does work at once, and waits for it. */
  async run(brief: Brief, signal: AbortSignal): Promise<{ task: Task; ending: Ending }> {
    const task = this.#create(brief, "call")
    const ending = await this.#work(task, { for: "call", signal }, [userText(brief.prompt)])
    return { task, ending }
  }

  /** Says something to a subagent that has ended. Its answer is the person's alone. */
  continue(id: string, message: UserMessage, policy: TurnPolicy): Task {
    const task = this.resting(id)
    this.#mayStart()
    task.renew(task.brief, "person")
    const said: Noted = { ...message, policy }
    this.#begin(task, { for: "person", policy }, [said as UserMessage])
    return task
  }

  /** Takes up work that was not finished, or with a new brief begins it anew. */
  restart(id: string, brief?: Brief): Task {
    const task = this.resting(id)
    this.#mayStart()
    const { transcript } = task
    const isNew = brief !== undefined || transcript.entries.length === 0
    if (brief && transcript.entries.length > 0) {
      transcript.append({ role: "summary", text: "", from: transcript.entries.length })
    }
    task.renew(brief ?? task.brief, "parent")
    const said = [userText(isNew ? task.brief.prompt : GO_ON)]
    if (isQueued(task.brief)) this.#enqueue(task, said)
    else this.#begin(task, { for: "parent" }, said)
    return task
  }

  /** Ends a task that has not ended. Resolves when it has. */
  async cancel(id: string, reason = "cancelled by the user"): Promise<Task> {
    const task = this.find(id)
    if (this.#queue.delete(task)) {
      this.#finish(task, { status: "cancelled", text: "", error: reason })
      return task
    }
    const working = this.#working.get(id)
    working?.stop.abort(new Error(reason))
    await working?.done
    return task
  }

  async cancelAll(): Promise<void> {
    await Promise.all(this.alive.map(({ id }) => this.cancel(id)))
  }

  /** Gives a task that has stalled more time. False if it has not. */
  extend(id: string): boolean {
    return this.#working.get(this.find(id).id)?.quiet?.extend() ?? false
  }

  /** Resolves when the task has ended. */
  async ended(id: string, signal: AbortSignal): Promise<void> {
    await abortable(this.find(id).ended, signal)
  }

  /** There may be more places now. */
  reconsider(): void {
    for (const [task, said] of this.#queue) {
      const taken = [...this.#working.values()].filter((other) => takesPlace(other.task)).length
      if (taken >= this.#needs.maxConcurrent()) return
      this.#queue.delete(task)
      this.#begin(task, { for: "parent" }, said)
    }
  }

  /** Resolves when none is at work any more, and nothing more is told of any. */
  async settled(): Promise<void> {
    this.#queue.clear()
    await Promise.all(Array.from(this.#working.values(), ({ done }) => done))
    for (const task of this.#tasks.values()) task.abandon()
  }

  /** The task of that id, if it is at rest: only then may more be asked of it. */
  resting(id: string): Task {
    const task = this.find(id)
    if (task.isCompressing)
      throw new TaskError("subagent_compressing", `The history of task "${id}" is being compressed`)
    if (task.isAlive) throw new TaskError("subagent_running", `The subagent of task "${id}" is at work; stop it first`)
    return task
  }

  /** Puts the whole history of a task in few words. */
  async compress(id: string, signal: AbortSignal): Promise<Compressed & { task: Task }> {
    const task = this.resting(id)
    const lifetime = AbortSignal.any([signal, this.#needs.lifetime])
    task.isCompressing = true
    try {
      const done = await compressAll(this.#agentOf(task, { for: "parent" }, undefined, lifetime), lifetime)
      return { ...done, task }
    } finally {
      task.isCompressing = false
      task.rest()
    }
  }

  #mayStart(): void {
    if (this.alive.length < MOST) return
    throw new TaskError("too_many_tasks", `${MOST} subagents are at work or waiting; let some of them end first`)
  }

  #create(brief: Brief, hears: Hears): Task {
    this.#needs.lifetime.throwIfAborted()
    this.#mayStart()
    const task = new Task(brief, hears, this.#needs)
    this.#needs.journal.atomically(() => task.create())
    this.#tasks.set(task.id, task)
    return task
  }

  #enqueue(task: Task, said: readonly UserMessage[]): void {
    this.#queue.set(task, said)
    this.#needs.changed(task, undefined)
    this.reconsider()
  }

  /** A store that fails is told of by what the session itself writes next: nothing must wait for the task then. */
  #begin(task: Task, run: Run, said: readonly UserMessage[]): void {
    this.#work(task, run, said).catch((error: unknown) => {
      task.lose(error instanceof Error ? error.message : String(error))
      this.#needs.changed(task, undefined)
      this.reconsider()
    })
  }

  async #work(task: Task, run: Run, said: readonly UserMessage[]): Promise<Ending> {
    const { lifetime } = this.#needs
    const stop = new AbortController()
    const quiet = takesPlace(task) && task.brief.kind === "run_subagent" ? this.#watch(task, stop) : undefined
    const over = Promise.withResolvers<void>()
    this.#working.set(task.id, { task, stop, quiet, done: over.promise })
    try {
      task.begin()
      const signals = [lifetime, stop.signal, ...(run.for === "call" ? [run.signal] : [])]
      const ending = await runToEnd(this.#agentOf(task, run, quiet, AbortSignal.any(signals)), said)
      this.#working.delete(task.id)
      if (!lifetime.aborted) this.#finish(task, ending)
      return ending
    } finally {
      quiet?.stop()
      this.#working.delete(task.id)
      if (task.isAlive) task.abandon() // nobody hears of its end: it could not be kept, or the session is over
      over.resolve()
    }
  }

  #agentOf(task: Task, run: Run, quiet: Quiet | undefined, lifetime: AbortSignal): Agent {
    return this.#needs.agentFor({
      task: task.id,
      brief: task.brief,
      policy: run.for === "person" ? run.policy : undefined,
      maxSteps: MAX_STEPS,
      transcript: task.transcript,
      lifetime,
      emit: (event) => {
        if (event.type === "call_made") quiet?.busy()
        else if (event.type === "call_ended") quiet?.free()
        else quiet?.heard()
        task.hear(event)
        this.#needs.heard(task, event)
      },
      heard: () => quiet?.heard(),
    })
  }

  #watch(task: Task, stop: AbortController): Quiet {
    const set = (status: "running" | "stalled") => {
      try {
        task.set({ status })
      } catch (error) {
        stop.abort(error) // it can't be kept any more, so it can't go on
      }
    }
    return watchQuiet(this.#needs.clock, {
      stalled: () => set("stalled"),
      resumed: () => set("running"),
      givenUp: () => stop.abort(new Error("nothing was heard of it for several minutes")),
    })
  }

  #finish(task: Task, ending: Ending): void {
    this.#needs.journal.atomically(() => {
      // before anybody hears that it has ended: there is more to come
      if (task.hears === "parent") this.#needs.reported(task, reportOf(task.id, task.brief, ending))
      task.end(ending.status, ending)
    })
    this.#forgetOld()
    this.reconsider()
  }

  /** What the end of the program cut off. */
  #interrupt(task: Task): void {
    const ending = { text: "", error: INTERRUPTED }
    this.#needs.journal.atomically(() => {
      task.end("interrupted", ending)
      const report = reportOf(task.id, task.brief, { ...ending, status: "interrupted" })
      if (task.hears === "parent") this.#needs.interrupted(task, report)
    })
  }

  #forgetOld(): void {
    const ended = this.list().filter(({ isAlive, isCompressing }) => !isAlive && !isCompressing)
    const inOrder = ended.toSorted((a, b) => byEnd(a.snapshot, b.snapshot))
    for (const { id } of inOrder.slice(0, -MOST)) this.#tasks.delete(id)
  }
}

const GO_ON = "You were interrupted. Go on with the task where you stopped, and end with your report."
const INTERRUPTED = "its session ended while it worked; start it again if its work is still needed"

/** Whether it waits for one of the places that are counted. */
function isQueued({ kind, background }: Brief): boolean {
  return kind === "run_subagent" || background
}

function takesPlace({ brief, hears }: Task): boolean {
  return isQueued(brief) && hears === "parent"
}
