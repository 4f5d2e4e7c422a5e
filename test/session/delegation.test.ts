import { describe, expect, onTestFinished, test, vi } from "vitest"
import type { Answer, Question } from "../../src/permission/gate.ts"
import { RESEARCH_TOOLS } from "../../src/subagents/settings.ts"
import type { Tasks } from "../../src/subagents/tasks.ts"
import { delegatedTools } from "../../src/tools/catalog.ts"
import type { Sieve } from "../../src/workspace/ripgrep.ts"
import type { Workspace } from "../../src/workspace/workspace.ts"
import { fakeTool, type Reply, soon } from "../support/scripted.ts"
import { delegate, family, research, sessionWith } from "../support/sessions.ts"

const NEVER_IN_A_CHILD = [
  "run_subagent",
  "sub_agent",
  "agent_status",
  "todo_write",
  "generate_plan",
  "ask_questions",
  "check_understanding",
]
const READING = ["read_file", "read_many_files", "list_directory", "glob", "search_file_content"]
const write = (path: string, content = "x"): [string, unknown] => ["write_file", { path, content }]

describe("sub_agent in the foreground", () => {
  test("R-303 R-315 R-316 R-317 R-318 R-319 R-322 its work is a conversation of its own, and its report the call's result", async () => {
    const model = family(
      [{ calls: [delegate("research", "find it", { scope: "src", expectedDeliverables: "a list" })] }, { text: "ok" }],
      {
        "find it\n\nStay within: src\n\nExpected of you: a list": { text: "- `a.ts`" },
      },
    )
    const { say, modelReads, tasks, entries } = await sessionWith(model)
    await say("go")
    expect(modelReads().slice(1)).toEqual([
      "model: →sub_agent",
      expect.stringMatching(/^tools: # Subagent research: find it\n\nTask .*: completed\.\n\n- `a\.ts`$/),
      "model: ok",
    ])
    expect(entries().some((line) => line.startsWith("report"))).toBe(false)
    expect(tasks.list()[0]!.snapshot).toMatchObject({ kind: "sub_agent", agentName: "research", background: false })
    const [parent, child] = model.requests
    expect(child!.session).toBe(parent!.session)
    expect(child!.task).toBe(tasks.list()[0]!.id)
  })

  test("R-307 R-308 R-323 R-325 R-326 R-327 R-328 R-357 the child has what its parent has, less what no child has", async () => {
    const model = family([{ calls: [delegate("implement", "do it")] }, { text: "ok" }], { "do it": { text: "done" } })
    const { say } = await sessionWith(model, { policy: "yolo", excludeTools: ["glob"] })
    await say("go")
    const [parent, child] = model.requests.map(({ tools }) => tools.map(({ name }) => name))
    expect(child).toEqual(parent!.filter((name) => !NEVER_IN_A_CHILD.includes(name)))
    expect(child).toContain("write_file")
    expect(child).not.toContain("glob")
  })

  test("R-327 R-328 the plan's tool and the teacher's question stay with the parent in the modes that have them", async () => {
    for (const [mode, tool] of [
      ["plan", "generate_plan"],
      ["educator", "check_understanding"],
    ] as const) {
      const model = family([{ calls: [delegate("research", "do it")] }, { text: "ok" }], { "do it": { text: "done" } })
      await (await sessionWith(model, { mode })).say("go")
      expect(model.requests.map(({ tools }) => tools.some(({ name }) => name === tool))).toEqual([true, false, true])
    }
  })

  test("R-324 R-358 in reading modes and under read_only it only reads", async () => {
    for (const stance of [{ mode: "plan" }, { mode: "ask" }, { mode: "educator" }, { policy: "read_only" }] as const) {
      const model = family([{ calls: [delegate("research", "do it")] }, { text: "ok" }], {
        "do it": [{ calls: [write("a.txt")] }, { text: "could not" }],
      })
      const { say, runtime, cwd } = await sessionWith(model, stance)
      await say("go")
      expect(model.requests[1]!.tools.map(({ name }) => name)).not.toContain("write_file")
      expect(await runtime.files.stat(`${cwd}/a.txt`)).toBeUndefined()
    }
  })

  test("R-309 R-310 R-311 under default a named profile is asked about and research is not; freer policies ask nothing", async () => {
    const started = async (agent: string, policy: "default" | "auto_edit" | "yolo", background = false) => {
      const model = family([{ calls: [delegate(agent, "do it", { background })] }, { text: "ok" }], {
        "do it": { text: "done" },
      })
      const { say, questions } = await sessionWith(model, { policy, profiles: [{ id: "project:mine", name: "mine" }] })
      await say("go")
      return questions.map(({ action }) => action.title)
    }
    expect(await started("research", "default")).toEqual([])
    expect(await started("implement", "default")).toEqual(["implement: do it"])
    expect(await started("implement", "default", true)).toEqual(["implement: do it"])
    expect(await started("mine", "default")).toEqual(["project:mine: do it"])
    expect(await started("implement", "auto_edit")).toEqual([])
    expect(await started("implement", "yolo")).toEqual([])
  })

  test("R-356 tools of servers are its own too, where it may write; in the background they are not", async () => {
    const offered = async (more: object) => {
      const model = family([{ calls: [delegate("research", "do it", more)] }, { text: "ok" }], {
        "do it": { text: "done" },
      })
      const ownTools = [fakeTool("mcp__server__do", () => "done", "other")]
      const { say, until, standing } = await sessionWith(model, { policy: "yolo", ownTools })
      await say("go")
      await until(() => standing()["do it"] === "completed")
      return model.requests.find(({ task }) => task)!.tools.map(({ name }) => name)
    }
    expect(await offered({})).toContain("mcp__server__do")
    expect(await offered({ background: true })).not.toContain("mcp__server__do")
  })

  test("R-312 R-367 SA-01 a child's question comes on its parent's session and says who asks; what is refused is not done", async () => {
    const model = family([{ calls: [delegate("implement", "do it")] }, { text: "ok" }], {
      "do it": [{ calls: [write("yes.txt"), write("no.txt")] }, { text: "half done" }],
    })
    const asked: string[] = []
    const ask = ({ who, action, call }: Question): Answer => {
      if (who === undefined) return "once"
      asked.push(`${who}: ${action.title} ${/^[0-9a-f-]{36}\//.test(call.id)}`)
      return action.title.includes("yes") ? "once" : "no"
    }
    const { say, events, runtime, cwd } = await sessionWith(model, { ask })
    await say("go")
    expect(asked).toEqual(["implement: Create yes.txt true", "implement: Create no.txt true"])
    expect(await runtime.files.stat(`${cwd}/yes.txt`)).toBeDefined()
    expect(await runtime.files.stat(`${cwd}/no.txt`)).toBeUndefined()
    const shown = events.flatMap((event) => {
      if (event.type === "call_made" && event.call.name === "write_file") return [`${event.shown.title} made`]
      if (event.type === "call_ended" && event.result.name === "write_file")
        return [`${event.result.shown.title} ${event.result.status}`]
      return []
    })
    expect(shown.sort()).toEqual([
      "implement: Create no.txt denied",
      "implement: Create no.txt made",
      "implement: Create yes.txt made",
      "implement: Create yes.txt ok",
    ])
  })

  test("SA-01 several children that ask at once are answered one after another", async () => {
    let open = 0
    let most = 0
    const ask = async () => {
      most = Math.max(most, ++open)
      await soon(5)
      open--
      return "once" as const
    }
    const goals = ["one", "two", "three"]
    const children = Object.fromEntries(
      goals.map((goal): [string, Reply[]] => [goal, [{ calls: [write(`${goal}.txt`)] }, { text: "done" }]]),
    )
    const model = family([{ calls: goals.map((goal) => delegate("research", goal)) }, { text: "ok" }], children)
    const { say, questions } = await sessionWith(model, { ask })
    await say("go")
    expect(questions).toHaveLength(3)
    expect(most).toBe(1)
  })

  test("R-323 a policy that changes while the child works holds for its next call", async () => {
    const thinking = Promise.withResolvers<void>()
    const model = family([{ calls: [delegate("research", "do it")] }, { text: "ok" }], {
      "do it": [{ calls: [write("a.txt")], before: () => thinking.promise }, { text: "tried" }],
    })
    const { say, session, until, tasks, runtime, cwd } = await sessionWith(model, { policy: "yolo" })
    const turn = say("go")
    await until(() => model.requests.length === 2)
    session.change({ policy: "read_only" })
    thinking.resolve()
    await turn
    expect(await runtime.files.stat(`${cwd}/a.txt`)).toBeUndefined()
    expect(tasks.list()[0]!.activity.entries[0]).toMatchObject({ kind: "tool", status: "failed" })
  })

  test("SA-05 stopping the turn stops the child with it", async () => {
    const model = family([{ calls: [delegate("research", "do it")] }, { text: "ok" }], {
      "do it": { text: "never", before: () => new Promise(() => {}) },
    })
    const { say, session, until, standing } = await sessionWith(model)
    const turn = say("go")
    await until(() => standing()["do it"] === "running")
    session.cancel()
    expect((await turn).stop).toBe("cancelled")
    await until(() => standing()["do it"] === "cancelled")
  })

  test("R-302 R-306 R-346 a profile's words are the whole system prompt, its model a preference with a note where it is missing", async () => {
    const model = family([{ calls: [delegate("mine", "do it"), delegate("far", "go far")] }, { text: "ok" }], {
      "do it": { text: "done" },
      "go far": { text: "went" },
    })
    const { say, tasks, modelReads } = await sessionWith(model, {
      policy: "yolo",
      profiles: [
        { id: "project:mine", name: "mine", model: "other", prompt: "You are mine.\n\nNothing else." },
        { id: "user:far", name: "far", model: "gone" },
      ],
      models: { other: {} },
    })
    await say("go")
    const child = model.requests.find(({ instructions }) => instructions.startsWith("You are mine"))!
    expect(child.instructions).toBe("You are mine.\n\nNothing else.")
    expect(tasks.list().map(({ snapshot }) => snapshot.model)).toEqual(["other", "scripted"])
    expect(modelReads().join()).toContain('The model "gone" is not available; it worked with "scripted".')
  })

  test("R-313 R-314 a child is told that nobody answers, and what its last words are for", async () => {
    const model = family([{ calls: [research("look")] }, { text: "ok" }], { look: { text: "seen" } })
    const { say } = await sessionWith(model)
    await say("go")
    expect(model.requests[1]!.instructions).toContain("Nobody can answer questions")
  })

  test("an unknown profile is a call that fails", async () => {
    const { say, entries } = await sessionWith(family([{ calls: [delegate("nobody", "x")] }, { text: "ok" }]))
    await say("go")
    expect(entries()[2]).toMatch(/^failed: There is no profile "nobody"/)
  })
})

describe("in the background", () => {
  test("R-329 R-330 R-332 R-342 R-343 the call is answered at once; the child reads, asks nothing, and reports by itself", async () => {
    const model = family(
      [{ calls: [delegate("implement", "look", { background: true })] }, { text: "going on" }, { text: "thanks" }],
      { look: [{ calls: [write("a.txt"), ["run_shell_command", { command: "ls" }]] }, { text: "seen" }] },
    )
    const { say, entries, until, tasks, questions, marks } = await sessionWith(model, {
      policy: "yolo",
      settings: { tools: ["glob"] }, // which are those of run_subagent
    })
    await say("go")
    await until(() => marks().at(-1)?.state === "finished")
    const { id } = tasks.list()[0]!
    expect(entries()[2]).toMatch(new RegExp(`^ok: Started in the background, agent_id ${id}\\.`))
    expect(entries().slice(-2)).toEqual([expect.stringMatching(/^report: .*seen$/s), "model: thanks"])
    const offered = model.requests.find(({ task }) => task === id)!.tools.map(({ name }) => name)
    expect(offered.filter((name) => !RESEARCH_TOOLS.includes(name))).toEqual([])
    expect(offered).toEqual(expect.arrayContaining(READING))
    expect(questions).toEqual([])
    expect(
      tasks
        .list()[0]!
        .activity.entries.filter(({ kind }) => kind === "tool")
        .map(({ status }) => status),
    ).toEqual(["failed", "failed"])
  })

  test("R-262 R-263 R-265 the settings and the role narrow the tools of research; an empty list leaves none", async () => {
    const offered = async (tools: string[] | null, role?: string[]) => {
      const model = family([{ calls: [research("look", role && "r")] }, { text: "ok" }], { look: { text: "seen" } })
      const { say } = await sessionWith(model, {
        settings: { tools },
        roles: [{ name: "r", tools: role ?? null }],
      })
      await say("go")
      return model.requests[1]!.tools.map(({ name }) => name)
    }
    const all = await offered(null)
    expect(all).toEqual(expect.arrayContaining(READING))
    expect(all.filter((name) => !RESEARCH_TOOLS.includes(name))).toEqual([])
    expect(await offered(["glob", "no_such_tool"])).toEqual(["glob"])
    expect(await offered(["glob", "read_file"], ["read_file", "list_directory"])).toEqual(["read_file"])
    expect(await offered([])).toEqual([])
  })

  test("SA-07 a tool that is not given is not run either", async () => {
    const model = family([{ calls: [research("look")] }, { text: "ok" }], {
      look: [{ calls: [["read_file", { path: "a.txt" }]] }, { text: "seen" }],
    })
    const { say, tasks } = await sessionWith(model, { settings: { tools: ["glob"] }, files: { "a.txt": "secret" } })
    await say("go")
    expect(tasks.list()[0]!.history[1]).toMatchObject({ kind: "tool", status: "failed" })
    expect(tasks.list()[0]!.history[1]!.text).toMatch(/^There is no tool named "read_file"/)
  })

  test("R-334 R-335 R-336 agent_status tells how it stands; with wait it brings the report, and nothing brings it twice", async () => {
    const found = Promise.withResolvers<void>()
    const background = { background: true }
    const played: { tasks?: Tasks } = {}
    const status = (more: object = {}): Reply => ({
      get calls(): [string, unknown][] {
        return [["agent_status", { agent_id: played.tasks!.list()[0]!.id, ...more }]]
      },
    })
    const parent = [{ calls: [delegate("research", "look", background)] }, status(), status({ wait: true }), status()]
    const model = family([...parent, { text: "ok" }], { look: { text: "seen", before: () => found.promise } })
    const { say, until, tasks, entries, session } = await sessionWith(model)
    played.tasks = tasks
    const turn = say("go")
    await until(() => entries().filter((line) => line.startsWith("ok:")).length === 2)
    found.resolve()
    await turn
    await soon()
    expect(
      entries()
        .filter((line) => line.startsWith("ok:"))
        .slice(1),
    ).toEqual([
      expect.stringMatching(/^ok: Task .* is at work: 0 steps done\.$/),
      expect.stringMatching(/^ok: # Subagent research: look.*seen$/s),
      expect.stringMatching(/^ok: Task .*: completed\. You have its report already\.$/),
    ])
    expect(entries().filter((line) => line.includes("seen"))).toHaveLength(1)
    expect(session.parts.subagents.deliveries.due()).toEqual([])
  })

  test("R-342 what its parent would be asked about is not asked of it: the web is looked at, files elsewhere are not", async () => {
    const calls: [string, unknown][] = [
      ["web_fetch", { url: "https://pages.test/" }],
      ["read_file", { path: "/etc/passwd" }],
    ]
    const model = family([{ calls: [delegate("research", "look", { background: true })] }, { text: "ok" }], {
      look: [{ calls }, { text: "seen" }],
    })
    const fetch = async () => new Response("found", { headers: { "content-type": "text/plain" } })
    const { say, tasks, questions } = await sessionWith(model, { fetch })
    await say("go")
    const [task] = tasks.list()
    await task!.ended
    expect(questions).toEqual([])
    expect(task!.history.filter(({ kind }) => kind === "tool").map(({ text }) => text)).toEqual([
      expect.stringContaining("found"),
      expect.stringContaining("there is nobody to ask"),
    ])
  })

  test("R-331 it reports when it is stopped, too", async () => {
    const model = family(
      [{ calls: [delegate("research", "look", { background: true })] }, { text: "going on" }, { text: "a pity" }],
      {
        look: { text: "never", before: () => new Promise(() => {}) },
      },
    )
    const { say, tasks, entries, until } = await sessionWith(model)
    await say("go")
    await tasks.cancel(tasks.list()[0]!.id)
    await until(() => entries().at(-1) === "model: a pity")
    expect(entries().at(-2)).toMatch(/^report: .*cancelled\. It was stopped: cancelled by the user\./s)
  })

  test("R-331 a failure of its model is a report, too", async () => {
    const model = family([{ calls: [research("look")] }, { text: "a pity" }], {
      look: {
        before: () => {
          throw new Error("the provider is down")
        },
      },
    })
    const { say, entries, standing } = await sessionWith(model)
    await say("go")
    expect(standing()).toEqual({ look: "failed" })
    expect(entries().at(-2)).toMatch(/failed\. It failed: the provider is down\./)
  })
})

describe("the effort of a subagent", () => {
  const REASONING = { supportedEfforts: ["low", "high"], defaultEffort: "low" }

  async function effortOf(settings: object, role: object = {}, reasoning: object | null = REASONING) {
    const model = family([{ calls: [research("look", "r")] }, { text: "ok" }], { look: { text: "seen" } })
    const { say, session } = await sessionWith(model, {
      settings,
      roles: [{ name: "r", ...role }],
      models: { scripted: { ...(reasoning && { reasoning }) } as object },
    })
    session.change({ efforts: new Map([["scripted", "high"]]) })
    await say("go")
    return model.requests[1]!.effort
  }

  test("R-200 R-201 R-202 R-203 the setting's, else the model's own, whatever the user chose for the chat", async () => {
    expect(await effortOf({ reasoningEffort: "high" })).toBe("high")
    expect(await effortOf({ reasoningEffort: null })).toBeUndefined()
    expect(await effortOf({ reasoningEffort: "max" })).toBeUndefined()
    expect(await effortOf({ reasoningEffort: "high" }, {}, null)).toBeUndefined()
    expect(await effortOf({ reasoningEffort: null }, { reasoningEffort: "high" })).toBe("high")
  })

  test("R-202 is that of the moment at each request, and the task says which", async () => {
    const change = Promise.withResolvers<void>()
    const model = family([{ calls: [research("look")] }, { text: "ok" }], {
      look: [{ calls: [["no_such_tool", {}]], before: () => change.promise }, { text: "seen" }],
    })
    const { say, settings, tasks } = await sessionWith(model, {
      models: { scripted: { reasoning: REASONING } as object },
    })
    const turn = say("go")
    while (model.requests.length < 2) await soon()
    expect(tasks.list()[0]!.snapshot.reasoningEffort).toBe(null)
    settings({ reasoningEffort: "high" })
    change.resolve()
    await turn
    expect(model.requests.slice(1, 3).map(({ effort }) => effort)).toEqual([undefined, "high"])
    expect(tasks.list()[0]!.snapshot.reasoningEffort).toBe("high")
  })
})

test("R-361 R-362 a child's searches end after 20 seconds with an error that asks to narrow them; its work has no end", async () => {
  const never = { list: () => new Promise(() => {}), stat: async () => ({ kind: "folder" }) }
  const workspace = { cwd: "/w", roots: ["/w"], home: "/h", files: never } as unknown as Workspace
  const tool = delegatedTools({ workspace, sieve: {} as Sieve }).get("list_directory")!
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const late = new AbortController()
    setTimeout(() => late.abort(), ms)
    return late.signal
  })
  onTestFinished(() => {
    timeout.mockRestore()
    vi.useRealTimers()
  })
  const signal = new AbortController().signal
  const action = await tool.prepare({ path: "." }, signal)
  const listing = action.run({ call: { id: "1", name: "list_directory", input: {} }, signal, report: () => {} })
  listing.catch(() => {})
  await vi.advanceTimersByTimeAsync(20_000)
  await expect(listing).rejects.toThrow(/longer than 20 s and was ended\. Narrow it/)
})
