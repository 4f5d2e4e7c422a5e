import assert from "node:assert/strict"
import { test } from "vitest"
import { userText } from "../../src/agent/message.ts"
import { runTurn } from "../../src/agent/turn.ts"
import { agentWith, fakeTool, never, scriptedModel, soon } from "../support/scripted.ts"

/** An agent whose children are these ids, until they are taken out. */
function agentHolding(...ids: string[]) {
  const children = new Set(ids)
  const model = scriptedModel({ calls: [["look", {}]] }, { text: "ok" })
  const parts = { tools: () => [fakeTool("look", () => "seen")], holding: () => [...children] }
  return { children, model, ...agentWith(model, parts) }
}

test("the next reply waits for subagents after a group of calls, until the last of them ends", async () => {
  const { agent, children, model, events } = agentHolding("a", "b")
  agent.inbox.post(userText("go"))
  const turn = runTurn(agent, never)
  await soon()
  assert.equal(model.requests.length, 1)
  for (const id of ["a", "b"]) {
    assert.equal(model.requests.length, 1)
    children.delete(id)
    agent.inbox.wake()
    await soon(5)
  }
  assert.equal(await turn, "end_turn")
  assert.deepEqual(
    events.flatMap((event) => (event.type === "waiting" ? event.tasks : [])),
    ["a", "b"],
  )
})

test("a new prompt does not wait for subagents that are at work", async () => {
  const { agent, model } = agentHolding("a")
  const stop = new AbortController()
  agent.inbox.post(userText("go"))
  const turn = runTurn(agent, stop.signal)
  await soon(5)
  assert.equal(model.requests.length, 1)
  stop.abort()
  assert.equal(await turn, "cancelled")
})

test("steering does not end the wait, and is read when it ends", async () => {
  const { agent, children, model } = agentHolding("a")
  agent.inbox.post(userText("go"))
  const turn = runTurn(agent, never)
  await soon(5)
  agent.inbox.post(userText("hurry"))
  await soon(5)
  assert.equal(model.requests.length, 1)
  children.clear()
  agent.inbox.wake()
  await turn
  assert.equal(model.requests[1]!.messages.at(-1)!.role, "user")
})
