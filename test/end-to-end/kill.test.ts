import { readFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, test } from "vitest"
import { INITIALIZE, type Loose, prompt, startKoda, updates } from "./koda.ts"
import { type Asked, calls, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { random } from "./random.ts"
import { problemsOf, textsOf } from "./requests.ts"
import { SUBJECTS } from "./subjects.ts"

/** Enough to meet each kind of moment now and then; by hand, `KODA_KILLS=100` meets all of them on each runtime. */
const KILLS = Number(process.env["KODA_KILLS"] ?? 6)
const SEED = Number(process.env["KODA_SEED"] ?? 20)

/** Frames and requests of a turn that is not killed, and some more: then it has ended first. */
const MOMENTS = 34
const INTERRUPTED = "stopped in the middle of its work"

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test(`kill -9, ${KILLS} times at any moment of a turn with tools: nothing acknowledged is lost, no call runs twice, every request is valid`, {
    timeout: 60_000 + KILLS * 5_000,
  }, async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const chance = random(SEED)
    let moments = 0
    let onMoment = () => {}
    let steps = 0
    const model = await startModel((asked) => {
      moments++
      onMoment()
      return replyTo(asked, () => ++steps)
    })
    const options = {
      env: model.env,
      args: ["--acp", "--approval-mode", "yolo", "--session-store", join(place.temp, "store")],
    }
    let sessionId: string | undefined
    /** What koda has said that it has: messages, and calls that came to their end. */
    const kept = { messages: [] as string[], calls: new Map<string, string>() }
    let torn = 0

    for (let kill = 0; kill <= KILLS; kill++) {
      const koda = startKoda(subject, place, options)
      await koda.request("initialize", INITIALIZE)
      if (sessionId === undefined) {
        const { result } = await koda.request("session/new", { cwd: place.workspace, mcpServers: [] })
        sessionId = result.sessionId as string
      } else {
        const { error } = await koda.request("session/load", { sessionId, cwd: place.workspace, mcpServers: [] })
        expect(error).toBeUndefined()
        const replayed = messagesIn(updates(koda, sessionId))
        expect(replayed.filter((text) => kept.messages.includes(text))).toEqual(kept.messages)
        expect(new Set(replayed).size, "no message is there twice").toBe(replayed.length)
        const ended = endsIn(updates(koda, sessionId))
        for (const [id, status] of kept.calls) expect([id, ended.get(id)]).toEqual([id, status])
      }
      expect((await prompt(koda, sessionId, `check ${kill}`)).result.stopReason).toBe("end_turn")
      kept.messages.push(`check ${kill}`)
      const told = textsOf(model.asked.at(-1)!).filter((text) => text.includes(INTERRUPTED))
      expect(told.length, "each turn that was torn is told of in one line").toBeGreaterThanOrEqual(torn)
      expect(told.length).toBeLessThanOrEqual(kill)
      if (kill === KILLS) break

      const at = moments + koda.frames.length + 1 + Math.floor(chance() * MOMENTS)
      const delayMs = chance() * 4
      const before = model.asked.length
      let isSteered = false
      const end = Promise.withResolvers<void>()
      onMoment = () => {
        if (model.asked.length > before && !isSteered) {
          isSteered = true
          koda.send({ id: "steer", method: "_session/steering", params: promptOf(sessionId!, `steer ${kill}`) })
        }
        if (moments + koda.frames.length >= at) setTimeout(end.resolve, delayMs)
      }
      koda.child.stdout!.on("data", () => onMoment())
      koda.send({ id: "go", method: "session/prompt", params: promptOf(sessionId, `go ${kill}`) })
      void koda
        .until(({ id }) => id === "go")
        .finally(end.resolve)
        .catch(() => {}) // killed first
      await end.promise
      onMoment = () => {}
      koda.child.kill("SIGKILL")
      await koda.ended

      const requests = model.asked.slice(before)
      if (requests.some((asked) => textsOf(asked).includes(`go ${kill}`))) kept.messages.push(`go ${kill}`)
      if (koda.frames.some(({ id, result }) => id === "steer" && result?.outcome === "injected"))
        kept.messages.push(`steer ${kill}`)
      for (const [id, status] of endsIn(updates(koda, sessionId))) kept.calls.set(id, status)
      if (requests.length > 0 && !requests.some((asked) => stepOf(asked) > 2)) torn++
    }

    expect(model.asked.flatMap(problemsOf)).toEqual([])
    const ran = (await readFile(join(place.workspace, "ran.log"), "utf8").catch(() => "")).split("\n").filter(Boolean)
    expect(new Set(ran).size, "no command ran twice").toBe(ran.length)
    if (KILLS < 6) return
    expect(torn, "some turns were killed in their middle").toBeGreaterThan(0)
    expect(kept.messages, "some were steered").toContainEqual(expect.stringMatching(/^steer/))
  })
})

/** Two commands at once, a file that is read, one that is written; then words. */
function replyTo(asked: Asked, next: () => number) {
  if (says(sinceAsked(asked)[0]?.content, /^check /)) return words("All ", "is well.")
  const run = (name: string) => ["run_shell_command", { command: `echo ${name}-${next()} >> ran.log` }] as const
  switch (stepOf(asked)) {
    case 0:
      return calls(run("first"), run("second"))
    case 1:
      return calls(["read_file", { path: "a.txt" }], run("third"))
    case 2:
      return calls(["write_file", { path: "b.txt", content: `${next()}\n` }])
    default:
      return words("Done ", "with ", "it.")
  }
}

function sinceAsked({ messages }: Asked): Loose[] {
  return messages.slice(messages.findLastIndex(({ role, content }) => role === "user" && says(content, /^(go|check) /)))
}

/** How many replies with calls the turn has had. */
function stepOf(asked: Asked): number {
  return sinceAsked(asked).filter(({ tool_calls }) => tool_calls).length
}

function says(content: Loose, words: RegExp): boolean {
  return words.test(typeof content === "string" ? content : (content?.[0]?.text ?? ""))
}

const promptOf = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text", text }] })

function messagesIn(told: readonly Loose[]): string[] {
  return told.flatMap(({ sessionUpdate, content }) => (sessionUpdate === "user_message_chunk" ? [content.text] : []))
}

/** How calls ended, by their id. */
function endsIn(told: readonly Loose[]): Map<string, string> {
  const ends = told.filter(({ status }) => status === "completed" || status === "failed")
  return new Map(ends.map(({ toolCallId, status }) => [toolCallId, status]))
}
