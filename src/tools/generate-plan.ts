import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { defineTool } from "./define.ts"

/** Shows the user a plan, in steps and in words, and ends the turn: the user has the word. */
export type ProposePlan = (steps: readonly string[], words: string) => void

/** Ends planning with a plan that the user can accept. */
export const generatePlan = (propose: ProposePlan): Tool =>
  defineTool({
    name: "generate_plan",
    kind: "switch_mode",
    alone: true,
    description:
      "Ends planning: shows the user the finished plan and asks whether to carry it out. Call it, instead of writing " +
      "the plan out, once you know enough and nothing is open. `plan` is Markdown that names the files it touches; " +
      "`steps` are its steps in order, a line each.",
    input: v.object({
      plan: v.pipe(v.string(), v.regex(/\S/, "is empty")),
      steps: v.pipe(v.array(v.pipe(v.string(), v.regex(/\S/, "is empty"))), v.minLength(1, "is empty")),
    }),
    spellings: { markdown: "plan", content: "plan", entries: "steps", todos: "steps" },
    prepare({ plan, steps }) {
      return {
        title: `Propose a plan (${steps.length} ${steps.length === 1 ? "step" : "steps"})`,
        reach: { type: "nothing" },
        async run() {
          propose(steps, plan)
          return textOutcome("The user sees the plan now, and has the word.")
        },
      }
    },
  })
