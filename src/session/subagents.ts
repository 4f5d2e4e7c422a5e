import type { AgentEvent } from "../agent/event.ts"
import type { Entry, Usage } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import type { Clock } from "../clock.ts"
import type { Question } from "../permission/gate.ts"
import type { ActivityEntry } from "../subagents/activity.ts"
import type { Crew } from "../subagents/crew.ts"
import { Deliveries } from "../subagents/delivery.ts"
import { outlivesItsCall } from "../subagents/snapshot.ts"
import type { Task } from "../subagents/task.ts"
import type { TaskJournal } from "../subagents/task-journal.ts"
import { Tasks } from "../subagents/tasks.ts"
import { agentStatus } from "../tools/agent-status.ts"
import { runSubagent } from "../tools/run-subagent.ts"
import { subAgent } from "../tools/sub-agent.ts"
import type { SessionEvent } from "./attached.ts"
import { childAgent, effortFor, type Household, shownId } from "./children.ts"

/** What the subagents of a session tell it. */
export interface SubagentTies {
  tell(event: SessionEvent): void
  /** A report waits. */
  reported(): void
  spent(usage: Usage): void
  /** The turn that runs. */
  turn(): string | undefined
  readonly lifetime: AbortSignal
}

/** The subagents of a session, their reports, and the tools by which they are begun. */
export interface Subagents {
  readonly tasks: Tasks
  readonly deliveries: Deliveries
  readonly crew: Crew
  readonly tools: readonly Tool[]
  /** Looks at the settings and at who there is, anew. */
  refresh(): Promise<void>
  /** Shows a call about which the user is asked, on its parent's session. */
  show(question: Question): void
}

export interface SubagentsParts {
  readonly household: Household
  readonly journal: TaskJournal
  /** What was said in the session. */
  readonly entries: readonly Entry[]
  readonly clock: Clock
}

export function subagentsOf({ household, journal, entries, clock }: SubagentsParts, ties: SubagentTies): Subagents {
  const { main, definitions, catalog } = household
  /** The turn in which each began: while it runs, their steps are shown in the call that began them. */
  const turns = new WeakMap<Task, string>()
  /** Those of whose end it was told. */
  const over = new WeakSet<Task>()
  /** Calls of subagents that are shown, and whose they are. */
  const shown = new Map<string, string>()
  let isReady = false
  /** While any is at work, a changed setting may end a pause or make a place. */
  let unlisten: (() => void) | undefined

  const deliveries = new Deliveries(journal.load().deliveries, entries, {
    save: (delivery) => journal.saveDelivery(delivery),
    handed({ id, task }) {
      const reported = tasks.list().find((one) => one.id === task)
      if (!reported || reported.isAlive) return // it is at work again
      reported.touch()
      tell(reported, undefined, id)
    },
  })
  const tasks = new Tasks({
    journal,
    clock,
    lifetime: ties.lifetime,
    maxConcurrent: () => definitions.settings.current.maxConcurrent,
    effortOf: (brief) => effortFor(brief, household),
    agentFor: (work) => childAgent(work, household),
    spent: ties.spent,
    changed: tell,
    reported(task, report) {
      deliveries.add(task.id, report)
      main().inbox.wake()
      ties.reported()
    },
    interrupted: (task, report) => deliveries.addQuietly(task.id, report),
    heard,
  })
  isReady = true

  function listen(): void {
    if (tasks.alive.length === 0) {
      unlisten?.()
      unlisten = undefined
    } else
      unlisten ??= definitions.settings.onChange(() => {
        main().inbox.wake()
        tasks.reconsider()
      })
  }
  ties.lifetime.addEventListener("abort", () => unlisten?.(), { once: true })

  function tell(task: Task, activity?: ActivityEntry, delivery?: string): void {
    if (!isReady) return // nobody listens yet
    if (!activity) listen()
    if (!task.isAlive) main().inbox.wake() // its parent may wait for it
    const turn = ties.turn()
    if (turn !== undefined && !turns.has(task)) turns.set(task, turn)
    const isNews = task.isAlive || (outlivesItsCall(task.snapshot) && !over.has(task))
    const isShown = turn !== undefined && turns.get(task) === turn && isNews
    if (task.isAlive) over.delete(task)
    else over.add(task)
    ties.tell({
      type: "task",
      task: task.snapshot,
      ...(activity && { activity }),
      ...(delivery !== undefined && { delivery }),
      ...(isShown && { steps: task.activity.lines() }),
    })
  }

  function heard({ id }: Task, event: AgentEvent): void {
    ties.tell({ type: "child", task: id, event })
    if (event.type !== "call_started" && event.type !== "call_progress" && event.type !== "call_ended") return
    const call = shownId(id, event.type === "call_ended" ? event.result.id : event.id)
    const who = shown.get(call)
    if (who === undefined) return
    if (event.type === "call_ended") {
      shown.delete(call)
      const { result } = event
      ties.tell({ type: "call_ended", result: { ...result, id: call, shown: named(who, result.shown) } })
    } else ties.tell({ ...event, id: call })
  }

  const crew: Crew = {
    roleFor: (name) =>
      definitions.roleFor(
        name,
        main()
          .tools()
          .map((tool) => tool.name),
      ),
    profileFor: (id) => definitions.profileFor(id),
    modelFor(kind, wish) {
      const own = main().model().id
      const wanted = wish ?? (kind === "run_subagent" ? definitions.settings.current.model : null)
      if (wanted === null || catalog.find(wanted)) return { model: wanted ?? own, note: null }
      return { model: own, note: `The model "${wanted}" is not available; it worked with "${own}".` }
    },
  }
  return {
    tasks,
    deliveries,
    crew,
    tools: [runSubagent(tasks, crew), subAgent(tasks, crew), agentStatus(tasks, deliveries)],
    async refresh() {
      await definitions.refresh().catch(() => {}) // what can't be read is as it was
    },
    show({ who, call, action, tool }) {
      if (who === undefined || shown.has(call.id)) return
      shown.set(call.id, who)
      const { title, locations, display } = action
      ties.tell({ type: "call_made", call, shown: named(who, { title, kind: tool.kind, locations, display }) })
    },
  }
}

function named<Shown extends { title: string }>(who: string, shown: Shown): Shown {
  return { ...shown, title: `${who}: ${shown.title}` }
}
