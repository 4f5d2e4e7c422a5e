import * as v from "valibot"
import { textContent } from "../agent/message.ts"
import type { Tool } from "../agent/tool.ts"
import { type Crew, researchBrief } from "../subagents/crew.ts"
import type { Tasks } from "../subagents/tasks.ts"
import { oneLine } from "../text/truncate.ts"
import { defineTool } from "./define.ts"

/** Characters of a description that fit in a title. */
const TITLE = 120

const TEXT = v.pipe(v.string(), v.regex(/\S/, "is empty"))

/** Starts research in the background. */
export const runSubagent = (tasks: Pick<Tasks, "start">, crew: Crew): Tool =>
  defineTool({
    name: "run_subagent",
    kind: "think",
    description:
      "Hands research to a subagent that only reads and knows nothing of this conversation. Its report comes to you by " +
      "itself. Make all independent calls in one reply: they run side by side.",
    input: v.object({
      description: v.pipe(TEXT, v.description("In a few words, for the user")),
      prompt: v.pipe(TEXT, v.description("All that the subagent must know")),
      agent: v.optional(v.pipe(v.string(), v.description("A role"))),
    }),
    spellings: { title: "description", task: "prompt", goal: "prompt", role: "agent", subagent_type: "agent" },
    prepare({ description, prompt, agent }) {
      const role = agent?.trim() || undefined
      return {
        title: oneLine(role === undefined ? description : `${role}: ${description}`, TITLE),
        reach: { type: "nothing" },
        display: textContent(prompt),
        async run({ call }) {
          const { id } = tasks.start(await researchBrief({ description, prompt, agent: role }, call.id, crew))
          const told = textContent(`Started task ${id}. Its report will come to you by itself.`)
          return { content: told, display: textContent(prompt) }
        },
      }
    },
  })
