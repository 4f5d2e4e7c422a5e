import { expect, test } from "vitest"
import { askQuestions } from "../../src/tools/ask-questions.ts"
import { checkUnderstanding } from "../../src/tools/check-understanding.ts"
import { generatePlan } from "../../src/tools/generate-plan.ts"
import type { Inquiry, Reply } from "../../src/tools/inquiry.ts"
import { answerOf, plannedFor } from "../support/workspace.ts"

function asking(reply: Reply | undefined) {
  const asked: Inquiry[] = []
  const concluded: string[] = []
  const inquire = async (inquiry: Inquiry) => {
    asked.push(inquiry)
    return reply
  }
  return { asked, concluded, inquire, conclude: (words: string) => void concluded.push(words) }
}

test("a question in the words of other agents' models is understood", async () => {
  const { asked, inquire, conclude } = asking({ type: "answered", values: { answer_1: "a, b" } })
  const tool = askQuestions(inquire, conclude)
  const input = { questions: { text: "Which?", options: '["a", "b", "a"]', multiSelect: "true" } }
  expect(await answerOf(tool, input)).toBe("Which?\n→ a, b")
  expect(asked[0]).toMatchObject({
    message: "Which?",
    fields: [{ key: "answer_1", title: "Answer", choices: ["a", "b"], several: true }, { key: "more" }],
  })
})

test("what can't be asked is refused before the user sees it", async () => {
  const { asked, inquire, conclude } = asking(undefined)
  const tool = askQuestions(inquire, conclude)
  expect(await answerOf(tool, { questions: [] })).toMatch(/^error: ask_questions: "questions": is empty/)
  expect(await answerOf(tool, { questions: [{ question: "" }] })).toMatch(/^error: .*"questions.0.question": is empty/)
  expect(asked).toEqual([])
})

test("where nobody can be asked, the words end the turn and the model knows", async () => {
  const { concluded, inquire, conclude } = asking(undefined)
  const quiz = checkUnderstanding(inquire, conclude)
  const told = "The question is put to the user as text. The answer comes with the next prompt."
  expect(await answerOf(quiz, { question: "Why?", options: ["x", "y"] })).toBe(told)
  expect(concluded).toEqual(["Why?\n- x\n- y"])
})

test("a plan is proposed in steps and in words", async () => {
  const proposed: unknown[] = []
  const tool = generatePlan((...plan) => void proposed.push(plan))
  expect(await plannedFor(tool, { plan: "# Do it", steps: ["one"] })).toMatchObject({
    title: "Propose a plan (1 step)",
  })
  expect(await answerOf(tool, { markdown: "# Do it", todos: ["one", "two"] })).toContain("has the word")
  expect(proposed).toEqual([[["one", "two"], "# Do it"]])
  expect(await answerOf(tool, { plan: " ", steps: [] })).toMatch(
    /^error: generate_plan: "plan": is empty; "steps": is empty/,
  )
})
