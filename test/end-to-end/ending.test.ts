import { once } from "node:events"
import { access } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { ROOT } from "../../build/run.ts"
import { begin, type Koda, type StartOptions, startKoda } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { eventually, familyOf, processes } from "./processes.ts"
import { SUBJECTS, type Subject } from "./subjects.ts"

/** Starts what can be left behind: in the background, in a session of its own, deaf to signals; and then hangs. */
const FOREGROUND = (seconds: string) =>
  [
    `setsid sh -c 'trap "" TERM HUP; sleep ${seconds}; :' >/dev/null 2>&1 &`,
    `(sleep ${seconds} &);`,
    `nohup sleep ${seconds} >/dev/null 2>&1 &`,
    `touch ready; sleep ${seconds}`,
  ].join(" ")

/** Between us and koda: dies, and leaves it with streams that nobody holds. */
const EDITOR = `
const [program, ...args] = process.argv.slice(1)
const koda = require("node:child_process").spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] })
require("node:fs").writeFileSync("koda.pid", String(koda.pid))
process.stdin.pipe(koda.stdin)
koda.stdout.pipe(process.stdout)
koda.stderr.pipe(process.stderr)`

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("R-014 JR-06 ends with all it started when its input ends", async () => {
    const { koda, left } = await busyKoda(subject)
    expect(await koda.hangUp()).toBe(0)
    await left()
  })

  test("JR-06 ends with all it started on SIGTERM", async () => {
    const { koda, left } = await busyKoda(subject)
    koda.child.kill("SIGTERM")
    expect(await koda.ended).toBe(0)
    await left()
  })

  test("JR-06 ends with all it started when nobody reads what it says", async () => {
    const { koda, left } = await busyKoda(subject)
    koda.child.stdout!.destroy()
    koda.notify("session/cancel", { sessionId: "nobody" })
    koda.send({ id: "more", method: "_vendor/x" })
    await once(koda.child, "exit")
    expect(koda.complaints()).toBe("")
    await left()
  })

  test("JR-06 ends with all it started when its editor is killed", async () => {
    const editor: Subject = {
      name: subject.name,
      command: [join(ROOT, "node_modules/.bin/node"), "-e", EDITOR, ...subject.command],
    }
    const { koda, left } = await busyKoda(editor)
    koda.child.kill("SIGKILL")
    await left()
  })

  test("SH-02 leaves nothing when it is killed itself", async () => {
    const { koda, left } = await busyKoda(subject)
    koda.child.kill("SIGKILL")
    await koda.ended
    await left()
  })

  test("SH-01 SH-02 ends what a turn started when the turn is cancelled", async () => {
    const { koda, sessionId, sleepers } = await busyKoda(subject)
    koda.notify("session/cancel", { sessionId })
    expect((await koda.until(({ id }) => id === "busy")).result.stopReason).toBe("cancelled")
    // What the user asked to run in the background goes on until the session is closed.
    await eventually(
      async () => (await sleepers(FORE)).length === 0,
      async () => JSON.stringify(await sleepers(FORE)),
    )
    await koda.request("session/close", { sessionId })
    await eventually(
      async () => (await sleepers(BACK)).length === 0,
      async () => JSON.stringify(await sleepers(BACK)),
    )
  })

  test("CX-01 answers a prompt that its ending cancels, before it ends", async () => {
    const { koda } = await busyKoda(subject)
    expect(await koda.hangUp()).toBe(0)
    expect(koda.frames.find(({ id }) => id === "busy")).toMatchObject({ id: "busy" })
  })

  test("ends at once when it is told to before it has heard anything", async () => {
    const koda = startKoda(subject, await newPlace())
    expect(await koda.hangUp()).toBe(0)
    expect(koda.frames).toEqual([])
    expect(koda.complaints()).toBe("")
  })

  test("answers what it was asked before its input ended, in one write", async () => {
    const koda = startKoda(subject, await newPlace())
    koda.send({ id: 1, method: "initialize", params: { protocolVersion: 1 } })
    koda.send({ id: 2, method: "_vendor/x" })
    expect(await koda.hangUp()).toBe(0)
    expect(koda.frames.map(({ id }) => id)).toEqual([1, 2])
  })
})

const FORE = "fore"
const BACK = "back"

interface Busy {
  koda: Koda
  sessionId: string
  /** The sleepers of the command in the foreground, or in the background. */
  sleepers(which: string): Promise<unknown[]>
  /** Resolves when nothing is left of all that ran. */
  left(): Promise<void>
}

/** koda in the middle of a turn: one command sleeps in the foreground, one in the background, each with a crowd of its own. */
async function busyKoda(subject: Subject, options: StartOptions = {}): Promise<Busy> {
  const place = await newPlace()
  const seconds: Record<string, string> = { [FORE]: uniqueSeconds(), [BACK]: uniqueSeconds() }
  const model = await startModel((asked) => {
    if (lastOf(asked).role === "user") {
      return calls([
        "run_shell_command",
        { command: `cd ${place.temp}; ${FOREGROUND(seconds[BACK]!)}`, background: true },
      ])
    }
    return asked.messages.filter(({ role }) => role === "tool").length === 1
      ? calls(["run_shell_command", { command: FOREGROUND(seconds[FORE]!), timeout_ms: 600_000 }])
      : words("never")
  })
  const args = ["--acp", "--approval-mode", "yolo"]
  const koda = startKoda(subject, place, { ...options, args, env: model.env })
  const sessionId = await begin(koda, place.workspace)
  koda.send({
    id: "busy",
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "sleep" }] },
  })
  const sleepers = async (which: string) => {
    const all = await processes()
    return all.filter(({ command }) => command.includes(`sleep ${seconds[which]}`))
  }
  onTestFinished(async () => {
    for (const { pid } of [...(await sleepers(FORE)), ...(await sleepers(BACK))] as { pid: number }[]) {
      process.kill(pid, "SIGKILL")
    }
  })
  for (const folder of [place.workspace, place.temp]) {
    const ready = () =>
      access(join(folder, "ready")).then(
        () => true,
        () => false,
      )
    await eventually(ready, () => `${JSON.stringify(koda.frames.slice(-4))} ${koda.complaints()}`)
  }
  await eventually(
    async () => (await sleepers(FORE)).length > 3 && (await sleepers(BACK)).length > 3,
    () => "too few sleepers",
  )
  const family = (await familyOf(koda.pid)).map(({ pid, command }) => `${pid} ${command}`)
  const remaining = async () => {
    const all = await processes()
    const known = all.filter(({ pid, command }) => family.includes(`${pid} ${command}`))
    return [...known, ...(await sleepers(FORE)), ...(await sleepers(BACK))]
  }
  const left = () =>
    eventually(
      async () => (await remaining()).length === 0,
      async () => JSON.stringify(await remaining()),
    )
  return { koda, sessionId, sleepers, left }
}

/** A number of seconds by which a process is found again. */
function uniqueSeconds(): string {
  return `600.${process.pid}${String(Math.random()).slice(2, 8)}`
}
