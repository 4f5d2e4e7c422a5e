import { expect, test } from "vitest"
import { STANDARD, workshop } from "../support/client.ts"
import { says as text } from "../support/replies.ts"

test("R-013 without any key or server a prompt is answered all the same: by looking, and saying so", async () => {
  const { session, provider } = await workshop({ model: "none", files: { "README.md": "# Parser\nParses.\n" } })
  const { client, sessionId } = await session(STANDARD)

  const answer = await client.request("session/prompt", { sessionId, prompt: text("What is this project?") })

  const said = client.updates("agent_message_chunk").map(({ content }) => content.text)
  const cards = client.updates("tool_call").map(({ kind }) => kind)
  expect(answer.stopReason).toBe("end_turn")
  expect(said.join("")).toMatch(/README\.md/)
  expect(said.join("")).toMatch(/koda login/)
  expect(cards.every((kind) => kind === "read" || kind === "search")).toBe(true)
  expect(provider.asked).toEqual([])
})

test("a line of the prompt may call a tool: whoever builds a client can show every card without a key", async () => {
  const { session } = await workshop({ model: "none", files: { "a.txt": "old" } })
  const { client, sessionId } = await session()
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "cancel" } }))
  const line = '!write_file {"path": "b.txt", "content": "new"}'

  await client.request("session/prompt", { sessionId, prompt: text(line) })

  const [question] = client.asked("session/request_permission") as [{ toolCall: { content: object[] } }]
  expect(question.toolCall.content).toMatchObject([{ type: "diff", oldText: null, newText: "new" }])
  expect(client.updates("tool_call_update").map(({ status }) => status)).toEqual(["failed"])
})
