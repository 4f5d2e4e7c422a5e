import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, onTestFinished, test } from "vitest"
import { begin, INITIALIZE, type Koda, type Loose, prompt, said, startKoda, updates } from "./koda.ts"
import { type Asked, calls, startModel, words } from "./model.ts"
import { newPlace, type Place } from "./place.ts"
import { eventually, processes } from "./processes.ts"
import { random } from "./random.ts"
import { problemsOf, textsOf } from "./requests.ts"
import { SUBJECTS } from "./subjects.ts"

const ENDS = ["kill", "cancel", "kill", "close", "hang up"] as const

/** Enough to meet each kind of end; by hand, `KODA_KILLS=100` meets each of them at all moments. */
const ROUNDS = Number(process.env["KODA_KILLS"] ?? ENDS.length)
const SEED = Number(process.env["KODA_SEED"] ?? 5)

/** Frames and requests of a turn that nobody ends, about. */
const MOMENTS = 45
/** Steps that each of the two that work long has. */
const STEPS = 20

const KNOWS_SUBAGENTS = { protocolVersion: 1, clientCapabilities: { subagents: true } }

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("R-183 R-184 R-185 R-190 R-333 two at once hold the next reply; a third reports in a turn of its own", async () => {
    const place = await newPlace()
    const gate = Promise.withResolvers<void>()
    const model = await startModel(function* (asked) {
      const work = workOf(asked)
      if (work === "in the background") yield gate.promise
      if (work !== undefined) yield* words("found ", work)
      else yield* parent(asked)
    })
    const parent = (asked: Asked) => {
      const made = repliesSince(asked)
      if (promptOf(asked) === "both")
        return made > 0
          ? words("Both are in.")
          : calls(...["one", "two"].map((it) => ["run_subagent", { description: it, prompt: `work: ${it}` }] as const))
      const input = { agent: "research", goal: "work: in the background", background: true }
      return made === 0 ? calls(["sub_agent", input]) : words(made === 1 ? "Going on. " : "And that.")
    }
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace, KNOWS_SUBAGENTS)

    const both = await prompt(koda, sessionId, "both")
    const promptId = both.result._meta["com.kodadev.promptId"]
    const ids = (await tasksOf(koda, sessionId)).map(({ taskId }) => taskId)
    expect(turnsIn(koda, sessionId)).toEqual([
      { state: "waiting", promptId, taskIds: ids },
      { state: "resumed", promptId },
    ])
    const [answered] = model.asked.slice(-1)
    expect(ids.map((id) => reportsOf(answered!, id).length)).toEqual([1, 1])

    expect((await prompt(koda, sessionId, "another")).result.stopReason).toBe("end_turn")
    expect(said(koda, sessionId)).toBe("Both are in.Going on. ")
    gate.resolve()
    await koda.until(({ params }) => params?.update?.state === "finished")
    const [third] = (await tasksOf(koda, sessionId)).slice(-1)
    const own = expect.any(String)
    expect(turnsIn(koda, sessionId).slice(2)).toEqual([
      { state: "started", promptId: own, taskIds: [third.taskId] },
      { state: "finished", promptId: own, stopReason: "end_turn" },
    ])
    expect(said(koda, sessionId)).toBe("Both are in.Going on. And that.")
    expect(model.asked.flatMap(problemsOf)).toEqual([])
    expect(await koda.hangUp()).toBe(0)
  })

  test(`SA-03 SA-05 R-340 R-344 nested work that is killed, cancelled, closed or left, ${ROUNDS} times at any moment: no process is left, no file half written, each result told once`, {
    timeout: 60_000 + ROUNDS * 5_000,
  }, async () => {
    const files = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`text/${at}.txt`, "nothing\n".repeat(500)]))
    const place = await newPlace(files)
    const sleepers = sleepersIn()
    const chance = random(SEED)
    let moments = 0
    let onMoment = () => {}
    const model = await startModel((asked) => {
      moments++
      onMoment()
      return replyTo(asked, sleepers.command)
    })
    const options = {
      env: model.env,
      args: ["--acp", "--approval-mode", "yolo", "--session-store", join(place.temp, "store")],
    }
    const start = async (round: number) => {
      const koda = startKoda(subject, place, options)
      await koda.request("initialize", round % 2 ? KNOWS_SUBAGENTS : INITIALIZE)
      return koda
    }
    const load = async (koda: Koda) => {
      const { error } = await koda.request("session/load", { sessionId, cwd: place.workspace, mcpServers: [] })
      expect(error).toBeUndefined()
    }
    let koda = await start(0)
    const { result } = await koda.request("session/new", { cwd: place.workspace, mcpServers: [] })
    const sessionId = result.sessionId as string
    const seen = new Set<string>()
    let hadSleepers = false
    /** Resolves when as much has happened as chance says, or the request is answered. */
    const atSomeMoment = async (most: number, id: string) => {
      const at = moments + koda.frames.length + Math.floor(chance() * most)
      const delayMs = chance() * 4
      const end = Promise.withResolvers<void>()
      onMoment = () => {
        if (moments + koda.frames.length >= at) setTimeout(end.resolve, delayMs)
      }
      koda.child.stdout!.on("data", () => onMoment())
      void koda
        .until((frame) => frame.id === id)
        .finally(end.resolve)
        .catch(() => {}) // killed first
      await end.promise
      onMoment = () => {}
    }

    for (let round = 0; round < ROUNDS; round++) {
      const id = `go ${round}`
      koda.send({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: id }] } })
      await atSomeMoment(MOMENTS, id)
      const end = ENDS[round % ENDS.length]!
      hadSleepers ||= (await sleepers.running()).length > 0
      if (end === "cancel") {
        koda.notify("session/cancel", { sessionId })
        await koda.until((frame) => frame.id === id)
        const foreground = (await tasksOf(koda, sessionId)).filter(({ background }) => !background)
        expect(foreground.filter(isAlive), "what the turn waited for ends with it").toEqual([])
        expect((await prompt(koda, sessionId, `check ${round} meanwhile`)).result.stopReason).toBe("end_turn")
      }
      if (end === "kill") {
        koda.child.kill("SIGKILL")
        await koda.ended
      } else if (end === "hang up") expect(await koda.hangUp()).toBe(0)
      else await koda.request("session/close", { sessionId })
      await sleepers.gone()
      await expectWhole(place)
      if (end === "kill" || end === "hang up") koda = await start(round)
      await load(koda)

      if (chance() < 0.3) {
        const check = `check ${round} at first`
        koda.send({
          id: check,
          method: "session/prompt",
          params: { sessionId, prompt: [{ type: "text", text: check }] },
        })
        await atSomeMoment(6, check)
        koda.child.kill("SIGKILL")
        await koda.ended
        koda = await start(round)
        await load(koda)
      }
      const tasks = await tasksOf(koda, sessionId)
      expect(tasks.filter(isAlive), "nothing runs by itself").toEqual([])
      expect((await prompt(koda, sessionId, `check ${round}`)).result.stopReason).toBe("end_turn")
      const answered = model.asked.findLast((asked) => promptOf(asked) === `check ${round}`)!
      for (const { taskId, status, background, description } of tasks) {
        const reports = reportsOf(answered, taskId)
        if (background) expect([description, ...reports]).toEqual([description, status])
        else expect(reports.length).toBeLessThanOrEqual(1)
        seen.add(status)
      }
    }
    expect(model.asked.flatMap(problemsOf)).toEqual([])
    expect(await koda.hangUp()).toBe(0)
    await sleepers.gone()
    if (ROUNDS < ENDS.length) return
    expect(hadSleepers, "some were ended while commands ran").toBe(true)
    expect([...seen]).toEqual(expect.arrayContaining(["completed", "interrupted"]))
  })
})

/** The parent hands out three pieces of work at once: one that it waits for, and two in the background. */
function replyTo(asked: Asked, sleep: string): string[] {
  const work = workOf(asked)
  const made = repliesSince(asked)
  const [kind, round] = work?.split(" ") ?? []
  if (kind === "quick") return words("found ", `${round}`)
  if (kind !== undefined && made >= STEPS) return words(`${kind} is done`)
  if (kind === "search") return calls(["search_file_content", { pattern: `needle ${made}`, path: "text" }])
  if (kind === "forge") {
    const content = String.fromCharCode(65 + (made % 26)).repeat(60_000)
    const command = `echo ${made}; (setsid sh -c '${sleep}; :' >/dev/null 2>&1 &); ${made % 6 === 1 ? sleep : ":"}`
    if (made % 3 === 0) return calls(["write_file", { path: `forge-${round}.txt`, content }])
    return calls(["run_shell_command", { command, timeout_ms: made % 6 === 1 ? 80 : 60_000 }])
  }
  const [, go] = /^go (\d+)$/.exec(promptOf(asked)) ?? []
  if (go === undefined || made > 0) return words("All ", "is ", "well.")
  const hand = (agent: string, goal: string, background: boolean) =>
    ["sub_agent", { agent, goal: `work: ${goal} ${go}`, background }] as const
  return calls(hand("research", "search", true), hand("research", "quick", true), hand("implement", "forge", false))
}

/** What a subagent is to do; undefined for the parent. */
function workOf(asked: Asked): string | undefined {
  const told = textsOf({ ...asked, messages: asked.messages.filter(({ role }) => role === "user") })
  return told.flatMap((text) => /^work: (.*)/.exec(text)?.[1] ?? [])[0]
}

/** The words of the last prompt. */
function promptOf({ messages }: Asked): string {
  const texts = messages.filter(({ role }) => role === "user").flatMap((message) => textsOf({ messages: [message] }))
  return texts.findLast((text) => /^(go|check|both|another)\b/.test(text)) ?? ""
}

/** How often the model has spoken since it was asked last; reports are not its words. */
function repliesSince(asked: Asked): number {
  const { messages } = asked
  const at = messages.findLastIndex(
    (message) =>
      message.role === "user" &&
      textsOf({ messages: [message] }).some((text) => /^(go|check|both|another|work)\b/.test(text)),
  )
  const replies = messages.slice(at).filter(({ role }) => role === "assistant")
  return replies.filter(({ tool_calls = [] }) => tool_calls[0]?.function.name !== "subagent_report").length
}

/** How a task is said to have ended, each time that its report is in the request. */
function reportsOf({ messages }: Asked, taskId: string): string[] {
  const results = messages.filter(({ role }) => role === "tool")
  return textsOf({ messages: results }).flatMap(
    (text) => new RegExp(`^Task ${taskId}: (\\w+)`, "m").exec(text)?.[1] ?? [],
  )
}

async function tasksOf(koda: Koda, sessionId: string): Promise<Loose[]> {
  return (await koda.request("session/subagent_list", { sessionId })).result.tasks
}

function isAlive({ status }: Loose): boolean {
  return ["queued", "running", "stalled"].includes(status)
}

function turnsIn(koda: Koda, sessionId: string): Loose[] {
  return updates(koda, sessionId).flatMap(({ sessionUpdate, ...turn }) =>
    sessionUpdate === "subagent_turn" ? [turn] : [],
  )
}

/** Each file is one letter, as long as it should be. */
async function expectWhole({ workspace }: Place): Promise<void> {
  const names = (await readdir(workspace)).filter((name) => /^forge-\d+\.txt$/.test(name))
  const torn = names.map(async (name) => !/^(.)\1{59999}$/.test(await readFile(join(workspace, name), "utf8")) && name)
  expect((await Promise.all(torn)).filter(Boolean)).toEqual([])
}

/** A command that is found again, wherever it runs. */
function sleepersIn() {
  const command = `sleep 600.${process.pid}${String(Math.random()).slice(2, 8)}`
  const running = async () => (await processes()).filter((one) => one.command.includes(command))
  onTestFinished(async () => {
    for (const { pid } of await running()) process.kill(pid, "SIGKILL")
  })
  const gone = () =>
    eventually(
      async () => (await running()).length === 0,
      async () => JSON.stringify(await running()),
    )
  return { command, running, gone }
}
