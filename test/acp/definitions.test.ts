import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { RESEARCH_TOOLS } from "../../src/subagents/settings.ts"
import { type Client, type Loose, quiet, STANDARD, workshop } from "../support/client.ts"

/** A client that understands subagents. */
const AWARE = { capabilities: { subagents: true } }

function role(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: Is ${name}.\n${more}---\n\nYou are ${name}.\n`
}

function uri(...path: [string, ...string[]]): string {
  return pathToFileURL(join(...path)).href
}

/** The names in each list that came. */
function lists(client: Client): string[][] {
  return client.updates("subagent_definitions_update").map(({ agents }) => agents.map(({ name }: Loose) => name))
}

/** Waits for a list of definitions that is the n-th to come. */
async function nthList(client: Client, count: number): Promise<Loose> {
  while (client.updates("subagent_definitions_update").length < count) {
    await client.until("· subagent_definitions_update", client.story.length)
  }
  return client.updates("subagent_definitions_update")[count - 1]
}

describe("the list", () => {
  test("R-214 R-219 the roles there are, whole, and the files that are none, with the line", async () => {
    const { session, cwd, home } = await workshop({
      files: {
        ".koda/agents/a.md": role("a", "model: m\nreasoningEffort: low\ntools: [glob]\n"),
        ".koda/agents/bad.md": role("bad", "color: red\n"),
      },
      home: { "agents/a.md": role("a"), "agents/b.md": role("b") },
      settings: { subagents: { disabledAgentNames: ["b"] } },
    })
    const { client, sessionId } = await session(AWARE)
    expect(await client.request("session/subagent_definitions", { sessionId })).toEqual({
      agents: [
        {
          name: "a",
          description: "Is a.",
          model: "m",
          reasoningEffort: "low",
          tools: ["glob"],
          scope: "workspace",
          sourceUri: uri(cwd, ".koda/agents/a.md"),
          enabled: true,
        },
        {
          name: "b",
          description: "Is b.",
          model: null,
          reasoningEffort: null,
          tools: null,
          scope: "global",
          sourceUri: uri(home, "agents/b.md"),
          enabled: false,
        },
      ],
      errors: [
        {
          name: "bad",
          scope: "workspace",
          sourceUri: uri(cwd, ".koda/agents/bad.md"),
          message: `${join(cwd, ".koda/agents/bad.md")}:4: there is no field "color"; a role has name, description, model, reasoningEffort, tools`,
        },
      ],
    })
  })

  test("R-353 profiles stand in it with where they come from", async () => {
    const { session, cwd } = await workshop({ files: { ".kodik/agents/x.md": "---\ncolor: red\n---\ndo" } })
    const { client, sessionId } = await session(AWARE)
    const { agents } = await client.request("session/subagent_definitions", { sessionId })
    expect(agents).toEqual([
      {
        name: "project:x",
        description: "",
        model: null,
        reasoningEffort: null,
        tools: null,
        scope: "project",
        sourceUri: uri(cwd, ".kodik/agents/x.md"),
        enabled: true,
        color: "red",
      },
    ])
  })
})

describe("creating", () => {
  test("R-232 R-261 the answer has the new role, and the update has come before it", async () => {
    const { session, cwd } = await workshop()
    const { client, sessionId } = await session(AWARE)
    const params = { sessionId, name: "Code Reviewer", scope: "workspace", description: "Reviews" }
    const answer = await client.request("session/subagent_definition_create", params)

    const sourceUri = uri(cwd, ".koda/agents/code-reviewer.md")
    expect(answer.created).toEqual({ name: "code-reviewer", scope: "workspace", sourceUri })
    expect(answer.agents).toMatchObject([{ name: "code-reviewer", description: "Reviews", sourceUri }])
    expect(client.story.slice(-2)).toEqual(["· subagent_definitions_update", "← session/subagent_definition_create"])
    const { agents, errors } = answer
    expect(client.updates("subagent_definitions_update")).toEqual([
      { sessionUpdate: "subagent_definitions_update", agents, errors },
    ])
  })

  test("R-233 R-301 what can't be made is refused with the reason", async () => {
    const { session } = await workshop({ home: { "agents/a.md": role("a") } })
    const { client, sessionId } = await session(AWARE)
    const reason = async (params: object) => {
      const { error } = (await client.answerTo("session/subagent_definition_create", { sessionId, ...params })) as Loose
      return [error.code, error.data.reason]
    }
    expect([
      await reason({ name: "A", scope: "global" }),
      await reason({ name: "…", scope: "global" }),
      await reason({ name: "b", scope: "everywhere" }),
      await reason({ name: "b" }),
      await reason({ name: "b", scope: "global", description: "x".repeat(501) }),
    ]).toEqual([
      [-32602, "definition_exists"],
      [-32602, "invalid_params"],
      [-32602, "invalid_params"],
      [-32602, "invalid_params"],
      [-32602, "definition_invalid"],
    ])
    expect(lists(client)).toEqual([])
  })

  test("R-234 the template is in the user's language", async () => {
    const { session, home } = await workshop({ settings: { uiLanguage: "ru" } })
    const { client, sessionId } = await session(AWARE)
    await client.request("session/subagent_definition_create", { sessionId, name: "a", scope: "global" })
    expect(await readFile(join(home, "agents/a.md"), "utf8")).toContain("Ты — субагент «a»")
  })
})

describe("reading, writing, deleting", () => {
  test("R-238 R-239 R-240 R-241 a role is read with what it might say", async () => {
    const { session, home } = await workshop({ home: { "agents/a.md": role("a", "tools: [glob]\n") } })
    const { client, sessionId } = await session(AWARE, { coreTools: ["read_file"] })
    const sourceUri = uri(home, "agents/a.md")
    const { availableTools } = await client.request("session/subagent_settings", { sessionId })
    const read = await client.request("session/subagent_definition_read", { sessionId, name: "a", sourceUri })
    expect(availableTools).toEqual(["read_file"])
    expect(read).toEqual({
      agents: expect.any(Array),
      errors: [],
      name: "a",
      sourceUri,
      description: "Is a.",
      model: null,
      reasoningEffort: null,
      tools: ["glob"],
      prompt: "You are a.",
      supportedTools: RESEARCH_TOOLS,
      supportedReasoningEfforts: expect.arrayContaining(["low", "medium", "high"]),
    })
  })

  test("R-240 the efforts of the models at hand are among those a role may name", async () => {
    const { session, home } = await workshop({
      home: {
        "agents/a.md": role("a", "reasoningEffort: extreme\n"),
        "custom_models.json": JSON.stringify({
          models: [
            {
              modelId: "c",
              baseUrl: "http://a.example/v1",
              apiKey: "key",
              reasoning: { supportedEfforts: ["extreme"], defaultEffort: "extreme" },
            },
          ],
        }),
      },
    })
    const { client, sessionId } = await session(AWARE)
    const params = { sessionId, name: "a", sourceUri: uri(home, "agents/a.md") }
    const read = await client.request("session/subagent_definition_read", params)
    expect([read.reasoningEffort, read.supportedReasoningEfforts.includes("extreme")]).toEqual(["extreme", true])
  })

  test("R-242 R-243 R-244 R-245 a broken role is not read, but mended by writing it", async () => {
    const { session, home } = await workshop({ home: { "agents/a.md": "---\nname: a\n---\nx" } })
    const { client, sessionId } = await session(AWARE)
    const file = { sessionId, name: "a", sourceUri: uri(home, "agents/a.md") }
    const path = join(home, "agents/a.md")
    expect(await client.answerTo("session/subagent_definition_read", file)).toMatchObject({
      error: { code: -32602, data: { reason: "definition_invalid", details: `${path}:1: description is missing` } },
    })

    const fields = { description: "Is a.", model: null, reasoningEffort: null, tools: null, prompt: "" }
    const write = (prompt: string) =>
      client.answerTo("session/subagent_definition_write", { ...file, ...fields, prompt })
    expect(await write(" ")).toMatchObject({
      error: {
        code: -32602,
        data: {
          reason: "definition_invalid",
          details: `${path}:6: there are no instructions; write them after the header`,
        },
      },
    })
    expect(await readFile(path, "utf8")).toBe("---\nname: a\n---\nx")

    expect(await write("You are a.")).toMatchObject({ result: { agents: [{ name: "a" }], errors: [] } })
    expect(client.story.slice(-2)).toEqual(["· subagent_definitions_update", "← session/subagent_definition_write"])
    expect(await readFile(path, "utf8")).toBe("---\nname: a\ndescription: Is a.\nmodel: inherit\n---\n\nYou are a.\n")
  })

  test("R-236 R-237 another pair of name and file is refused, and a deleted role is gone for all", async () => {
    const { session, home } = await workshop({ home: { "agents/a.md": role("a") } })
    const { client, sessionId } = await session(AWARE)
    const wrong = { sessionId, name: "a", sourceUri: uri(home, "agents/b.md") }
    const fields = { description: "d", prompt: "p" }
    for (const method of ["read", "write", "delete"]) {
      const answer = await client.answerTo(`session/subagent_definition_${method}`, { ...wrong, ...fields })
      expect(answer).toMatchObject({ error: { code: -32602, data: { reason: "definition_mismatch" } } })
    }
    const right = { ...wrong, sourceUri: uri(home, "agents/a.md") }
    expect(await client.request("session/subagent_definition_delete", right)).toEqual({
      agents: [],
      errors: [],
      deleted: { name: "a", sourceUri: right.sourceUri },
    })
    expect(client.story.slice(-2)).toEqual(["· subagent_definitions_update", "← session/subagent_definition_delete"])
  })
})

describe("updates", () => {
  test("R-159 R-180 R-181 R-255 R-256 R-258 a file that is saved or deleted brings the whole list, as it would be answered", async () => {
    const { session, home } = await workshop({ home: { "agents/a.md": role("a") } })
    const { client, sessionId } = await session(AWARE)
    await client.request("session/subagent_definitions", { sessionId })

    await writeFile(join(home, "agents/b.md"), role("b"))
    const saved = await nthList(client, 1)
    expect(saved).toEqual({
      sessionUpdate: "subagent_definitions_update",
      ...(await client.request("session/subagent_definitions", { sessionId })),
    })
    await rm(join(home, "agents/a.md"))
    await nthList(client, 2)
    expect(lists(client)).toEqual([["a", "b"], ["b"]])
  })

  test("R-257 a change made in one session is told in the others of the workspace, and in other workspaces", async () => {
    const { session, client: connect, cwd } = await workshop({ files: { "sub/x": "" } })
    const first = await session(AWARE)
    const second = await session(AWARE)
    const third = await connect(AWARE)
    const { sessionId } = await third.request("session/new", { cwd: join(cwd, "sub"), mcpServers: [] })
    await third.request("session/subagent_definitions", { sessionId })

    await first.client.request("session/subagent_definition_create", {
      sessionId: first.sessionId,
      name: "a",
      scope: "global",
    })
    await nthList(second.client, 1)
    await nthList(third, 1)
    expect([first.client, second.client, third].map(lists)).toEqual([[["a"]], [["a"]], [["a"]]])
  })

  test("R-148 R-254 a client that did not say subagents: true is told nothing, and may still ask", async () => {
    const { session } = await workshop()
    for (const capabilities of [{}, { subagents: {} }]) {
      const { client, sessionId } = await session({ ...STANDARD, capabilities })
      const name = `a${Object.keys(capabilities).length}`
      await client.request("_kodadev/session/subagent_definition_create", { sessionId, name, scope: "workspace" })
      await client.request("_kodadev/session/subagent_settings", { sessionId, settings: { maxConcurrent: 7 } })
      await quiet()
      expect(client.updates().filter(({ sessionUpdate }) => sessionUpdate.startsWith("subagent"))).toEqual([])
    }
  })

  test("R-254 what happens after a session was closed is not told of", async () => {
    const { session, home } = await workshop()
    const { client, sessionId } = await session(AWARE)
    const other = await session(AWARE)
    await client.request("session/close", { sessionId })
    await writeFile(join(home, "settings.json"), JSON.stringify({ subagents: { maxConcurrent: 2 } }))
    await other.client.request("session/subagent_definition_create", {
      sessionId: other.sessionId,
      name: "a",
      scope: "global",
    })
    expect([lists(other.client).length, lists(client).length]).toEqual([1, 0])
  })
})
