import { expect, test } from "vitest"
import { type Client, workshop } from "../support/client.ts"
import { scriptedModel } from "../support/scripted.ts"

const said = (client: Client, kind: string): string =>
  client
    .updates(kind)
    .map(({ content }) => content.text)
    .join("")

test("a program that embeds the agent brings a model of its own, and it is the default", async () => {
  const model = { ...scriptedModel({ text: "from the program's own model" }), id: "house-model" }
  const { session } = await workshop({ launch: { models: [{ model, name: "House" }] } })
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] })
  expect(said(client, "agent_message_chunk")).toBe("from the program's own model")
})

test("a model that was asked for and is not there is told of in the first turn", async () => {
  const { session } = await workshop({ model: "none", launch: { model: "no-such-model" } })
  const { client, sessionId } = await session()
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "!todo_write {}" }] })
  expect(said(client, "agent_thought_chunk")).toContain(
    'There is no model "no-such-model"; this session uses koda-offline',
  )
})
