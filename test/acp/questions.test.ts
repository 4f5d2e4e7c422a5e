import { describe, expect, test } from "vitest"
import { type Client, type Loose, unanswered, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const FORMS = { capabilities: { elicitation: { form: {} } } }
const COLOUR = { question: "Which colour?", choices: ["red", "green", "blue"] }
const ask = (...questions: object[]) => calls({ name: "ask_questions", input: { questions } })
/** What the model read of its last call. */
const resultOf = (asked: { body: Loose }[]) =>
  asked.at(-1)?.body.messages.findLast(({ role }: Loose) => role === "tool")?.content as string
const toolsOf = (asked: { body: Loose }[]) =>
  asked.at(-1)?.body.tools.map(({ function: f }: Loose) => f.name) as string[]
const since = (client: Client, from: number) => client.story.slice(from)

describe("PC-05 ask_questions of a client with forms", () => {
  test("is put as a form, and the answers reach the model", async () => {
    const { session, provider } = await workshop()
    const name = { question: "What is it called?" }
    provider.script(ask(COLOUR, name, { ...COLOUR, question: "Which others?", multiple: true }), says("Thanks."))
    const { client, sessionId } = await session(FORMS)
    client.on("elicitation/create", () => ({
      action: "accept",
      content: { answer_1: "red", answer_2: " Bob ", answer_3: ["green", "blue"], more: "be quick", extra: 7 },
    }))

    await client.request("session/prompt", { sessionId, prompt: text("paint") })

    expect(client.asked("elicitation/create")).toEqual([
      {
        sessionId,
        mode: "form",
        toolCallId: "call-1",
        message: "There are 3 questions",
        requestedSchema: {
          type: "object",
          properties: {
            answer_1: { type: "string", title: "Which colour?", enum: ["red", "green", "blue"] },
            answer_2: { type: "string", title: "What is it called?" },
            answer_3: {
              type: "array",
              title: "Which others?",
              items: { type: "string", enum: ["red", "green", "blue"] },
            },
            more: { type: "string", title: "Anything else" },
          },
          required: ["answer_1", "answer_2", "answer_3"],
        },
      },
    ])
    expect(resultOf(provider.asked)).toBe(
      "Which colour?\n→ red\n\nWhat is it called?\n→ Bob\n\nWhich others?\n→ green, blue\n\nThe user adds: be quick",
    )
    expect(client.asked("session/request_permission")).toEqual([])
  })

  test.for([
    ["declined", { action: "decline" }, "does not want to answer"],
    ["cancelled", { action: "cancel" }, "closed the question"],
    ["left empty", { action: "accept" }, "→ (no answer)"],
  ] as const)("one that is %s is told to the model, and the turn goes on", async ([, answer, words]) => {
    const { session, provider } = await workshop()
    provider.script(ask(COLOUR), says("Then I choose."))
    const { client, sessionId } = await session(FORMS)
    client.on("elicitation/create", () => answer)
    const { stopReason } = await client.request("session/prompt", { sessionId, prompt: text("paint") })
    expect(stopReason).toBe("end_turn")
    expect(resultOf(provider.asked)).toContain(words)
  })

  test("one that is never answered ends with the turn, and is withdrawn", async () => {
    const { session, provider } = await workshop()
    provider.script(ask(COLOUR))
    const { client, sessionId } = await session(FORMS)
    client.on("elicitation/create", () => unanswered)
    const answer = client.request("session/prompt", { sessionId, prompt: text("paint") })
    await client.until("⇠ elicitation/create")
    client.notify("session/cancel", { sessionId })
    expect(await answer).toMatchObject({ stopReason: "cancelled" })
    expect(client.story).toContain("· $/cancel_request")
    expect(client.updates("tool_call_update").at(-1)).toMatchObject({ toolCallId: "call-1", status: "failed" })
  })

  test("a client that fails at it gets the question as text", async () => {
    const { session, provider } = await workshop()
    provider.script(ask({ question: "What is it called?" }))
    const { client, sessionId } = await session(FORMS)
    await client.request("session/prompt", { sessionId, prompt: text("paint") })
    expect(client.story).toContain("· agent_message_chunk What is it called?")
  })
})

describe("PC-05 ask_questions of a client without forms", () => {
  test.for([
    [2, ["allow_once", "reject_once"]],
    [3, ["allow_once", "allow_always", "reject_once"]],
    [4, ["allow_once", "allow_always", "reject_once", "reject_always"]],
  ] as const)("one question with %i choices is put as buttons, one of each kind", async ([count, kinds]) => {
    const { session, provider } = await workshop()
    const choices = ["red", "green", "blue", "grey"].slice(0, count)
    provider.script(ask({ question: "Which colour?", choices }), says("Fine."))
    const { client, sessionId } = await session()
    client.on("session/request_permission", ({ options }) => {
      return { outcome: { outcome: "selected", optionId: options[1].optionId } }
    })
    await client.request("session/prompt", { sessionId, prompt: text("paint") })

    const [{ options, toolCall }] = client.asked("session/request_permission")
    expect(options.map(({ name }: Loose) => name)).toEqual(choices)
    expect(options.map(({ kind }: Loose) => kind)).toEqual(kinds)
    expect(toolCall).toMatchObject({ toolCallId: "call-1", title: "Which colour?" })
    expect(resultOf(provider.asked)).toBe("Which colour?\n→ green")
  })

  test.for([
    ["five choices", [{ question: "Which?", choices: ["a", "b", "c", "d", "e"] }], "Which?\n- a\n- b\n- c\n- d\n- e"],
    ["a free answer", [{ question: "What is it called?" }], "What is it called?"],
    ["several of some", [{ ...COLOUR, multiple: true }], "Which colour?\n- red\n- green\n- blue"],
    ["two questions", [COLOUR, { question: "Why?" }], "1. Which colour?\n   - red\n   - green\n   - blue\n\n2. Why?"],
  ] as const)("%s: the question is put as text, and the turn ends", async ([, questions, words]) => {
    const { session, provider } = await workshop()
    provider.script(ask(...questions))
    const { client, sessionId } = await session()
    const from = client.story.length

    const { stopReason } = await client.request("session/prompt", { sessionId, prompt: text("paint") })

    expect(stopReason).toBe("end_turn")
    expect(provider.asked).toHaveLength(1)
    expect(client.updates("agent_message_chunk").map(({ content }) => content.text)).toEqual([words])
    expect(since(client, from).at(-2)).toBe(`· agent_message_chunk ${words}`)
    expect(client.updates("tool_call_update").at(-1)).toMatchObject({ status: "completed" })
  })

  test("the answer comes with the next prompt, and the model reads its question before it", async () => {
    const { session, provider } = await workshop()
    provider.script(ask({ question: "What is it called?" }), says("Bob it is."))
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("paint") })
    await client.request("session/prompt", { sessionId, prompt: text("Bob") })
    const roles = provider.asked.at(-1)?.body["messages"] as Loose[]
    expect(roles.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"])
  })
})

describe("check_understanding", () => {
  test("is offered in educator mode alone, and asks one question", async () => {
    const { session, provider } = await workshop()
    provider.script(
      says("hi"),
      calls({
        name: "check_understanding",
        input: { question: "What does map return?", choices: ["a list", "a number"] },
      }),
      says("Right!"),
    )
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "choice_1" } }))
    await client.request("session/prompt", { sessionId, prompt: text("hi") })
    expect(toolsOf(provider.asked)).not.toContain("check_understanding")
    expect(toolsOf(provider.asked)).toContain("ask_questions")

    await client.request("session/set_mode", { sessionId, modeId: "educator" })
    await client.request("session/prompt", { sessionId, prompt: text("teach me") })
    expect(toolsOf(provider.asked)).toContain("check_understanding")
    expect(resultOf(provider.asked)).toBe("The user answered: a list")
  })
})

describe("generate_plan", () => {
  const PLAN = { plan: "## The plan\nWrite `b.txt`.", steps: ["Write b.txt", "Check it"] }
  const propose = calls({ name: "generate_plan", input: PLAN })
  const yes = () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } })

  test("is offered in plan mode alone", async () => {
    const { session, provider } = await workshop()
    provider.script(says("hi"))
    const { client, sessionId } = await session()
    for (const modeId of ["code", "ask", "debug", "educator", "plan"]) {
      await client.request("session/set_mode", { sessionId, modeId })
      await client.request("session/prompt", { sessionId, prompt: text("hi") })
      expect([modeId, toolsOf(provider.asked).includes("generate_plan")]).toEqual([modeId, modeId === "plan"])
    }
  })

  test("shows the plan and asks; accepted, the same turn goes on in code mode", async () => {
    const { session, provider } = await workshop({ launch: { mode: "plan", policy: "yolo" } })
    provider.script(
      propose,
      calls({ id: "w", name: "write_file", input: { path: "b.txt", content: "x" } }),
      says("Done."),
    )
    const { client, sessionId } = await session()
    client.on("session/request_permission", yes)
    const from = client.story.length

    const { stopReason } = await client.request("session/prompt", { sessionId, prompt: text("plan it") })

    expect(stopReason).toBe("end_turn")
    expect(since(client, from).map((line) => line.replace(/[0-9a-f-]{36}/, "ID"))).toEqual([
      "→ session/prompt",
      "· session_info_update",
      "· tool_call pending: Propose a plan (2 steps)",
      "· tool_call_update call-1 in_progress",
      "· plan",
      "· tool_call_update call-1 completed",
      "· agent_message_chunk ## The plan\nWrite `b.txt`.",
      "· tool_call pending: Carry out this plan?",
      "⇠ session/request_permission",
      "· tool_call_update ID completed",
      "· current_mode_update",
      "· config_option_update",
      "· tool_call pending: Create b.txt",
      "· tool_call_update w in_progress",
      "· tool_call_update w completed",
      "· agent_message_chunk Done.",
      "← session/prompt end_turn",
    ])
    expect(client.updates("plan")[0].entries).toEqual(
      PLAN.steps.map((content) => ({ content, status: "pending", priority: "medium" })),
    )
    const [{ options }] = client.asked("session/request_permission")
    expect(options.map(({ name }: Loose) => name)).toEqual(["Implement", "Keep planning"])
    expect(client.updates("current_mode_update")).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "code" },
    ])
  })

  test.for([
    ["declined", { outcome: { outcome: "selected", optionId: "cancel" } }],
    ["closed", { outcome: { outcome: "cancelled" } }],
  ] as const)("%s, the turn ends, in plan mode", async ([, answer]) => {
    const { session, provider } = await workshop({ launch: { mode: "plan" } })
    provider.script(propose)
    const { client, sessionId } = await session(FORMS)
    client.on("session/request_permission", () => answer)
    expect(await client.request("session/prompt", { sessionId, prompt: text("plan it") })).toMatchObject({
      stopReason: "end_turn",
    })
    expect(provider.asked).toHaveLength(1)
    expect(client.updates("current_mode_update")).toEqual([])
  })

  test("cancelled while the user thinks, the turn is cancelled, and nobody is asked later", async () => {
    const { session, provider } = await workshop({ launch: { mode: "plan" } })
    provider.script(propose, says("hi"))
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => unanswered)
    const answer = client.request("session/prompt", { sessionId, prompt: text("plan it") })
    await client.until("⇠ session/request_permission")
    client.notify("session/cancel", { sessionId })
    expect(await answer).toMatchObject({ stopReason: "cancelled" })
    await client.request("session/prompt", { sessionId, prompt: text("hi") })
    expect(client.asked("session/request_permission")).toHaveLength(1)
  })

  test("the plan's words are replayed where they were said", async () => {
    const store = await temporaryFolder()
    const place = await workshop({ launch: { mode: "plan" }, env: { KODA_ACP_SESSION_STORE_DIR: store } })
    place.provider.script(propose, says("Done."))
    const { client, sessionId } = await place.session()
    client.on("session/request_permission", yes)
    await client.request("session/prompt", { sessionId, prompt: text("plan it") })

    const other = await place.client()
    await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
    expect(other.updates("agent_message_chunk").map(({ content }) => content.text)).toEqual([PLAN.plan, "Done."])
    expect(other.updates("user_message_chunk").map(({ content }) => content.text)).toEqual(["plan it"])
  })
})
