import { describe, expect, test } from "vitest"
import { type Client, type Loose, STANDARD } from "../support/client.ts"
import { conversation, keeping, kept, LABEL, prompt } from "../support/kept.ts"
import { says } from "../support/provider.ts"
import { pausing } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

const UNKNOWN = "00000000-0000-4000-8000-000000000000"

describe("session/fork", () => {
  const fork = (client: Client, cwd: string, sessionId: string, label?: string) =>
    client.answerTo("session/fork", { sessionId, cwd, mcpServers: [], ...(label && { _meta: { [LABEL]: label } }) })

  test("R-043 R-044 R-045 R-050 R-059 goes on before the message that is named, and leaves the source as it is", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    const created = first.received.find(({ result }) => result?.sessionId === sessionId)?.result

    const { result } = (await fork(first, cwd, sessionId, "two")) as Loose
    provider.script(says("Forked."))
    await prompt(first, result.sessionId, "Otherwise?")
    const forked = conversation(provider.asked.at(-1))
    await prompt(first, sessionId, "And here?")

    expect(result.sessionId).not.toBe(sessionId)
    expect(Object.keys(result).sort()).toEqual(Object.keys(created).sort())
    expect([forked[0], ...forked.slice(-2)]).toEqual([
      "user: What is in a.txt?",
      "assistant: It is AAA.",
      "user: Otherwise?",
    ])
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual([
      "user: Thanks",
      "assistant: Welcome.",
      "user: And here?",
    ])
  })

  test("R-045 R-059 at the first message is a session without one, also after a restart", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client()
    const { result } = (await fork(client, cwd, sessionId, "one")) as Loose
    provider.script(says("Fresh."))
    await prompt(client, result.sessionId, "Begin")
    expect(conversation(provider.asked.at(-1))).toEqual(["user: Begin"])
    expect(client.updates("session_info_update").map(({ title }) => title)).toEqual([undefined, "Begin"])
  })

  test("its updates come after its answer, without the history", async () => {
    const { first, cwd, sessionId } = await kept()
    const from = first.story.length
    await fork(first, cwd, sessionId, "two")
    await first.until("· context_usage_update", from)
    expect(first.story.slice(from)).toEqual([
      "→ session/fork",
      "← session/fork",
      "· available_commands_update",
      "· mcp_state_update",
      "· session_info_update",
      "· context_usage_update",
    ])
  })

  test.for<[string, string, (p: { cwd: string; other: string }) => string, string | undefined]>([
    ["R-046 R-049 without the label", "boundary_missing", ({ cwd }) => cwd, undefined],
    ["R-047 with a label nobody has", "boundary_not_found", ({ cwd }) => cwd, "three"],
    ["R-048 for another folder", "cwd_mismatch", ({ other }) => other, "two"],
    ["R-048 for a folder that is not there", "cwd_mismatch", ({ other }) => `${other}/nowhere`, "two"],
  ])("%s is refused as %s", async ([, reason, folder, label]) => {
    const { first, cwd, sessionId } = await kept()
    const other = await temporaryFolder()
    expect(await fork(first, folder({ cwd, other }), sessionId, label)).toMatchObject({
      error: {
        code: -32002,
        message: expect.stringMatching(/^session fork unavailable/i),
        data: { reason, sessionId },
      },
    })
  })

  test("of a session that is not there is refused", async () => {
    const { client, cwd } = await keeping()
    expect(await fork(await client(), cwd, UNKNOWN, "one")).toMatchObject({
      error: { code: -32002, data: { reason: "not_found" } },
    })
  })

  test("in the standard without a label goes on at the end", async () => {
    const { again, cwd, sessionId, provider } = await kept()
    const client = await again().client(STANDARD)
    const { result } = (await fork(client, cwd, sessionId)) as Loose
    provider.script(says("On."))
    await prompt(client, result.sessionId, "On?")
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual(["user: Thanks", "assistant: Welcome.", "user: On?"])
  })

  test("R-144 has the policy of the command line; mode and model are the source's", async () => {
    const { first, cwd, sessionId } = await kept()
    await first.request("session/set_config_option", { sessionId, configId: "access_policy", value: "yolo" })
    await first.request("session/set_mode", { sessionId, modeId: "ask" })
    const { result } = (await fork(first, cwd, sessionId, "two")) as Loose
    expect(result.configOptions.map(({ currentValue }: Loose) => currentValue)).toEqual(["m", "default", "ask"])
  })

  test("of a session at work goes on from its last whole step", async () => {
    const { first, cwd, sessionId, provider } = await kept()
    provider.script(pausing("thinking", new Promise(() => {})))
    const turn = prompt(first, sessionId, "More", "three")
    await first.until("· agent_message_chunk thinking")
    const { result } = (await fork(first, cwd, sessionId, "three")) as Loose
    first.notify("session/cancel", { sessionId })
    await turn
    provider.script(says("On."))
    await prompt(first, result.sessionId, "On?")
    expect(conversation(provider.asked.at(-1)).slice(-3)).toEqual(["user: Thanks", "assistant: Welcome.", "user: On?"])
  })
})
