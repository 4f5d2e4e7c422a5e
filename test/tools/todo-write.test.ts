import { expect, test } from "vitest"
import { type PlanEntry, todoWrite } from "../../src/tools/todo-write.ts"
import { answerOf, plannedFor } from "../support/workspace.ts"

function planning() {
  const published: [readonly PlanEntry[], ...(string | undefined)[]][] = []
  return { published, tool: todoWrite((...plan) => void published.push(plan)) }
}

test("a plan is shown to the user whole, with medium priority if none is said", async () => {
  const { published, tool } = planning()
  const entries = [
    { content: "Read", status: "completed", priority: "high" },
    { content: "Write", status: "in_progress" },
  ]
  expect(await plannedFor(tool, { entries })).toEqual({
    title: "Update the plan (1 of 2 done)",
    reach: { type: "nothing" },
    locations: [],
    display: [],
  })
  expect(await answerOf(tool, { entries, explanation: "because" })).toBe("The user sees the plan now.")
  expect(published).toEqual([
    [
      [
        { content: "Read", status: "completed", priority: "high" },
        { content: "Write", status: "in_progress", priority: "medium" },
      ],
      "because",
    ],
  ])
})

test("the words of other agents' models are understood", async () => {
  const { published, tool } = planning()
  await answerOf(tool, { todos: '[{"content": "a", "status": "In Progress", "activeForm": "doing a"}]' })
  await answerOf(tool, { plan: { step: "b", status: "pending" }, explanation: null })
  expect(published).toEqual([
    [[{ content: "a", status: "in_progress", priority: "medium" }]],
    [[{ content: "b", status: "pending", priority: "medium" }]],
  ])
})

test("no entries clear the plan", async () => {
  const { published, tool } = planning()
  expect(await answerOf(tool, { entries: [] })).toBe("The plan is cleared.")
  expect(published).toEqual([[[]]])
})

test("R-098 a plan that is refused changes nothing, and the model is told why", async () => {
  const { published, tool } = planning()
  const running = { content: "a", status: "in_progress" }
  expect(await answerOf(tool, { entries: [running, running] })).toBe(
    "error: 2 entries are in_progress; work on one at a time, and leave the others pending.",
  )
  expect(
    await answerOf(tool, {
      entries: [
        { content: "a", status: "later" },
        { content: "", status: "pending" },
      ],
    }),
  ).toBe(
    'error: todo_write: "entries.0.status" must be ("pending" | "in_progress" | "completed"), not "later"; ' +
      '"entries.1.content": is empty. It takes entries (array), explanation? (string).',
  )
  expect(published).toEqual([])
})
