import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { constants, homedir, tmpdir } from "node:os"
import { all, codeOf, logOf } from "./stdio.contract.ts"
import type { Suite } from "./suite.ts"

export function systemContract({ test, program, runtime }: Suite): void {
  const { system } = runtime

  test("system: tells the machine and its folders", async () => {
    const os = process.platform === "darwin" ? "mac" : process.platform === "win32" ? "windows" : "linux"
    assert.deepEqual([system.os, system.home, system.temp, system.cwd], [os, homedir(), tmpdir(), process.cwd()])
  })

  test("system: env() is a snapshot of its own", async () => {
    const before = system.env()
    process.env["KODA_CONTRACT"] = "later"
    assert.equal(before["KODA_CONTRACT"], undefined)
    const after = system.env()
    delete process.env["KODA_CONTRACT"]
    assert.equal(after["KODA_CONTRACT"], "later")
  })

  test("system: a program is told its arguments, its folder and its environment", async (folder) => {
    const env = { ...process.env, GIVEN: "to it" }
    const child = spawn(program[0], [...program.slice(1), "facts", "--two", "words"], { cwd: folder, env })
    const [stdout] = await Promise.all([all(child.stdout), all(child.stderr)])
    assert.deepEqual(JSON.parse(stdout.toString()), {
      args: ["facts", "--two", "words"],
      cwd: folder,
      isSelf: true,
      given: "to it",
      isTerminal: false,
    })
  })

  test("system: onStop() calls back once; who asks again is obeyed at once", async () => {
    for (const [first, second] of [
      ["SIGTERM", "SIGTERM"],
      ["SIGINT", "SIGHUP"],
    ] as const) {
      const child = spawn(program[0], [...program.slice(1), "stops"])
      const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)))
      let stderr = Buffer.alloc(0)
      for await (const chunk of child.stderr) {
        stderr = Buffer.concat([stderr, chunk])
        if (logOf(stderr) === "ready\n") process.kill(child.pid!, first)
        if (logOf(stderr) === "ready\nasked to stop\n") process.kill(child.pid!, second)
      }
      assert.equal(logOf(stderr), "ready\nasked to stop\n")
      assert.equal(await ended, 128 + constants.signals[second])
    }
  })

  test("database: opens without a word on stderr", async () => {
    const child = spawn(program[0], [...program.slice(1), "sqlite"])
    const [stdout, stderr] = await Promise.all([all(child.stdout), all(child.stderr), codeOf(child)])
    assert.deepEqual(JSON.parse(stdout.toString()), [{ one: 1 }])
    assert.doesNotMatch(stderr.toString(), /SQLite/i)
  })
}
