import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { client, ndJsonStream } from "@agentclientprotocol/sdk"
import { LLMock } from "@copilotkit/aimock"
import { describe, expect, onTestFinished, test } from "vitest"
import { ROOT } from "../../build/run.ts"
import type { Loose } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace, type Place } from "./place.ts"
import { SUBJECTS, type Subject } from "./subjects.ts"

const READ = { path: "a.txt" }
const WRITE = { path: "b.txt", content: "new\n" }

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("R-012 works with the protocol's own client: it reads, asks, writes and answers", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) => {
      const { role, text } = lastOf(asked)
      if (role !== "tool") return calls(["read_file", READ])
      return text.includes("old") ? calls(["write_file", WRITE]) : words("All ", "done.")
    })
    const seen = await withSdkClient(subject, place, model.env)
    expect(seen).toEqual({
      said: "All done.",
      asked: ["Create b.txt"],
      ended: ["completed", "completed"],
      stopReason: "end_turn",
      exit: 0,
    })
    expect(await readFile(join(place.workspace, "b.txt"), "utf8")).toBe("new\n")
  })

  test("works with a server of models that nobody here wrote", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const mock = new LLMock({ port: 0, logLevel: "silent" })
    mock.onMessage(/./, { toolCalls: [{ id: "c1", name: "read_file", arguments: JSON.stringify(READ) }] })
    mock.prependFixture({
      match: { toolCallId: "c1" },
      response: {
        content: "It is old.",
        toolCalls: [{ id: "c2", name: "write_file", arguments: JSON.stringify(WRITE) }],
      },
    })
    mock.prependFixture({ match: { toolCallId: "c2" }, response: { content: "All done." } })
    await mock.start()
    onTestFinished(() => mock.stop())
    const env = { OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: "mock", OPENAI_MODEL: "gpt-4o" }
    expect(await withSdkClient(subject, place, env)).toEqual({
      said: "It is old.All done.",
      asked: ["Create b.txt"],
      ended: ["completed", "completed"],
      stopReason: "end_turn",
      exit: 0,
    })
    expect(await readFile(join(place.workspace, "b.txt"), "utf8")).toBe("new\n")
  })

  test.each([
    ["--approve-all", "proceed_once", "All done."],
    ["--deny-all", "cancel", "As you wish."],
  ])("works with acpx %s", async (flag, option, end) => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) => {
      const { role, text } = lastOf(asked)
      if (role !== "tool") return calls(["read_file", READ])
      if (text.includes("old")) return calls(["write_file", WRITE])
      return words(text.startsWith("Created") ? "All done." : "As you wish.")
    })
    const messages = await withAcpx(subject, place, model.env, flag)
    expect(chosenIn(messages)).toBe(option)
    expect(saidIn(messages)).toBe(end)
    expect(messages.at(-1)?.result.stopReason).toBe("end_turn")
    const written = await readFile(join(place.workspace, "b.txt"), "utf8").catch(() => undefined)
    expect(written).toBe(flag === "--deny-all" ? undefined : "new\n")
  })
})

interface Seen {
  said: string
  /** What we were asked to allow. */
  asked: string[]
  /** How the tool calls ended. */
  ended: string[]
  stopReason: string
  exit: number | string
}

/** One prompt through the client that comes with the protocol, which checks what it is sent. */
async function withSdkClient(subject: Subject, place: Place, env: Record<string, string>): Promise<Seen> {
  const [program, ...args] = subject.command
  const options = { cwd: place.workspace, env: { ...place.env, ...env } }
  const child = spawn(program, [...args, "--acp"], { ...options, stdio: ["pipe", "pipe", "ignore"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const exit = once(child, "close")
  const seen: Omit<Seen, "exit"> = { said: "", asked: [], ended: [], stopReason: "" }
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  )
  const editor = client({ name: "end-to-end" })
    .onRequest("session/request_permission", ({ params: { toolCall, options } }) => {
      seen.asked.push(toolCall.title ?? "")
      const { optionId } = options.find(({ kind }) => kind === "allow_once")!
      return { outcome: { outcome: "selected", optionId } }
    })
    .onRequest("fs/read_text_file", async ({ params }) => ({ content: await readFile(params.path, "utf8") }))

  await editor.connectWith(stream, async (agent) => {
    const { protocolVersion } = await agent.request("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "end-to-end", version: "1.0.0" },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
    })
    expect(protocolVersion).toBe(1)
    await agent.buildSession(place.workspace).withSession(async (session) => {
      const answer = session.prompt("Please go on.")
      for (;;) {
        const message = await session.nextUpdate()
        if (message.kind === "stop") break
        const { update } = message
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          seen.said += update.content.text
        const ended = update.sessionUpdate === "tool_call_update" && update.status
        if (ended === "completed" || ended === "failed") seen.ended.push(ended)
      }
      seen.stopReason = (await answer).stopReason
    })
  })
  child.stdin.end()
  const [code, signal] = await exit
  return { ...seen, exit: code ?? signal }
}

/** One prompt through acpx, and the messages that it shows. */
async function withAcpx(subject: Subject, place: Place, env: Record<string, string>, flag: string): Promise<Loose[]> {
  const agent = [...subject.command, "--acp"].map((word) => `"${word}"`).join(" ")
  const cli = fileURLToPath(import.meta.resolve("acpx"))
  const args = [cli, "--agent", agent, "--cwd", place.workspace, flag, "--format", "json", "exec", "Please go on."]
  const options = { cwd: place.workspace, env: { ...place.env, ...env } }
  const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
    execFile(join(ROOT, "node_modules/.bin/node"), args, options, (_, stdout) => resolve({ stdout }))
  })
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
}

const chosenIn = (messages: Loose[]) => messages.find(({ result }) => result?.outcome)?.result.outcome.optionId

function saidIn(messages: Loose[]): string {
  return messages
    .flatMap(({ params }) =>
      params?.update?.sessionUpdate === "agent_message_chunk" ? [params.update.content.text] : [],
    )
    .join("")
}
