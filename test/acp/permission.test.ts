import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Handler, type Loose, unanswered, type WorkshopOptions, workshop } from "../support/client.ts"
import { type Script, says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

const EDIT = { path: "a.txt", old_string: "old", new_string: "new" }
const WRITE = calls({ name: "replace", input: EDIT })
const REMOVE = calls({ name: "run_shell_command", input: { command: "rm a.txt" } })
const OLD = { files: { "a.txt": "old\n" } }

const chooses = (optionId?: string) => ({ outcome: { outcome: "selected", ...(optionId && { optionId }) } })
const CANCELLED = { outcome: { outcome: "cancelled" } }

/** A session in which the model does this, and the user answers so. */
async function asking(answer: Handler, scripts: Script[], options: WorkshopOptions = OLD) {
  const place = await workshop(options)
  place.provider.script(...scripts)
  const { client, sessionId } = await place.session()
  client.on("session/request_permission", answer)
  const from = client.story.length
  return {
    ...place,
    client,
    sessionId,
    prompt: (words = "go") => client.request("session/prompt", { sessionId, prompt: text(words) }),
    /** What the user saw since the session was there. */
    story: () => client.story.slice(from),
    file: (name = "a.txt") => readFile(join(place.cwd, name), "utf8").catch(() => undefined),
    /** What the model was told of its calls. */
    told: () => {
      const messages = place.provider.asked.at(-1)!.body["messages"] as Loose[]
      return messages.filter(({ role }) => role === "tool").map(({ content }) => content as string)
    },
  }
}

test("R-119 R-120 R-123 the card is there, then the question, then the work", async () => {
  const { prompt, story, file } = await asking(() => chooses("proceed_once"), [WRITE, says("done")])

  expect(await prompt()).toMatchObject({ stopReason: "end_turn" })

  expect(story()).toEqual([
    "→ session/prompt",
    "· session_info_update",
    "· tool_call pending: Edit a.txt",
    "⇠ session/request_permission",
    "· tool_call_update call-1 in_progress",
    "· tool_call_update call-1 completed",
    "· agent_message_chunk done",
    "← session/prompt end_turn",
  ])
  expect(await file()).toBe("new\n")
})

test("R-120 R-121 R-122 PE-12 the question about an edit shows the whole change, with options of one kind each", async () => {
  const { prompt, client, cwd, sessionId } = await asking(() => chooses("cancel"), [WRITE, says("done")])
  await prompt()

  expect(client.asked("session/request_permission")).toEqual([
    {
      sessionId,
      toolCall: {
        toolCallId: "call-1",
        status: "pending",
        title: "Edit a.txt",
        kind: "edit",
        locations: [{ path: `${cwd}/a.txt`, line: 1 }],
        content: [{ type: "diff", path: `${cwd}/a.txt`, oldText: "old\n", newText: "new\n" }],
        rawInput: EDIT,
      },
      options: [
        { optionId: "proceed_always", name: "Allow all edits in this session", kind: "allow_always" },
        { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
        { optionId: "cancel", name: "Reject", kind: "reject_once" },
      ],
    },
  ])
})

test("JR-04 of very big arguments the beginning is shown, and all of it written", async () => {
  const content = "y".repeat(1_000_000)
  const write = calls({ name: "write_file", input: { path: "b.txt", content } })
  const { prompt, client, file } = await asking(() => chooses("proceed_once"), [write, says("done")])
  await prompt()
  const shown = { path: "b.txt", content: `${"y".repeat(1000)}… [999,000 more characters]` }
  const [{ toolCall }] = client.asked("session/request_permission") as [Loose]
  expect([toolCall.rawInput, client.updates("tool_call")[0].rawInput]).toEqual([shown, shown])
  expect(await file("b.txt")).toBe(content)
})

test("PE-12 the question about a command has the command for a title, and in full within", async () => {
  const command = "touch b.txt && rm a.txt"
  const { prompt, client } = await asking(
    () => CANCELLED,
    [calls({ name: "run_shell_command", input: { command, description: "Tidies up" } }), says("done")],
  )
  await prompt()
  const [{ toolCall, options }] = client.asked("session/request_permission") as [Loose]
  expect(toolCall).toMatchObject({ title: `\`${command}\``, kind: "execute", rawInput: { command } })
  expect(toolCall.content).toEqual([
    { type: "content", content: { type: "text", text: "Tidies up" } },
    { type: "content", content: { type: "text", text: `\`\`\`sh\n${command}\n\`\`\`` } },
  ])
  expect(options.map(({ kind }: Loose) => kind)).toEqual(["allow_once", "reject_once"])
})

test("PE-12 the question says what the call does not show: that it leaves the workspace", async () => {
  const read = calls({ name: "read_file", input: { path: "/etc/hostname" } })
  const { prompt, client } = await asking(() => CANCELLED, [read, says("done")])
  await prompt()
  const [{ toolCall }] = client.asked("session/request_permission") as [Loose]
  expect(toolCall.content).toEqual([
    { type: "content", content: { type: "text", text: "It reads outside the workspace: /etc/hostname" } },
  ])
})

describe("R-124 R-128 PE-11 PE-13 an answer that does not allow it", () => {
  test.for<[string, Handler]>([
    ["a no", () => chooses("cancel")],
    ["a dialog that was closed", () => CANCELLED],
    ["an option that was not offered", () => chooses("maybe")],
    ["a name that every object has", () => chooses("constructor")],
    ["another such name", () => chooses("__proto__")],
    ["a choice of nothing", () => chooses()],
    ["reject_once, by its kind", () => chooses("reject_once")],
    ["no answer of any shape", () => ({ yes: true })],
    ["nothing", () => null],
    ["an error", () => Promise.reject(new Error("no dialogs here"))],
  ])("%s: the tool is not run, the model told, and the turn goes on", async ([, answer]) => {
    const { prompt, file, told, client } = await asking(answer, [WRITE, says("Then not.")])

    expect(await prompt()).toMatchObject({ stopReason: "end_turn" })

    expect(await file()).toBe("old\n")
    expect(told()[0]).toMatch(/^The user declined this call\./)
    const ends = client.updates("tool_call_update")
    expect(ends.map(({ status }) => status)).toEqual(["failed"])
    expect(ends[0].content.at(-1).content.text).toBe("You declined this.")
  })

  test("a client that knows no questions at all", async () => {
    const { session, provider, cwd } = await workshop(OLD)
    provider.script(WRITE, says("Then not."))
    const { client, sessionId } = await session()
    expect(await client.request("session/prompt", { sessionId, prompt: text("go") })).toMatchObject({
      stopReason: "end_turn",
    })
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("old\n")
  })
})

test.for(["allow_once", "allow_always"])("PE-11 the standard's kind %s is understood for an id", async (kind) => {
  const { prompt, file } = await asking(() => chooses(kind), [WRITE, says("done")])
  await prompt()
  expect(await file()).toBe("new\n")
})

test("PE-13 MS-15 one no of three calls stops that one: questions come one at a time", async () => {
  let asked = 0
  let open = 0
  let most = 0
  const write = (id: string) => ({ id, name: "write_file", input: { path: `${id}.txt`, content: id } })
  const { prompt, file, told } = await asking(
    async ({ toolCall }) => {
      asked++
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve))
      open--
      return chooses(toolCall.toolCallId === "c" ? "cancel" : "proceed_once")
    },
    [calls(write("b"), write("c"), write("d")), says("done")],
  )
  expect(await prompt()).toMatchObject({ stopReason: "end_turn" })
  expect([asked, most]).toEqual([3, 1])
  expect(await Promise.all(["b.txt", "c.txt", "d.txt"].map((name) => file(name)))).toEqual(["b", undefined, "d"])
  expect(told().map((words) => /declined/.test(words))).toEqual([false, true, false])
})

describe("R-125 PE-10 always", () => {
  test("of an edit covers the edits of this session, and of no other", async () => {
    const { prompt, client, provider, cwd } = await asking(
      () => chooses("proceed_always"),
      [
        WRITE,
        calls({ id: "c2", name: "replace", input: { path: "a.txt", old_string: "new", new_string: "newer" } }),
        says("done"),
      ],
    )
    await prompt()
    expect(client.asked("session/request_permission").length).toBe(1)

    provider.script(calls({ id: "c3", name: "write_file", input: { path: "b.txt", content: "" } }), says("done"))
    const { sessionId } = await client.request("session/new", { cwd })
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    expect(client.asked("session/request_permission").length).toBe(2)
  })

  test("of a command covers that command, and no edit", async () => {
    const run = (id: string, command: string) => calls({ id, name: "run_shell_command", input: { command } })
    const { prompt, client } = await asking(
      () => chooses("proceed_always"),
      [run("c1", "git add a.txt"), run("c2", "git add b.txt"), run("c3", "git commit -m x"), WRITE, says("done")],
    )
    await prompt()
    const asked = client.asked("session/request_permission") as Loose[]
    expect(asked.map(({ toolCall, options }) => [toolCall.title, options[0].name])).toEqual([
      ["`git add a.txt`", "Always allow `git add` in this session"],
      ["`git commit -m x`", "Always allow `git commit` in this session"],
      ["Edit a.txt", "Allow all edits in this session"],
    ])
  })
})

describe("PE-14 turning a dial while a question is open", () => {
  const turning = async (configId: string, value: string) => {
    const place = await asking(() => unanswered, [WRITE, says("done")])
    const turn = place.prompt()
    await place.client.until("⇠ session/request_permission")
    await place.client.request("session/set_config_option", { sessionId: place.sessionId, configId, value })
    return { ...place, answer: await turn }
  }

  test("to a policy that allows it runs it, and withdraws the question", async () => {
    const { answer, file, story, client } = await turning("access_policy", "auto_edit")
    expect(answer.stopReason).toBe("end_turn")
    expect(await file()).toBe("new\n")
    expect(story()).toContain("· $/cancel_request")
    const question = client.received.find(({ method }) => method === "session/request_permission")
    const withdrawn = client.received.find(({ method }) => method === "$/cancel_request")
    expect(withdrawn?.params).toEqual({ requestId: question?.id })
  })

  test.for([
    ["access_policy", "read_only"],
    ["mode", "plan"],
  ] as const)("%s to %s refuses it, and withdraws the question", async ([configId, value]) => {
    const { answer, file, story, told } = await turning(configId, value)
    expect(answer.stopReason).toBe("end_turn")
    expect(await file()).toBe("old\n")
    expect(story()).toContain("· $/cancel_request")
    expect(told()[0]).toMatch(/replace is not allowed/)
  })

  test("to one that asks as before leaves it open", async () => {
    const answer = Promise.withResolvers<object>()
    const place = await asking(() => answer.promise, [WRITE, says("done")])
    const turn = place.prompt()
    await place.client.until("⇠ session/request_permission")
    await place.client.request("session/set_mode", { sessionId: place.sessionId, modeId: "debug" })
    answer.resolve(chooses("proceed_once"))
    await turn
    expect(await place.file()).toBe("new\n")
    expect(place.story()).not.toContain("· $/cancel_request")
  })
})

describe("CX-04 cancelling while a question is open", () => {
  test.for([
    ["the client answers that it was cancelled", CANCELLED],
    ["the client never answers", undefined],
    ["the client allows it all the same, too late", chooses("proceed_once")],
  ] as const)("%s: the turn is cancelled and nothing is touched", async ([, late]) => {
    const answer = Promise.withResolvers<object>()
    const { client, sessionId, prompt, story, file } = await asking(() => answer.promise, [WRITE, says("Next.")])
    const turn = prompt()
    await client.until("⇠ session/request_permission")

    client.notify("session/cancel", { sessionId })
    if (late === CANCELLED) answer.resolve(late)
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
    if (late) answer.resolve(late)

    expect(story().slice(-4)).toEqual([
      "→ session/cancel",
      "· $/cancel_request",
      "· tool_call_update call-1 failed",
      "← session/prompt cancelled",
    ])
    expect(await prompt()).toMatchObject({ stopReason: "end_turn" }) // the session goes on
    expect(await file()).toBe("old\n")
  })
})

test("with nobody left to ask, what would be asked is refused", async () => {
  const { client, prompt, file } = await asking(() => unanswered, [WRITE, says("done")])
  prompt().catch(() => {})
  await client.until("⇠ session/request_permission")
  await client.hangUp()
  expect(await file()).toBe("old\n")
})

test("what reads runs without a question", async () => {
  const { prompt, client } = await asking(
    () => unanswered,
    [
      calls(
        { id: "c1", name: "read_file", input: { path: "a.txt" } },
        { id: "c2", name: "run_shell_command", input: { command: "cat a.txt | wc -l" } },
      ),
      says("done"),
    ],
  )
  expect(await prompt()).toMatchObject({ stopReason: "end_turn" })
  expect(client.asked("session/request_permission")).toEqual([])
})

test("a command that was not allowed is not run", async () => {
  const { prompt, file } = await asking(() => CANCELLED, [REMOVE, says("done")])
  await prompt()
  expect(await file()).toBe("old\n")
})
