import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { defineTool } from "./define.ts"

/** One step of the plan that the user sees. */
export interface PlanEntry {
  content: string
  status: "pending" | "in_progress" | "completed"
  priority: "high" | "medium" | "low"
}

/** Shows the user a plan in place of the one before; with no entries there is none. */
export type PublishPlan = (entries: readonly PlanEntry[], explanation?: string) => void

/** Writes down the steps of a longer task. */
export const todoWrite = (publish: PublishPlan): Tool =>
  defineTool({
    name: "todo_write",
    kind: "think",
    description:
      "Shows the user your plan for a task of several steps. Give all entries each time; one at most is in_progress. " +
      "Mark each completed as soon as it is. No entries clear the plan.",
    input: v.object({
      entries: v.array(
        v.object({
          content: v.pipe(v.string(), v.nonEmpty("is empty")),
          status: v.picklist(["pending", "in_progress", "completed"]),
          priority: v.optional(v.picklist(["high", "medium", "low"]), "medium"),
        }),
      ),
      explanation: v.optional(v.string()),
    }),
    spellings: {
      todos: "entries",
      plan: "entries",
      tasks: "entries",
      items: "entries",
      step: "content",
      title: "content",
    },
    prepare({ entries, explanation }) {
      const running = entries.filter(({ status }) => status === "in_progress")
      if (running.length > 1) {
        throw new Error(
          `${running.length} entries are in_progress; work on one at a time, and leave the others pending.`,
        )
      }
      const done = entries.filter(({ status }) => status === "completed").length
      return {
        title: entries.length === 0 ? "Clear the plan" : `Update the plan (${done} of ${entries.length} done)`,
        reach: { type: "nothing" },
        async run() {
          publish(entries, ...(explanation === undefined ? [] : [explanation]))
          const told = entries.length === 0 ? "The plan is cleared." : "The user sees the plan now."
          return { ...textOutcome(told), display: [] } // who sees the plan need not be told so
        },
      }
    },
  })
