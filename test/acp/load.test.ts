import { mkdir, rm, symlink } from "node:fs/promises"
import { describe, expect, test } from "vitest"
import { type Loose, STANDARD } from "../support/client.ts"
import { conversation, keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { temporaryFolder } from "../support/runtime.ts"

const UNKNOWN = "00000000-0000-4000-8000-000000000000"

describe("session/load", () => {
  test("R-051 R-053 R-056 R-057 in another process: the history, then the answer, then the start-up updates", async () => {
    const { again, cwd, sessionId } = await kept()
    const client = await again().client()
    const from = client.story.length

    const answer = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    await client.until("· context_usage_update")

    expect(answer).toBe(null)
    expect(client.story.slice(from)).toEqual([
      "→ session/load",
      "· user_message_chunk What is in a.txt?",
      "· agent_thought_chunk Hm.",
      "· tool_call pending: Read a.txt",
      "· tool_call_update call-1 completed",
      "· agent_message_chunk It is AAA.",
      "· user_message_chunk Thanks",
      "· agent_message_chunk Welcome.",
      "← session/load",
      "· config_option_update",
      "· available_commands_update",
      "· mcp_state_update",
      "· session_info_update",
      "· context_usage_update",
    ])
    expect(client.updates("session_info_update").at(-1)).toMatchObject({ title: "What is in a.txt?" })
    expect(client.updates("user_message_chunk").map(({ _meta }) => _meta?.[LABEL])).toEqual(["one", "two"])
  })

  test("R-057 the session goes on where it was", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    provider.script(says("On we go."))

    expect(await prompt(client, sessionId, "And now?")).toMatchObject({ stopReason: "end_turn" })

    expect(conversation(provider.asked.at(-1)).map((line: string) => line.split("\n")[0])).toEqual([
      "user: What is in a.txt?",
      "assistant: ",
      expect.stringMatching(/^tool: /),
      "assistant: It is AAA.",
      "user: Thanks",
      "assistant: Welcome.",
      "user: And now?",
    ])
  })

  test("the same system text and tools as before, so that what a server has cached holds", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    await prompt(client, sessionId, "And now?")
    const [before, after] = [provider.asked.at(-2)!.body as Loose, provider.asked.at(-1)!.body as Loose]
    expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools))
    expect(JSON.stringify(after.messages.slice(0, before.messages.length))).toBe(JSON.stringify(before.messages))
  })

  test("in the standard the answer is the modes and the options", async () => {
    const { again, cwd, sessionId } = await kept()
    const client = await again().client(STANDARD)
    const answer = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    expect(Object.keys(answer).sort()).toEqual(["configOptions", "modes"])
    expect(answer.modes.currentModeId).toBe("code")
  })

  test("without the history, if the client keeps it itself; and so for session/resume", async () => {
    const { again, cwd, sessionId } = await kept()
    const load = await again().client(STANDARD)
    await load.request("session/load", { sessionId, cwd, mcpServers: [], _meta: { "com.kodadev.replay": false } })
    const resume = await again().client(STANDARD)
    await resume.request("session/resume", { sessionId, cwd, mcpServers: [] })
    expect([load, resume].map((client) => client.updates("user_message_chunk").length)).toEqual([0, 0])
  })

  test("R-054 R-055 in another folder is refused", async () => {
    const { again, sessionId } = await kept()
    const client = await again().client()
    const elsewhere = await temporaryFolder()
    expect(await client.answerTo("session/load", { sessionId, cwd: elsewhere, mcpServers: [] })).toMatchObject({
      error: {
        code: -32001,
        message: expect.stringMatching(/^session restore unavailable/i),
        data: { reason: "cwd_mismatch", sessionId },
      },
    })
  })

  test("R-054 SL-10 in a folder that is not there is refused, and its own is named", async () => {
    const { again, sessionId, cwd } = await kept()
    const client = await again().client()
    const load = (cwd: string) => client.answerTo("session/load", { sessionId, cwd, mcpServers: [] })
    expect(await load(`${cwd}/nowhere`)).toMatchObject({ error: { code: -32001, data: { reason: "cwd_mismatch" } } })
    await rm(cwd, { recursive: true })
    expect(await load(cwd)).toMatchObject({
      error: { code: -32602, data: { details: `there is no folder "${cwd}"`, reason: "not_found" } },
    })
  })

  test("R-054 SL-10 a trailing slash or a link leads to the same folder", async () => {
    const { again, cwd, sessionId } = await kept()
    const link = `${await temporaryFolder()}/link`
    await symlink(cwd, link)
    for (const path of [`${cwd}/`, link]) {
      const client = await again().client()
      expect(await client.request("session/load", { sessionId, cwd: path, mcpServers: [] })).toBe(null)
    }
  })

  test.for([UNKNOWN, "../../etc/passwd", ""])(
    "SL-05 of %j, which is not there, is told as each dialect has it",
    async (sessionId) => {
      const { client, cwd } = await keeping()
      const params = { sessionId, cwd, mcpServers: [] }
      expect(await (await client()).answerTo("session/load", params)).toMatchObject({
        error: { code: -32001, data: { reason: "not_found" } },
      })
      expect(await (await client(STANDARD)).answerTo("session/load", params)).toMatchObject({
        error: { code: -32002, data: { reason: "not_found" } },
      })
    },
  )

  test("R-143 R-144 begins with the policy of the command line, and with the mode and the model it had", async () => {
    const { again, first, cwd, sessionId } = await kept()
    for (const [configId, value] of [
      ["access_policy", "yolo"],
      ["mode", "debug"],
      ["models", "koda-offline"],
    ]) {
      await first.request("session/set_config_option", { sessionId, configId, value })
    }
    const client = await again({ policy: "read_only" }).client(STANDARD)
    const { configOptions } = await client.request("session/load", { sessionId, cwd, mcpServers: [] })
    expect(configOptions.map(({ currentValue }: Loose) => currentValue)).toEqual(["koda-offline", "read_only", "debug"])
  })

  test("keeps what the client had narrowed, if it does not say it again", async () => {
    const place = await keeping()
    place.provider.script(says("hi"))
    const narrowed = {
      excludeTools: ["run_shell_command"],
      coreTools: ["read_file", "shell"],
      systemPrompt: "A pirate.",
    }
    const { client, sessionId } = await place.session({}, narrowed)
    await prompt(client, sessionId, "hi")
    const other = await place.again().client()
    await other.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] })
    await prompt(other, sessionId, "hi")
    const { tools, messages } = place.provider.asked.at(-1)!.body as Loose
    expect(tools.map(({ function: { name } }: Loose) => name)).toEqual(["read_file"])
    expect(messages[0].content).toMatch(/^A pirate\./)
  })

  test("SL-10 a session whose folder is gone says so", async () => {
    const { again, cwd, sessionId } = await kept()
    await rm(cwd, { recursive: true })
    const client = await again().client()
    const answer = await client.answerTo("session/load", { sessionId, cwd, mcpServers: [] })
    expect(answer).toMatchObject({ error: { data: { details: expect.stringContaining(cwd) } } })
    await mkdir(cwd)
  })
})
