import { describe, expect, test } from "vitest"
import { type Client, STANDARD, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, pausing, says as text } from "../support/replies.ts"

const plans = (client: Client) => client.updates("plan").map(({ entries }) => entries)
const medium = (content: string, status = "pending") => ({ content, status, priority: "medium" })
/** What the model was sent last, as one text. */
const lastSent = (asked: { text: string }[]) => asked.at(-1)?.text ?? ""

describe("session/set_plan", () => {
  test("R-090 R-091 R-092 R-099 replaces the plan whole, pending where nothing is said, and tells it in an update", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    const entries = [{ content: "Study the router" }, { content: "Mend it", status: "in_progress" }]

    expect(await client.request("session/set_plan", { sessionId, entries, explanation: "in this order" })).toEqual({})
    expect(await client.request("session/set_plan", { sessionId, entries: [{ content: "Only this" }] })).toEqual({})

    expect(client.updates("plan")).toEqual([
      {
        sessionUpdate: "plan",
        entries: [medium("Study the router"), medium("Mend it", "in_progress")],
        explanation: "in this order",
        _meta: { "com.kodadev.explanation": "in this order" },
      },
      { sessionUpdate: "plan", entries: [medium("Only this")] },
    ])
  })

  test("a client of the standard finds the explanation in _meta alone", async () => {
    const { session } = await workshop({ launch: { dialect: "standard" } })
    const { client, sessionId } = await session(STANDARD)
    await client.request("session/set_plan", { sessionId, entries: [{ content: "a" }], explanation: "why" })
    expect(client.updates("plan")).toEqual([
      { sessionUpdate: "plan", entries: [medium("a")], _meta: { "com.kodadev.explanation": "why" } },
    ])
  })

  test("R-093 R-094 no entries cancel a plan that is half done, and the mode stays as it is", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    await client.request("session/set_mode", { sessionId, modeId: "plan" })
    const entries = [
      { content: "a", status: "completed" },
      { content: "b", status: "in_progress" },
    ]
    await client.request("session/set_plan", { sessionId, entries })
    await client.request("session/set_plan", { sessionId, entries: [] })

    expect(plans(client).at(-1)).toEqual([])
    expect(client.updates("current_mode_update")).toHaveLength(1)
  })

  test("R-095 does not wait for the turn that runs, and the model hears of it at its next step", async () => {
    const { session, provider } = await workshop({ files: { "a.txt": "one" } })
    const goOn = Promise.withResolvers<void>()
    const { steps = [] } = calls({ name: "read_file", input: { path: "a.txt" } })
    provider.script({ steps: [goOn.promise, ...steps] }, says("I stop."))
    const { client, sessionId } = await session()
    await client.request("session/set_plan", { sessionId, entries: [{ content: "Rewrite it all" }] })
    const answer = client.request("session/prompt", { sessionId, prompt: text("go") })
    while (provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))

    await client.request("session/set_plan", { sessionId, entries: [] })
    expect(lastSent(provider.asked)).toContain("Rewrite it all")
    goOn.resolve()
    await answer

    expect(provider.asked).toHaveLength(2)
    expect(lastSent(provider.asked)).toContain("The user has cancelled the plan")
    expect(client.updates("user_message_chunk")).toEqual([]) // hidden
  })

  test("the latest of several edits reaches the model with the next prompt, and none is a request of its own", async () => {
    const { session, provider } = await workshop()
    provider.script(pausing("well", Promise.resolve()))
    const { client, sessionId } = await session()
    for (const content of ["first", "second", "third"])
      await client.request("session/set_plan", { sessionId, entries: [{ content, status: "in_progress" }] })
    await client.request("session/prompt", { sessionId, prompt: text("go") })

    expect(provider.asked).toHaveLength(1)
    expect(lastSent(provider.asked)).toContain("[>] third")
    expect(lastSent(provider.asked)).not.toContain("second")
  })

  test.for([
    ["R-096 a step without text", [{ content: "  " }]],
    ["R-096 a step without content", [{ status: "pending" }]],
    [
      "R-097 two steps in progress",
      [
        { content: "a", status: "in_progress" },
        { content: "b", status: "in_progress" },
      ],
    ],
    ["an unknown status", [{ content: "a", status: "later" }]],
    ["no list", undefined],
  ] as const)("R-098 %s is refused, and the plan stays", async ([, entries]) => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    await client.request("session/set_plan", { sessionId, entries: [{ content: "good" }] })

    expect(await client.answerTo("session/set_plan", { sessionId, entries })).toMatchObject({
      error: { code: -32602, data: { reason: "invalid_params", details: expect.stringContaining("entries") } },
    })
    expect(plans(client)).toEqual([[medium("good")]])
  })

  test("todo_write publishes in the same way", async () => {
    const { session, provider } = await workshop()
    provider.script(
      calls({ name: "todo_write", input: { entries: [{ content: "a", status: "pending" }] } }),
      says("done"),
    )
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("plan it") })
    expect(plans(client)).toEqual([[medium("a")]])
  })
})
