import * as v from "valibot"
import { textContent } from "../agent/message.ts"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { type Crew, type Delegation, delegationBrief } from "../subagents/crew.ts"
import { reportOf } from "../subagents/report.ts"
import type { Tasks } from "../subagents/tasks.ts"
import { oneLine } from "../text/truncate.ts"
import { defineTool } from "./define.ts"

/** Characters of a goal that fit in a title. */
const TITLE = 120

/** Hands work to a profile, and brings its report. */
export const subAgent = (tasks: Pick<Tasks, "start" | "run">, crew: Crew): Tool =>
  defineTool({
    name: "sub_agent",
    kind: "think",
    description:
      "Hands a piece of work to a subagent with your own tools and permissions, and brings its report. It knows nothing " +
      "of this conversation. With `background` it only reads, you go on at once, and its report comes by itself.",
    input: v.object({
      agent: v.pipe(v.string(), v.regex(/\S/, "is empty"), v.description("research, implement, or a profile's id")),
      goal: v.pipe(v.string(), v.regex(/\S/, "is empty"), v.description("All that it must know")),
      scope: v.optional(v.pipe(v.string(), v.description("Path or area to stay in"))),
      expectedDeliverables: v.optional(v.pipe(v.string(), v.description("What to report"))),
      background: v.optional(v.boolean(), false),
    }),
    spellings: { prompt: "goal", task: "goal", description: "goal", profile: "agent", subagent_type: "agent" },
    async prepare({ agent, ...delegation }) {
      const profile = await crew.profileFor(agent.trim())
      const work = textContent(inWords(delegation))
      return {
        title: oneLine(`${profile.id}: ${delegation.goal}`, TITLE),
        reach: { type: "profile", profile: profile.id },
        display: work,
        async run({ call, signal }) {
          const brief = delegationBrief(profile, delegation, call.id, crew)
          if (delegation.background) return { ...textOutcome(started(tasks.start(brief).id)), display: work }
          const { task, ending } = await tasks.run(brief, signal)
          const outcome = textOutcome(reportOf(task.id, brief, ending))
          if (ending.status !== "completed") return { ...outcome, failed: true }
          return { ...outcome, ...(ending.text && { display: textContent(ending.text) }) }
        },
      }
    },
  })

/** What is handed over, for the user. */
function inWords({ goal, scope, expectedDeliverables }: Omit<Delegation, "background">): string {
  const more = [
    ["Scope", scope],
    ["To report", expectedDeliverables],
  ]
  return [goal, ...more.flatMap(([name, text]) => (text?.trim() ? [`${name}: ${text}`] : []))].join("\n\n")
}

function started(id: string): string {
  return `Started in the background, agent_id ${id}. Its report will come to you by itself; agent_status asks for it now.`
}
