import * as v from "valibot"
import { textContent } from "../agent/message.ts"
import type { Peer } from "../jsonrpc/peer.ts"
import type { Answer, Ask, Question } from "../permission/gate.ts"
import { shownInput, toToolContent } from "./content.ts"

const ANSWER = v.looseObject({
  outcome: v.looseObject({ outcome: v.string(), optionId: v.nullish(v.string()) }),
})

/** Option ids of the specification, and the standard's kinds, which some clients send instead. */
const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  ["proceed_once", "once"],
  ["allow_once", "once"],
  ["proceed_always", "always"],
  ["allow_always", "always"],
])

/** Asks the user of one client. A closed dialog, an error and an answer we did not offer are a no. */
export function askThrough(peer: Peer, sessionId: string): Ask {
  return async (question, signal) => {
    const params = { sessionId, toolCall: toolCallOf(question), options: optionsOf(question) }
    const answer = await peer.request("session/request_permission", params, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      return { outcome: { outcome: "cancelled" }, error }
    })
    const { success, output } = v.safeParse(ANSWER, answer)
    if (!success || output.outcome.outcome !== "selected") return "no"
    const chosen = ANSWERS.get(output.outcome.optionId ?? "") ?? "no"
    return chosen === "always" && question.remember === null ? "once" : chosen
  }
}

function toolCallOf({ call, tool, action, who, warning }: Question): object {
  return {
    toolCallId: call.id,
    status: "pending",
    title: who ? `${who}: ${action.title}` : action.title,
    kind: tool.kind,
    locations: action.locations,
    // Behind what is shown: some clients look at the first item alone.
    content: toToolContent([...action.display, ...(warning === undefined ? [] : textContent(warning))]),
    rawInput: shownInput(call.input),
  }
}

/** One of each kind, as clients choose by it. */
function optionsOf({ remember }: Question): object[] {
  return [
    ...(remember === null ? [] : [{ optionId: "proceed_always", name: remember, kind: "allow_always" }]),
    { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
    { optionId: "cancel", name: "Reject", kind: "reject_once" },
  ]
}
