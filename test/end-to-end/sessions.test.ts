import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { access, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { Readable, Writable } from "node:stream"
import { client, ndJsonStream, type PromptResponse } from "@agentclientprotocol/sdk"
import { describe, expect, onTestFinished, test } from "vitest"
import { ROOT } from "../../build/run.ts"
import { INITIALIZE, type Loose, prompt, startKoda, updates } from "./koda.ts"
import { type Asked, calls, type FakeModel, KEY, lastOf, startModel, words } from "./model.ts"
import { newPlace, type Place } from "./place.ts"
import { eventually, processes } from "./processes.ts"
import { problemsOf, textsOf } from "./requests.ts"
import { SUBJECTS, type Subject } from "./subjects.ts"

const LABEL = "com.kodadev.desktopEntryId"
const INTERRUPTED = "stopped in the middle of its work"

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("SL-07 the protocol's own client resumes a session whose process was killed in a turn", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel(interruptible)
    const first = withSdk(subject, place, model)
    const sessionId = await first.run(async (agent) => {
      const { sessionId } = await agent.request("session/new", { cwd: place.workspace, mcpServers: [] })
      void agent.request("session/prompt", promptOf(sessionId, "Begin")).catch(() => {}) // it is killed
      await ready(place)
      first.child.kill("SIGKILL")
      return sessionId
    })

    const second = withSdk(subject, place, model)
    const stopReason = await second.run(async (agent) => {
      const { agentCapabilities } = second.initialized
      expect(agentCapabilities?.loadSession).toBe(true)
      const { sessions } = await agent.request("session/list", { cwd: place.workspace })
      expect(sessions.map((one) => [one.sessionId, one.title])).toEqual([[sessionId, "Begin"]])
      await agent.request("session/load", { sessionId, cwd: place.workspace, mcpServers: [] })
      expect(second.told.map(kindOf).slice(0, 5)).toEqual([
        "user_message_chunk",
        "tool_call",
        "tool_call_update completed",
        "tool_call",
        "tool_call_update failed",
      ])
      const answer: PromptResponse = await agent.request("session/prompt", promptOf(sessionId, "Go on"))
      return answer.stopReason
    })
    expect(stopReason).toBe("end_turn")
    expectToGoOn(model.asked)
    second.child.stdin!.end()
    await second.ended
  })

  test("SL-07 acpx resumes a session whose agent was killed in a turn", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel(interruptible)
    const acpx = acpxFor(subject, place, model)
    await acpx("sessions", "new")
    const torn = acpx("prompt", "Begin")
    await ready(place)
    for (const { pid } of await agentsOf(place)) process.kill(pid, "SIGKILL")
    await torn
    const out = await acpx("prompt", "Go on")
    expect(out).toContain("Here again.")
    expectToGoOn(model.asked)
    await acpx("sessions", "close")
  })

  test("R-043 R-051 R-059 a session is forked before a message, after a restart and in another dialect, and both go on", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) =>
      words(
        `You said ${textsOf(asked)
          .filter((text) => /^\w+$/.test(text))
          .join(" ")}.`,
      ),
    )
    const options = { env: model.env, args: ["--acp", "--session-store", join(place.temp, "store")] }
    const first = startKoda(subject, place, options)
    await first.request("initialize", INITIALIZE)
    const opened = await first.request("session/new", { cwd: place.workspace, mcpServers: [] })
    const { sessionId } = opened.result
    for (const word of ["one", "two", "three"]) {
      await first.request("session/prompt", { ...promptOf(sessionId, word), _meta: { [LABEL]: word } })
    }
    first.child.kill("SIGKILL")
    await first.ended

    const second = startKoda(subject, place, options)
    await second.request("initialize", { protocolVersion: 1, clientCapabilities: { subagents: true } })
    const params = { sessionId, cwd: place.workspace, mcpServers: [] }
    expect((await second.request("session/fork", params)).error?.code).toBe(-32002)
    const { result } = await second.request("session/fork", { ...params, _meta: { [LABEL]: "three" } })
    expect((await prompt(second, result.sessionId, "four")).result.stopReason).toBe("end_turn")
    expect(textsOf(model.asked.at(-1)!).filter((text) => /^\w+$/.test(text))).toEqual(["one", "two", "four"])
    expect((await second.request("session/load", params)).result).toBe(null)
    expect(
      updates(second, sessionId).flatMap(({ sessionUpdate, content }) =>
        sessionUpdate === "user_message_chunk" ? [content.text] : [],
      ),
    ).toEqual(["one", "two", "three"])
    const listed = await second.request("session/list", {})
    expect(listed.result.sessions.map((one: Loose) => one.sessionId).sort()).toEqual(
      [sessionId, result.sessionId].sort(),
    )
    expect((await second.request("session/delete", { sessionId })).result).toEqual({})
    expect((await prompt(second, result.sessionId, "five")).result.stopReason).toBe("end_turn")
    expect(await second.hangUp()).toBe(0)

    const store = join(place.temp, "store")
    for (const name of await readdir(store)) expect((await readFile(join(store, name))).includes(KEY)).toBe(false)
  })

  test("two processes with one store: the last to load a session owns it, and the other sessions are nobody's business", async () => {
    const place = await newPlace()
    const held = Promise.withResolvers<void>()
    const model = await startModel((asked) =>
      lastOf(asked).text === "wait"
        ? [...words("I wait.").slice(0, 1), held.promise, ...words("Done.")]
        : words("Yes."),
    )
    const options = { env: model.env, args: ["--acp", "--session-store", join(place.temp, "store")] }
    const [first, second] = [startKoda(subject, place, options), startKoda(subject, place, options)]
    await Promise.all([first, second].map((koda) => koda.request("initialize", INITIALIZE)))
    const [one, two] = await Promise.all(
      [first, second].map(async (koda) => {
        const { result } = await koda.request("session/new", { cwd: place.workspace, mcpServers: [] })
        return result.sessionId as string
      }),
    )
    const turn = prompt(first, one!, "wait")
    await first.until(({ params }) => params?.update?.content?.text === "I wait.")
    expect(
      (await second.request("session/load", { sessionId: one, cwd: place.workspace, mcpServers: [] })).error,
    ).toBeUndefined()
    held.resolve()
    expect((await turn).error).toMatchObject({ code: -32002, data: { reason: "taken_over" } })
    const answers = await Promise.all([prompt(second, one!, "go"), prompt(second, two!, "go")])
    expect(answers.map(({ result }) => result?.stopReason)).toEqual(["end_turn", "end_turn"])
    expect((await prompt(first, one!, "go")).error).toMatchObject({ code: -32002, data: { reason: "taken_over" } })
  })
})

/** Reads a file, and begins a command that does not end; when it is asked to go on, says so. */
function interruptible(asked: Asked) {
  const { role, text } = lastOf(asked)
  if (role === "tool") return calls(["run_shell_command", { command: "touch ready; sleep 600" }])
  return text === "Go on" ? words("Here ", "again.") : calls(["read_file", { path: "a.txt" }])
}

function expectToGoOn(asked: readonly Asked[]): void {
  expect(asked.flatMap(problemsOf)).toEqual([])
  const texts = textsOf(asked.at(-1)!)
  expect(texts).toContain("Begin")
  expect(texts.filter((text) => text.includes(INTERRUPTED))).toHaveLength(1)
  expect(texts.at(-1)).toBe("Go on")
}

const promptOf = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text" as const, text }] })

const kindOf = ({ sessionUpdate, status }: Loose) =>
  sessionUpdate === "tool_call_update" ? `${sessionUpdate} ${status}` : sessionUpdate

/** Resolves when the command runs that does not end. */
function ready(place: Place): Promise<void> {
  const isReady = () =>
    access(join(place.workspace, "ready")).then(
      () => true,
      () => false,
    )
  return eventually(isReady, () => "the command does not run")
}

/** koda as the protocol's own client sees it. */
function withSdk(subject: Subject, place: Place, model: FakeModel) {
  const [program, ...args] = subject.command
  const own = ["--acp", "--approval-mode", "yolo", "--session-store", join(place.temp, "store")]
  const options = { cwd: place.workspace, env: { ...place.env, ...model.env } }
  const child = spawn(program, [...args, ...own], { ...options, stdio: ["pipe", "pipe", "ignore"] })
  child.stdin.on("error", () => {}) // it is killed
  onTestFinished(() => void child.kill("SIGKILL"))
  const told: Loose[] = []
  const editor = client({ name: "end-to-end" }).onNotification(
    "session/update",
    ({ params }) => void told.push(params.update),
  )
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  )
  type Agent = Parameters<Parameters<typeof editor.connectWith>[1]>[0]
  let initialized: Loose
  return {
    child,
    told,
    ended: once(child, "close"),
    get initialized() {
      return initialized
    },
    run: <Result>(op: (agent: Agent) => Promise<Result>): Promise<Result> =>
      editor.connectWith(stream, async (agent) => {
        initialized = await agent.request("initialize", INITIALIZE)
        return await op(agent)
      }),
  }
}

/** acpx, which keeps an agent and starts it again when it is gone. Answers with what it prints. */
function acpxFor(subject: Subject, place: Place, model: FakeModel): (...command: string[]) => Promise<string> {
  const own = ["--acp", "--approval-mode", "yolo", "--session-store", join(place.temp, "store")]
  const agent = [...subject.command, ...own].map((word) => `"${word}"`).join(" ")
  const cli = join(ROOT, "node_modules/acpx/dist/cli.js")
  const flags = ["--agent", agent, "--cwd", place.workspace, "--approve-all", "--ttl", "5", "--format", "json"]
  const options = { cwd: place.workspace, env: { ...place.env, ...model.env } }
  onTestFinished(async () => {
    for (const { pid, command } of await processes()) if (command.includes(place.temp)) process.kill(pid, "SIGKILL")
  })
  return (...command) =>
    new Promise((resolve) => {
      execFile(join(ROOT, "node_modules/.bin/node"), [cli, ...flags, ...command], options, (_, stdout) =>
        resolve(saidIn(stdout)),
      )
    })
}

/** What the agent is heard to say in the lines that acpx shows. */
function saidIn(stdout: string): string {
  const messages = stdout.split("\n").flatMap((line): Loose[] => (line.startsWith("{") ? [JSON.parse(line)] : []))
  return messages
    .flatMap(({ params }) =>
      params?.update?.sessionUpdate === "agent_message_chunk" ? [params.update.content.text] : [],
    )
    .join("")
}

/** The agents that acpx has started here. */
async function agentsOf(place: Place): Promise<{ pid: number }[]> {
  const all = await processes()
  return all.filter(({ command }) => command.includes(join(place.temp, "store")) && !command.includes("acpx"))
}
