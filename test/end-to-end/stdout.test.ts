import { once } from "node:events"
import { readlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { begin, choose, prompt, startKoda } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

/** What a dependency might do: prints in every way there is, when it is told to. */
const NOISE = `
process.on("SIGUSR2", () => {
  console.log("noise of log")
  console.table([{ a: "noise of table" }])
  console.error("noise of error")
  process.stdout.write("noise of write\\n")
  process.emitWarning("noise of warning", "DeprecationWarning")
})`

describe.each(SUBJECTS)("koda on $name", (subject) => {
  // That stdout holds nothing but frames is looked at after each test by startKoda.
  test("JR-01 R-006 R-007 keeps what others print off stdout", async () => {
    const place = await newPlace({ "noise.cjs": NOISE }, { "settings.json": '{ "approvalMode": "yo' })
    const noise = join(place.workspace, "noise.cjs")
    const env = {
      NODE_OPTIONS: `--trace-warnings --trace-deprecation --require=${noise}`,
      BUN_OPTIONS: `--preload=${noise}`,
    }
    const loads = subject.name !== "Deno" // which has no variable for it
    const koda = startKoda(subject, place, { env: loads ? env : { NODE_OPTIONS: "--trace-warnings" } })
    const sessionId = await begin(koda, place.workspace)
    if (loads) koda.child.kill("SIGUSR2")
    expect((await prompt(koda, sessionId, "hello")).result.stopReason).toBe("end_turn")
    expect(await koda.hangUp()).toBe(0)
    if (!loads) return
    for (const kind of ["log", "table", "error", "write", "warning"]) {
      expect(koda.complaints()).toContain(`noise of ${kind}`)
    }
  })

  test("JR-01 gives no program that it starts its own streams", async () => {
    const place = await newPlace()
    const command = 'for fd in /proc/$$/fd/*; do readlink "$fd"; done; echo noise; echo noise >&2; cat'
    const model = await startModel((asked) =>
      lastOf(asked).role === "tool" ? words("seen") : calls(["run_shell_command", { command }]),
    )
    const koda = startKoda(subject, place, { env: model.env, args: ["--acp", "--approval-mode", "yolo"] })
    koda.replies["session/request_permission"] = choose("allow_once") // to look into /proc, which shows secrets
    const own = await Promise.all([0, 1, 2].map((fd) => readlink(`/proc/${koda.pid}/fd/${fd}`)))
    const sessionId = await begin(koda, place.workspace)
    await prompt(koda, sessionId, "look")
    const { text } = lastOf(model.asked[1]!)
    expect(text).toMatch(/noise.*noise/s)
    expect(text).toContain("/dev/null")
    for (const stream of own) expect(text).not.toContain(stream)
  })

  test("JR-13 goes on when nobody reads a megabyte of its log", async () => {
    const koda = startKoda(subject, await newPlace(), {
      args: ["--acp", "--log-level", "debug"],
      deafToErrors: true,
    })
    for (let sent = 0; sent < 3000; sent++) {
      koda.notify("session/cancel", { sessionId: `nobody ${"x".repeat(400)}` })
    }
    expect((await koda.request("_vendor/alive", {})).error?.code).toBe(-32601)
    expect(koda.child.stderr!.readableFlowing).toBe(null)
    koda.child.stdin!.end()
    const [code] = await once(koda.child, "exit")
    expect(code).toBe(0)
    koda.child.stderr!.resume()
  })
})
