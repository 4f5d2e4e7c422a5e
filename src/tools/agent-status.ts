import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import type { Deliveries } from "../subagents/delivery.ts"
import type { TaskSnapshot } from "../subagents/snapshot.ts"
import type { Tasks } from "../subagents/tasks.ts"
import { defineTool } from "./define.ts"

/** Tells how a subagent stands; the report of one that has ended counts as delivered. */
export const agentStatus = (tasks: Pick<Tasks, "find" | "ended">, deliveries: Pick<Deliveries, "take">): Tool =>
  defineTool({
    name: "agent_status",
    kind: "think",
    description: "Tells how a subagent stands, and its report if it has ended. With `wait`, waits for its end.",
    input: v.object({ agent_id: v.string(), wait: v.optional(v.boolean(), false) }),
    spellings: { id: "agent_id", task_id: "agent_id", agent: "agent_id" },
    prepare({ agent_id, wait }) {
      const { id, snapshot } = tasks.find(agent_id.trim())
      return {
        title: `${wait ? "Wait for" : "Look at"} ${snapshot.agentName ?? "subagent"}: ${snapshot.description}`,
        reach: { type: "nothing" },
        async run({ call, signal }) {
          if (wait) await tasks.ended(id, signal)
          return textOutcome(deliveries.take(id, call.id) ?? inWords(tasks.find(id).snapshot))
        },
      }
    },
  })

function inWords({ taskId, status, steps, progress }: TaskSnapshot): string {
  switch (status) {
    case "queued":
      return `Task ${taskId} waits for its turn.`
    case "running":
      return `Task ${taskId} is at work: ${steps} steps done${progress ? `, now: ${progress}` : ""}.`
    case "stalled":
      return `Task ${taskId} has not been heard of for minutes; it is ended soon if that goes on.`
    case "completed":
    case "failed":
    case "cancelled":
    case "interrupted":
      return `Task ${taskId}: ${status}. You have its report already.`
  }
}
