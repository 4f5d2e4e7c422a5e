import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Client, type Loose, type Workshop, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls } from "../support/replies.ts"

function role(name: string, more = "", body = `You are ${name}.`): string {
  return `---\nname: ${name}\ndescription: Is ${name}.\n${more}---\n\n${body}\n`
}

async function say(client: Client, sessionId: string): Promise<void> {
  await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] })
}

/** The system prompt of each request. */
function systems({ provider }: Workshop): string[] {
  return provider.asked.map(({ body }) => (body["messages"] as Loose)[0].content)
}

/** The names of the tools of each request. */
function offered({ provider }: Workshop): string[][] {
  return provider.asked.map(({ body }) => ((body["tools"] ?? []) as Loose).map((tool: Loose) => tool.function.name))
}

test("R-221 R-352 the model is told of the enabled roles and profiles, as they are when the turn begins", async () => {
  const shop = await workshop({
    files: { ".koda/agents/a.md": role("a"), ".kodik/agents/x.md": "---\ndescription: Does x.\n---\ndo" },
    home: { "agents/off.md": role("off") },
    settings: { subagents: { disabledAgentNames: ["off"] } },
  })
  const { client, sessionId } = await shop.session()
  shop.provider.script(says("ok"))
  await say(client, sessionId)
  await writeFile(join(shop.home, "agents/b.md"), role("b"))
  await say(client, sessionId)

  const lines = systems(shop).map((text) => text.match(/^- [\w:]+: (?:Is \w+|Does \w+)\.$/gm))
  expect(lines).toEqual([
    ["- a: Is a.", "- project:x: Does x."],
    ["- a: Is a.", "- b: Is b.", "- project:x: Does x."],
  ])
})

test("R-213 R-222 R-228 a role's words end its subagent's system prompt, and its tools are those the settings leave", async () => {
  const tools = "tools: [glob, read_file, list_directory]\n"
  const shop = await workshop({
    home: { "agents/a.md": role("a", tools, "You are a.\n\n# Look closely") },
    settings: { subagents: { tools: ["glob", "search_file_content", "list_directory"] } },
  })
  const { client, sessionId } = await shop.session()
  const call = { name: "run_subagent", input: { description: "d", prompt: "look", agent: "a" } }
  shop.provider.script(calls(call), says("found"), says("done"))
  await say(client, sessionId)

  const [, child] = systems(shop)
  expect(child).toMatch(/You look, and change nothing\.\n\nYou are a\.\n\n# Look closely$/)
  expect(offered(shop)[1]?.toSorted()).toEqual(["glob", "list_directory"])
})

test("R-346 R-306 R-357 a profile's words are its child's system prompt, and its header says nothing of tools", async () => {
  const body = "# You\n\nDo  «it».\n---\nand {{more}}"
  const shop = await workshop({
    files: { ".kodik/agents/x.md": `---\nname: x\ntools: [sub_agent, glob]\n---\n\n${body}\n` },
    launch: { policy: "yolo" },
  })
  const { client, sessionId } = await shop.session()
  const call = { name: "sub_agent", input: { agent: "project:x", goal: "do it" } }
  shop.provider.script(calls(call), says("report"), says("done"))
  await say(client, sessionId)

  expect(systems(shop)[1]).toBe(body)
  const [parent = [], child = []] = offered(shop)
  expect(child).toEqual(expect.arrayContaining(["glob", "write_file", "run_shell_command"]))
  expect(parent).toEqual(expect.arrayContaining(child))
  expect(child).not.toContain("sub_agent")
})

test("R-223 R-224 R-225 R-242 a call for a role that can't be had fails, and nothing is started", async () => {
  const shop = await workshop({
    home: {
      "agents/off.md": role("off"),
      "agents/gone.md": role("gone", "model: gone\n"),
      "agents/bad.md": role("bad", "color: red\n"),
      "agents/web.md": role("web", "tools: [web_search]\n"),
    },
    settings: { subagents: { disabledAgentNames: ["off"] } },
  })
  const { client, sessionId } = await shop.session()
  const names = ["none", "off", "gone", "bad", "web"]
  const inputs = names.map((agent) => ({ description: "d", prompt: "look", agent }))
  shop.provider.script(calls(...inputs.map((input) => ({ name: "run_subagent", input }))), says("done"))
  await say(client, sessionId)

  expect(shop.provider.asked.length).toBe(2)
  const messages = shop.provider.asked[1]?.body["messages"] as Loose[]
  expect(messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
    expect.stringContaining('There is no role "none"'),
    expect.stringContaining('"off" is switched off'),
    expect.stringContaining('the model "gone", which is not available'),
    expect.stringContaining('4: there is no field "color"'),
    expect.stringContaining('Of the tools of the role "web" there are none here (web_search)'),
  ])
})
