import * as v from "valibot"
import type { PlanEntry } from "../../session/plan.ts"
import type { Methods } from "../connection.ts"
import { OF_SESSION, parse } from "../params.ts"
import { ofSession } from "./of-session.ts"

const ENTRY = v.looseObject({
  content: v.pipe(v.string(), v.regex(/\S/, "is empty")),
  status: v.nullish(v.picklist(["pending", "in_progress", "completed"])),
  priority: v.nullish(v.picklist(["high", "medium", "low"])),
})
const SET_PLAN = v.looseObject({
  ...OF_SESSION.entries,
  entries: v.pipe(
    v.array(ENTRY),
    v.check(
      (entries) => entries.filter(({ status }) => status === "in_progress").length <= 1,
      "more than one is in_progress",
    ),
  ),
  explanation: v.nullish(v.string()),
})

export const PLAN_METHODS: Methods = {
  "session/set_plan": async (call) => {
    const session = await ofSession(call)
    const { entries, explanation } = parse(SET_PLAN, call.params)
    session.revise({
      entries: entries.map(({ content, status, priority }): PlanEntry => {
        return { content, status: status ?? "pending", priority: priority ?? "medium" }
      }),
      ...(explanation && { explanation }),
    })
    return {}
  },
}
