import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { defineTool } from "./define.ts"
import { asText, type Conclude, type Inquire, UNANSWERED } from "./inquiry.ts"

/** Lets the user try what was explained. The right answer is not told with the call, which the user can see. */
export const checkUnderstanding = (inquire: Inquire, conclude: Conclude): Tool =>
  defineTool({
    name: "check_understanding",
    kind: "think",
    alone: true,
    description:
      "Asks the user one question about what you have just explained, with choices or without. Then say whether the " +
      "answer is right, and why.",
    input: v.object({
      question: v.pipe(v.string(), v.nonEmpty("is empty")),
      choices: v.optional(v.array(v.pipe(v.string(), v.nonEmpty("is empty")))),
    }),
    spellings: { options: "choices", text: "question" },
    prepare({ question, choices = [] }) {
      return {
        title: question,
        reach: { type: "nothing" },
        async run({ call, signal }) {
          const field = {
            key: "answer",
            title: "Answer",
            ...(choices.length > 0 && { choices: [...new Set(choices)] }),
          }
          const reply = await inquire({ call, message: question, fields: [field] }, signal)
          if (!reply) {
            conclude(asText([{ question, choices }]))
            return textOutcome(UNANSWERED.put)
          }
          if (reply.type !== "answered") return textOutcome(UNANSWERED[reply.type])
          return textOutcome(`The user answered: ${reply.values["answer"] ?? "(nothing)"}`)
        },
      }
    },
  })
