import type { SessionEvent } from "../session/attached.ts"
import { isAlive, type TaskSnapshot } from "../subagents/snapshot.ts"
import { type Client, OWN } from "./client.ts"
import { textBlock } from "./content.ts"

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>

type Update = { sessionUpdate: string } & Record<string, unknown>

/** What a client is told of a task: each in the words it has for it. */
export function taskUpdates(event: Of<"task">, { subagents }: Pick<Client, "subagents">): Update[] {
  const { task, activity, delivery, steps } = event
  const own = { task, ...(activity && { activity }), ...(delivery !== undefined && { deliveryId: delivery }) }
  switch (subagents) {
    case true:
      return [{ sessionUpdate: "subagent_update", ...own }]
    case "standard":
      return activity ? [] : [{ sessionUpdate: "subagent_update", ...standardFields(task), ...own }]
    case false:
      return steps && (steps.length > 0 || task.result || task.error) ? [stepsUpdate(task, steps)] : []
  }
}

/** A turn that no prompt began, or a pause: to clients that know of such things. */
export function turnUpdates(
  { state, promptId, taskIds, stop }: Of<"turn">,
  { subagents }: Pick<Client, "subagents">,
): Update[] {
  if (subagents !== true) return []
  const stopReason = stop === "repeating" ? "end_turn" : stop
  return [
    { sessionUpdate: "subagent_turn", state, promptId, ...(taskIds && { taskIds }), ...(stopReason && { stopReason }) },
  ]
}

/** That something is at work besides the turn. */
export function workingUpdate({ working }: Of<"working">): Update {
  return { sessionUpdate: "session_info_update", _meta: { [OWN]: { working } } }
}

/** In a line, for clients that have no cards of subagents: that the model has read a report. */
export function reportLine({ task, delivery }: Of<"task">): string | undefined {
  const name = task.agentName ?? "A subagent"
  return delivery === undefined ? undefined : `${name} has reported: ${task.description}`
}

/** The unstable standard's words: the task is a session of its own. */
function standardFields(task: TaskSnapshot): object {
  const state = stateOf(task)
  return {
    sessionId: task.taskId,
    title: task.description,
    description: task.agentName,
    ...(state && { state }),
    capabilities: isAlive(task) ? { cancel: {} } : null,
  }
}

function stateOf({ status, error }: TaskSnapshot): object | undefined {
  switch (status) {
    case "queued":
      return undefined
    case "running":
    case "stalled":
      return { state: "running" }
    case "completed":
      return { state: "idle", stopReason: "end_turn" }
    case "cancelled":
    case "interrupted":
      return { state: "idle", stopReason: "cancelled" }
    case "failed":
      return { state: "idle", stopReason: "error", error: { code: -32603, message: error ?? "The subagent failed" } }
  }
}

/** The steps of a subagent and at last what it found, as the content of the call that began it. */
function stepsUpdate({ acpToolCallId, result, error }: TaskSnapshot, steps: readonly string[]): Update {
  const before = result?.includes(steps.at(-1) ?? "") ? steps.slice(0, -1) : steps // its last words are the report
  const list = before.map((step) => `- ${step}`).join("\n")
  const texts = [list, result ?? "", error === null ? "" : `It did not come to its end: ${error}`].filter(Boolean)
  const content = texts.map((text) => ({ type: "content", content: textBlock(text) }))
  return { sessionUpdate: "tool_call_update", toolCallId: acpToolCallId, content }
}
