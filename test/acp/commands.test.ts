import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Client, type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const menu = (client: Client) => client.updates("available_commands_update").at(-1).availableCommands as Loose[]
const names = (client: Client) => menu(client).map(({ name }) => name)
const said = (client: Client) =>
  client
    .updates("agent_message_chunk")
    .map(({ content }) => content.text)
    .join("")
const OWN = ["help", "plan", "compact", "init", "model", "mode", "trust", "mcp", "agents", "skills", "memory"]
const REVIEW = "---\ndescription: Looks at a change\nargument-hint: [file]\n---\nReview $ARGUMENTS now.\n!`rm -rf /`\n"
/** The user messages of a request, as text. */
const userWords = (asked: { body: Loose }[]) =>
  asked
    .at(-1)
    ?.body.messages.filter(({ role }: Loose) => role === "user")
    .map(({ content }: Loose) => content)

describe("PC-02 the menu", () => {
  test("R-042 is sent after session/new, with the files of the workspace", async () => {
    const files = {
      ".koda/commands/review.md": REVIEW,
      ".koda/commands/plain.md": "# Tidy up\nAll of it.",
      ".koda/commands/help.md": "never",
      ".koda/commands/empty.md": "",
      ".koda/commands/key.md": { link: "../../../nowhere" },
      ".koda/commands/out.md": { link: "/etc/passwd" },
      ".koda/commands/notes.txt": "no command",
    }
    const { session } = await workshop({ files })
    const { client } = await session()
    expect(names(client)).toEqual([...OWN, "plain", "review"])
    expect(menu(client).at(-1)).toEqual({
      name: "review",
      description: "Looks at a change",
      input: { hint: "[file]" },
    })
    expect(menu(client).at(-2)).toEqual({ name: "plain", description: "Tidy up" })
    expect(client.updates("available_commands_update")).toHaveLength(1)
  })

  test("is sent after session/load, session/resume and session/fork", async () => {
    const store = await temporaryFolder()
    const { session, provider, cwd } = await workshop({ env: { KODA_ACP_SESSION_STORE_DIR: store } })
    provider.script(says("hi"))
    const { client, sessionId } = await session()
    const _meta = { "com.kodadev.desktopEntryId": "one" }
    await client.request("session/prompt", { sessionId, prompt: text("go"), _meta })
    for (const method of ["session/load", "session/resume", "session/fork"]) {
      const from = client.story.length
      await client.request(method, { sessionId, cwd, mcpServers: [], _meta })
      await client.until("· available_commands_update", from)
    }
    expect(client.updates("available_commands_update")).toHaveLength(4)
    expect(names(client)).toEqual(OWN)
  })

  test("is sent again when the files change", async () => {
    const { session, cwd } = await workshop()
    const { client } = await session()
    const folder = join(cwd, ".koda/commands")
    const from = client.story.length
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "new.md"), "Do it.")
    await client.until("· available_commands_update", from)
    expect(names(client)).toEqual([...OWN, "new"])

    const then = client.story.length
    await rm(join(folder, "new.md"))
    await client.until("· available_commands_update", then)
    expect(names(client)).toEqual(OWN)
  })
})

describe("PC-02 what is a command, and what goes to the model as text", () => {
  test.for(["/unknown x", "/path/to/file is broken", " /help", "/helpful", "say /help", "/HELP", "/toString"])(
    "%s is text",
    async (words) => {
      const { session, provider } = await workshop()
      provider.script(says("I see."))
      const { client, sessionId } = await session()
      await client.request("session/prompt", { sessionId, prompt: text(words) })
      expect(userWords(provider.asked)).toEqual([words])
    },
  )

  test("a command is known with content after it, and costs no request", async () => {
    const { session, provider } = await workshop()
    const { client, sessionId } = await session()
    const from = client.story.length
    const resource = { type: "resource", resource: { uri: "file:///a.txt", text: "one" } }

    const answer = await client.request("session/prompt", { sessionId, prompt: [...text("/help"), resource] })

    expect(answer).toEqual({ stopReason: "end_turn", _meta: { "com.kodadev.promptId": expect.any(String) } })
    expect(provider.asked).toEqual([])
    expect(client.story.slice(from).map((line) => line.split("\n")[0])).toEqual([
      "→ session/prompt",
      "· agent_message_chunk - `/help` Lists the commands",
      "← session/prompt end_turn",
    ])
    for (const name of OWN) expect(said(client)).toContain(`\`/${name}`)
  })

  test("what was answered is replayed, and is no title", async () => {
    const store = await temporaryFolder()
    const { session, cwd, client: another } = await workshop({ env: { KODA_ACP_SESSION_STORE_DIR: store } })
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("/mode") })

    const other = await another()
    await other.request("session/load", { sessionId, cwd, mcpServers: [] })

    expect(other.updates("user_message_chunk").map(({ content }) => content.text)).toEqual(["/mode"])
    expect(said(other)).toBe(said(client))
    expect(client.updates("session_info_update").every(({ title }) => title === undefined)).toBe(true)
  })
})

describe("commands that files describe", () => {
  test("their words go to the model with what follows the name, and the user sees what was typed", async () => {
    const store = await temporaryFolder()
    const { session, provider, cwd } = await workshop({
      files: { ".koda/commands/review.md": REVIEW },
      env: { KODA_ACP_SESSION_STORE_DIR: store },
    })
    provider.script(says("Good."))
    const { client, sessionId } = await session()
    const link = { type: "resource_link", uri: "https://example.org/x", name: "x.ts" }
    await client.request("session/prompt", { sessionId, prompt: [...text("/review $& the "), link] })

    const [words] = userWords(provider.asked)
    expect(words).toContain("Review $& the https://example.org/x now.") // what the model can fetch, not what it is called
    expect(words).toContain("!`rm -rf /`") // words, and never run
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    const shown = client.updates("user_message_chunk").map(({ content }) => content.text ?? content.name)
    expect(shown).toEqual(["/review $& the ", "x.ts"])
  })

  test("a file that leads to a key is no command", async () => {
    const { session, runtime, cwd, provider } = await workshop()
    await mkdir(join(runtime.system.home, ".ssh"), { recursive: true })
    await writeFile(join(runtime.system.home, ".ssh/id_rsa"), "PRIVATE")
    await mkdir(join(cwd, ".koda/commands"), { recursive: true })
    await symlink(join(runtime.system.home, ".ssh/id_rsa"), join(cwd, ".koda/commands/key.md"))
    provider.script(says("No."))
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("/key") })
    expect(names(client)).toEqual(OWN)
    expect(userWords(provider.asked)).toEqual(["/key"])
  })
})

describe("/plan", () => {
  test("switches to plan mode, and with words plans them", async () => {
    const { session, provider } = await workshop()
    provider.script(says("Let me see."))
    const { client, sessionId } = await session()

    await client.request("session/prompt", { sessionId, prompt: text("/plan") })
    expect(provider.asked).toEqual([])
    expect(client.updates("current_mode_update")).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "plan" },
    ])
    expect(client.updates("config_option_update")).toHaveLength(1)
    expect(said(client)).toMatch(/^Plan mode/)

    await client.request("session/prompt", { sessionId, prompt: text("/plan Add a login") })
    expect(userWords(provider.asked).at(-1)).toContain("/plan Add a login")
    expect(client.updates("current_mode_update")).toHaveLength(1) // it was there already
    expect(client.updates("session_info_update").at(-1)).toMatchObject({ title: "Add a login" })
  })

  test("/plan implement leaves plan mode and carries out the plan", async () => {
    const { session, provider } = await workshop({ launch: { mode: "plan" } })
    provider.script(says("On it."))
    const { client, sessionId } = await session()
    await client.request("session/set_plan", { sessionId, entries: [{ content: "Write b.txt" }] })
    await client.request("session/prompt", { sessionId, prompt: text("/plan implement") })

    expect(client.updates("current_mode_update").at(-1)).toMatchObject({ currentModeId: "code" })
    expect(userWords(provider.asked).at(-1)).toContain("- [ ] Write b.txt")
    expect(toolsOf(provider.asked)).toContain("write_file")
  })

  test("R-142 /plan implement under read_only opens no tool that writes", async () => {
    const { session, provider, cwd } = await workshop({ launch: { mode: "plan", policy: "read_only" } })
    provider.script(calls({ name: "write_file", input: { path: "b.txt", content: "x" } }), says("I may not."))
    const { client, sessionId } = await session()
    await client.request("session/set_plan", { sessionId, entries: [{ content: "Write b.txt" }] })
    await client.request("session/prompt", { sessionId, prompt: text("/plan implement") })

    expect(client.updates("current_mode_update").at(-1)).toMatchObject({ currentModeId: "code" })
    const writing = ["write_file", "replace", "edit_files", "edit_notebook"]
    expect(toolsOf(provider.asked).filter((name: string) => writing.includes(name))).toEqual([])
    await expect(readFile(join(cwd, "b.txt"))).rejects.toThrow()
    expect(client.asked("session/request_permission")).toEqual([])
  })

  test("without a plan there is nothing to implement", async () => {
    const { session, provider } = await workshop()
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("/plan implement") })
    expect(said(client)).toMatch(/^There is no plan yet/)
    expect(provider.asked).toEqual([])
  })
})

const toolsOf = (asked: { body: Loose }[]) => asked.at(-1)?.body.tools.map(({ function: f }: Loose) => f.name)

describe("/model and /mode", () => {
  test("say what there is, choose, and tell the client", async () => {
    const { session } = await workshop()
    const { client, sessionId } = await session()
    const prompt = async (words: string) => {
      const before = said(client).length
      await client.request("session/prompt", { sessionId, prompt: text(words) })
      return said(client).slice(before)
    }
    expect(await prompt("/model")).toContain("**`m`** (in use)")
    expect(await prompt("/model koda-offline")).toBe("The model is Koda offline from now on.")
    expect(await prompt("/model gpt-99")).toBe('There is no model "gpt-99"; there are m, koda-offline')
    expect(await prompt("/mode act")).toBe("The mode is code from now on.")
    expect(await prompt("/mode ask")).toBe("The mode is ask from now on.")
    expect(await prompt("/mode chaos")).toMatch(/^There is no mode "chaos"/)
    const last = client.updates("config_option_update").at(-1).configOptions
    expect(last.map(({ currentValue }: Loose) => currentValue)).toEqual(["koda-offline", "default", "ask"])
  })
})

describe("/trust", () => {
  const files = { ".koda/settings.json": JSON.stringify({ approvalMode: "yolo" }) }
  const trusted = async (home: string) =>
    JSON.parse(await readFile(join(home, "settings.json"), "utf8")).trustedWorkspaces

  test("asks first, and holds for sessions to come", async () => {
    const { session, home, cwd } = await workshop({ files })
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))

    await client.request("session/prompt", { sessionId, prompt: text("/trust") })

    const [asked] = client.asked("session/request_permission")
    expect(asked.options).toEqual([
      { optionId: "proceed_once", name: "Trust", kind: "allow_once" },
      { optionId: "cancel", name: "Do not trust", kind: "reject_once" },
    ])
    expect(asked.toolCall).toMatchObject({ title: `Trust ${cwd}?` })
    expect(asked.toolCall.content[0].content.text).toContain("Left out now: approvalMode.")
    expect(await trusted(home)).toEqual([cwd])
    expect(said(client)).toContain("not for this one")
    const next = await client.request("session/new", { cwd, mcpServers: [] })
    expect(next.configOptions[1].currentValue).toBe("yolo")
  })

  test.for([
    ["a no", { outcome: { outcome: "selected", optionId: "cancel" } }],
    ["a closed dialog", { outcome: { outcome: "cancelled" } }],
    ["nonsense", { yes: true }],
  ] as const)("%s changes nothing", async ([, answer]) => {
    const { session, home } = await workshop({ files })
    const { client, sessionId } = await session()
    client.on("session/request_permission", () => answer)
    await client.request("session/prompt", { sessionId, prompt: text("/trust") })
    expect(await trusted(home)).toBeUndefined()
    expect(said(client)).toContain("Nothing has changed")
  })
})

describe("what there is", () => {
  test.for([
    ["/agents", "There are no roles."],
    ["/skills", "There are no skills."],
    ["/memory", "There is no KODA.md"],
    ["/mcp", "There are no MCP servers"],
    ["/compact", "There is nothing to put in fewer words."],
  ] as const)("%s says so where there is none", async ([words, answer]) => {
    const { session, provider } = await workshop()
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text(words) })
    expect(said(client)).toContain(answer)
    expect(provider.asked).toEqual([])
  })

  test.for([
    ["/agents", "- `tester` Tries things"],
    ["/skills", ".koda/skills/deploy"],
    ["/memory", "AGENTS.md"],
    ["/mcp", "`files`"],
  ] as const)("%s names what there is", async ([words, answer]) => {
    const { session } = await workshop({
      files: {
        ".koda/agents/tester.md": "---\nname: tester\ndescription: Tries things\n---\nTry.",
        ".koda/skills/deploy/SKILL.md": "x",
        "AGENTS.md": "x",
      },
      settings: { mcpServers: { files: { command: "nowhere" } } },
    })
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text(words) })
    expect(said(client)).toContain(answer)
  })

  test("/init asks the model for KODA.md", async () => {
    const { session, provider } = await workshop()
    provider.script(says("Written."))
    const { client, sessionId } = await session()
    await client.request("session/prompt", { sessionId, prompt: text("/init the tests are slow") })
    expect(userWords(provider.asked)[0]).toMatch(/KODA\.md[\s\S]*Mind this: the tests are slow/)
    expect(client.updates("session_info_update").at(-1)).toMatchObject({ title: "Write KODA.md" })
  })
})
