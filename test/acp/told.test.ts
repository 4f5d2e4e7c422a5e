import { join } from "node:path"
import { expect, test } from "vitest"
import { type Client, STANDARD, workshop } from "../support/client.ts"
import { refuses, says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

/** What the user was told besides the model's words. */
const told = (client: Client) => {
  const all = client.updates("agent_thought_chunk").map(({ content }) => content.text)
  return all.join("").split("\n\n").filter(Boolean)
}

test("the user is told once why the models that were set up are not there", async () => {
  const { session, provider } = await workshop({ env: { OPENAI_MODEL: "" } })
  provider.script(refuses(401, "no"))
  const { client, sessionId } = await session(STANDARD)
  for (const words of ["one", "two"]) await client.request("session/prompt", { sessionId, prompt: text(words) })
  expect(told(client)).toEqual([`No models came from ${provider.url}: it refuses the key (401)`])
})

test("R-033 a list of tools that names none that there is says so", async () => {
  const { session, provider } = await workshop({ settings: { coreTools: ["read_fil", "mcp__docs", "web_search"] } })
  provider.script(calls({ name: "read_file", input: { path: "a" } }), says("ok"))
  const { client, sessionId } = await session(STANDARD, { excludeTools: ["frobnicate"] })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(client)).toEqual([
    'There is no tool "read_fil", by which the tools of this session are chosen; did you mean "read_file"?',
    'There is no tool "frobnicate", by which the tools of this session are chosen',
  ])
  const [ended] = client.updates("tool_call_update").filter(({ status }) => status === "failed")
  expect(ended!["content"]).toEqual([
    {
      type: "content",
      content: { type: "text", text: 'There is no tool named "read_file". There are no tools here.' },
    },
  ])
})

test("what is read and found is shown as it stands, whatever Markdown would make of it", async () => {
  const { session, provider } = await workshop({ files: { "README.md": "# Widget\n- one\n```\ncode\n```\n" } })
  provider.script(
    calls({ name: "read_file", input: { path: "README.md" } }, { name: "glob", input: { pattern: "*" } }),
    says("ok"),
  )
  const { client, sessionId } = await session(STANDARD)
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  const shown = client.updates("tool_call_update").filter(({ status }) => status === "completed")
  expect(shown.map(({ content }) => content[0].content.text).sort()).toEqual([
    "```\nREADME.md\n```",
    "````\n# Widget\n- one\n```\ncode\n```\n````",
  ])
  expect(provider.asked.at(-1)!.text).not.toContain("````")
})

test("a method that there is not is answered with the nearest that there is", async () => {
  const { session } = await workshop()
  const { client } = await session()
  expect(await client.answerTo("session/promt", {})).toEqual({
    error: {
      code: -32601,
      message: 'There is no method "session/promt"; did you mean "session/prompt"?',
      data: {
        details: 'There is no method "session/promt"; did you mean "session/prompt"?',
        reason: "unknown_method",
        method: "session/promt",
      },
    },
  })
})

test("a folder in which no session can be kept is named, with what to do", async () => {
  const { cwd, again } = await workshop({ files: { "a.txt": "" } })
  const folder = join(cwd, "a.txt", "store")
  const client = await again({ sessionStore: folder }).client()
  const { error } = (await client.answerTo("session/new", { cwd, mcpServers: [] })) as { error: { data: object } }
  expect(error.data).toEqual({
    details: expect.stringMatching(
      /^Sessions can't be kept in ".*a\.txt\/store": .*\. Name another folder in KODA_ACP_SESSION_STORE_DIR or with --session-store$/,
    ),
    reason: "store_unusable",
  })
})

test("R-309 who is asked to let a subagent begin is shown what it is to do", async () => {
  const { session, provider } = await workshop()
  const input = { agent: "implement", goal: "Add a changelog.", scope: "docs", expectedDeliverables: "The file" }
  provider.script(calls({ name: "sub_agent", input }), says("ok"))
  const { client, sessionId } = await session(STANDARD)
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  const [card] = client.updates("tool_call")
  expect(card!["content"]).toEqual([
    {
      type: "content",
      content: { type: "text", text: "Add a changelog.\n\nScope: docs\n\nTo report: The file" },
    },
  ])
})
