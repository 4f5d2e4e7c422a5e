import * as v from "valibot"
import { type Tool, textOutcome } from "../agent/tool.ts"
import { defineTool } from "./define.ts"
import { asText, type Conclude, type Field, type Inquire, UNANSWERED } from "./inquiry.ts"

const QUESTION = v.object({
  question: v.pipe(v.string(), v.nonEmpty("is empty")),
  choices: v.optional(v.array(v.pipe(v.string(), v.nonEmpty("is empty")))),
  multiple: v.optional(v.boolean()),
})

/** Asks the user what only the user can say. */
export const askQuestions = (inquire: Inquire, conclude: Conclude): Tool =>
  defineTool({
    name: "ask_questions",
    kind: "think",
    alone: true,
    description:
      "Asks the user what only the user can decide, when you cannot go on without it. Ask few questions, all at once; " +
      "give short choices where there are some.",
    input: v.object({ questions: v.pipe(v.array(QUESTION), v.minLength(1, "is empty")) }),
    spellings: { question_text: "question", text: "question", options: "choices", multiSelect: "multiple" },
    prepare({ questions }) {
      const [first] = questions as [v.InferOutput<typeof QUESTION>]
      const single = questions.length === 1
      const message = single ? first.question : `There are ${questions.length} questions`
      const fields = questions.map(({ question, choices = [], multiple }, at): Field => {
        return {
          key: `answer_${at + 1}`,
          title: single ? "Answer" : question,
          ...(choices.length > 0 && { choices: [...new Set(choices)] }),
          ...(choices.length > 0 && multiple && { several: true }),
        }
      })
      const isFree = fields.every(({ choices }) => !choices)
      return {
        title: single ? first.question : `Ask ${questions.length} questions`,
        reach: { type: "nothing" },
        async run({ call, signal }) {
          const more: Field = { key: "more", title: "Anything else", optional: true }
          const reply = await inquire({ call, message, fields: isFree ? fields : [...fields, more] }, signal)
          if (!reply) {
            conclude(asText(questions))
            return textOutcome(UNANSWERED.put)
          }
          if (reply.type !== "answered") return textOutcome(UNANSWERED[reply.type])
          const { values } = reply
          const answers = questions.map(({ question }, at) => {
            return `${question}\n→ ${values[`answer_${at + 1}`] ?? "(no answer)"}`
          })
          return textOutcome([...answers, ...(values["more"] ? [`The user adds: ${values["more"]}`] : [])].join("\n\n"))
        },
      }
    },
  })
