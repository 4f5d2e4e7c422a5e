import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import type { Child } from "../../src/runtime.ts"
import { textFrom } from "./processes.contract.ts"
import { never, type Suite, soon, textOf, until } from "./suite.ts"

/** A program, a child of it in its group, one in a session of its own, one that nobody is the parent of: each says its number. */
const FAMILY = `
trap "" TERM
echo $$
sleep 1000 & echo $!
setsid sh -c 'trap "" TERM; echo $$; sleep 1000' &
(setsid sh -c 'echo $$; exec sleep 1000' >&1 &)
`
const MEMBERS = 4

export function survivorsContract({ test, runtime, program }: Suite): void {
  if (runtime.system.os !== "linux") return
  const { processes } = runtime
  const env = { PATH: process.env["PATH"]! }
  const sh = (script: string, signal: AbortSignal = never) =>
    processes.spawn(["sh", "-c", script], { cwd: "/", env, signal })

  test("SH-02 processes: abort ends a program, its group, and what left its group, though they ignore being asked", async () => {
    const stop = new AbortController()
    const child = sh(`${FAMILY}\nwhile :; do sleep 1; done`, stop.signal)
    const pids = await numbers(child)
    assert.deepEqual(await living(pids), pids)
    stop.abort()
    assert.equal((await child.exited).signal, "SIGKILL")
    await gone(pids)
  })

  test("processes: abort asks before it kills", async () => {
    const stop = new AbortController()
    const child = sh("trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.02; done", stop.signal)
    const text = (async () => {
      let all = ""
      for await (const { from, bytes } of child.output) {
        if (from === "stdout") all += textOf(bytes)
        if (all === "ready\n") stop.abort()
      }
      return all
    })()
    assert.equal(await text, "ready\nasked\n")
    assert.equal((await child.exited).code, 5)
  })

  test("processes: abort ends what was started under its signal, and nothing else", async () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const script = "setsid sh -c 'echo $$; exec sleep 1000' & wait"
    const [a, b, c] = [sh(script, one.signal), sh(script, one.signal), sh(script, two.signal)]
    const [ofA, ofB, ofC] = await Promise.all([numbers(a, 1), numbers(b, 1), numbers(c, 1)])
    one.abort()
    await gone([...ofA, ...ofB])
    assert.deepEqual(await living(ofC), ofC)
    two.abort()
    await gone(ofC)
  })

  test("SH-01 processes: a child left behind delays neither the end of the output nor the exit; abort ends it", async () => {
    for (const script of [
      "sleep 1000 & echo $!",
      "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.2",
      "(while :; do echo; sleep 0.01; done) & echo $!",
      "yes '' & echo $!",
    ]) {
      const stop = new AbortController()
      const child = sh(script, stop.signal)
      const begin = performance.now()
      const text = await textFrom(child)
      assert.deepEqual(await child.exited, { code: 0, signal: null, leftovers: true }, script)
      assert.ok(performance.now() - begin < 5000, `${script}: ${performance.now() - begin} ms`)
      const pids = [Number(text.trim().split("\n")[0])]
      assert.deepEqual(await living(pids), pids, script)
      stop.abort()
      await gone(pids)
    }
  })

  test("processes: a child left behind may go on writing", async () => {
    const stop = new AbortController()
    const child = sh("(sleep 0.7; echo late && sleep 1000) & echo $!", stop.signal)
    const [pid] = [Number(await textFrom(child))]
    await soon(1200)
    assert.deepEqual(await living([pid]), [pid])
    stop.abort()
    await gone([pid])
  })

  test("JR-06 processes: kill -9 of ours leaves nothing of what it started", async () => {
    const ours = spawn(program[0], [...program.slice(1), "starts what stays"], {
      env: { ...process.env, COMMAND: `${FAMILY}\nwhile :; do sleep 1; done` },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const pids = await numbersFrom(ours.stdout, MEMBERS)
    assert.deepEqual(await living(pids), pids)
    ours.kill("SIGKILL")
    await gone(pids)
  })

  test("processes: what stays when the program has ended does not outlive us", async () => {
    const ours = spawn(program[0], [...program.slice(1), "starts what stays"], {
      env: { ...process.env, COMMAND: "sleep 1000 & echo $!; setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.2" },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const pids = await numbersFrom(ours.stdout, 2)
    await gone(pids) // the scenario ends by itself once the output has
  })

  test("processes: abort also ends what a koda that it ends has started", async () => {
    const stop = new AbortController()
    const child = processes.spawn([...program, "starts what stays"], {
      cwd: "/",
      env: { ...(process.env as Record<string, string>), COMMAND: `${FAMILY}\nwhile :; do sleep 1; done` },
      signal: stop.signal,
    })
    const pids = await numbers(child)
    stop.abort()
    await gone(pids)
  })
}

/** The numbers that a program says; the rest of its output is left alone. */
async function numbers(child: Child, count = MEMBERS): Promise<number[]> {
  const reader = child.output.getReader()
  let text = ""
  while (text.split("\n").length <= count) {
    const { value, done } = await reader.read()
    if (done) break
    text += textOf(value.bytes)
  }
  reader.releaseLock()
  return pidsIn(text)
}

async function numbersFrom(stream: NodeJS.ReadableStream, count: number): Promise<number[]> {
  let text = ""
  for await (const chunk of stream) {
    text += chunk
    if (text.split("\n").length > count) break
  }
  return pidsIn(text)
}

function pidsIn(text: string): number[] {
  return text
    .split("\n")
    .filter((line) => /^\d+$/.test(line))
    .map(Number)
}

/** Those that run; the dead that nobody has buried do not. */
async function living(pids: readonly number[]): Promise<number[]> {
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => ") Z")))
  return pids.filter((_, i) => !/^\) [ZX]/.test(states[i]!.slice(states[i]!.lastIndexOf(")"))))
}

async function gone(pids: readonly number[]): Promise<void> {
  await until(async () => (await living(pids)).length === 0, `the end of ${pids}`)
}
