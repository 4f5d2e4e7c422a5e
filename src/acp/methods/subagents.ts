import * as v from "valibot"
import type { UserMessage } from "../../agent/message.ts"
import { refusal } from "../../jsonrpc/message.ts"
import type { Session } from "../../session/session.ts"
import { renewedBrief } from "../../subagents/crew.ts"
import type { Task } from "../../subagents/task.ts"
import { TaskError } from "../../subagents/task-error.ts"
import type { Call, Methods } from "../connection.ts"
import { BLOCKS, fromBlocks } from "../content.ts"
import { invalidParams, OF_SESSION, parse } from "../params.ts"
import { withReferences } from "../references.ts"
import { settingsState } from "../subagent-news.ts"
import { ofSession } from "./of-session.ts"

const CLOSED = "The session was closed while the subagent's history was being compressed"
const OF_TASK = v.looseObject({ ...OF_SESSION.entries, taskId: v.string() })
const WORDS = v.pipe(v.string(), v.regex(/\S/, "is empty: nothing is asked"))
const PROMPT = v.looseObject({
  ...OF_TASK.entries,
  prompt: v.union([WORDS, BLOCKS], "must be text, or blocks of content that say something"),
  policy: v.nullish(v.picklist(["read_only", "auto_edit", "yolo"]), "read_only"),
})

/** How a client follows and steers the subagents of a session. */
export const SUBAGENT_METHODS: Methods = {
  "session/subagent_list": async (call) => {
    const session = await ofSession(call)
    return subagentsState(session, call.core)
  },

  "session/subagent_details": (call) =>
    ofTask(call, async (task) => {
      const { snapshot, activity, history } = task
      return { task: snapshot, activity: activity.entries, history, contextUsage: snapshot.contextUsage }
    }),

  "session/subagent_cancel": (call) =>
    ofTask(call, async ({ id }, { tasks }) => ({ task: (await tasks.cancel(id)).snapshot })),

  "session/subagent_restart": (call) =>
    ofTask(call, async (task, { tasks, deliveries, crew }) => {
      tasks.resting(task.id)
      const isDone = task.snapshot.status === "completed"
      const brief = isDone ? await renewed(task, crew) : undefined
      const { snapshot } = tasks.restart(task.id, brief)
      if (!isDone) deliveries.drop(task.id) // the report to come will say more
      return { task: snapshot }
    }),

  "session/subagent_extend": (call) =>
    ofTask(call, async (task, { tasks }) => {
      const extended = tasks.extend(task.id)
      return { extended, task: task.snapshot }
    }),

  "session/subagent_release_wait": async (call) => ({ released: (await ofSession(call)).releaseWait() }),

  "session/subagent_prompt": (call) =>
    ofTask(call, async ({ id }, { tasks }, { parts }) => {
      const { prompt, policy } = parse(PROMPT, call.params)
      const said = typeof prompt === "string" ? ([{ type: "text", text: prompt }] as const) : fromBlocks(prompt)
      tasks.resting(id)
      const content = await withReferences(said, parts, call.signal)
      const message: UserMessage = { role: "user", id: crypto.randomUUID(), content: [...content] }
      return { task: tasks.continue(id, message, policy ?? "read_only").snapshot }
    }),

  "session/subagent_compress": (call) =>
    ofTask(call, async ({ id }, { tasks }, { parts }) => {
      const { before, after, task } = await tasks.compress(id, call.signal).catch((error: unknown) => {
        throw parts.agent.lifetime.aborted ? refusal(-32800, CLOSED) : error
      })
      return { originalTokenCount: before, newTokenCount: after, task: task.snapshot }
    }),
}

/** The tasks of a session and the settings of subagents, as clients see them. */
export function subagentsState(session: Session, core: Call["core"]): object {
  const tasks = session.parts.subagents.tasks.list().map(({ snapshot }) => snapshot)
  return { tasks, ...settingsState(session, core) }
}

type Subagents = Session["parts"]["subagents"]

async function ofTask(
  call: Call,
  work: (task: Task, subagents: Subagents, session: Session) => Promise<object>,
): Promise<object> {
  const { taskId } = parse(OF_TASK, call.params)
  const session = await ofSession(call)
  const { subagents } = session.parts
  try {
    return await work(subagents.tasks.find(taskId), subagents, session)
  } catch (error) {
    if (error instanceof TaskError) throw invalidParams(error.message, undefined, error.code)
    throw error
  }
}

/** What a task would be done as now. */
async function renewed({ brief }: Task, crew: Subagents["crew"]): ReturnType<typeof renewedBrief> {
  return await renewedBrief(brief, crew).catch((error: unknown) => {
    throw invalidParams(error instanceof Error ? error.message : String(error), undefined, "agent_unavailable")
  })
}
