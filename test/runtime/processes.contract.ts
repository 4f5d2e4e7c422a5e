import assert from "node:assert/strict"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Child, Exit, Output } from "../../src/runtime.ts"
import { failsWith } from "./files.contract.ts"
import { bytesOf, never, type Suite, soon, textOf, until } from "./suite.ts"

export function processesContract({ test, runtime }: Suite): void {
  const { processes } = runtime
  const PATH = process.env["PATH"]!
  const sh = (script: string, options: { cwd?: string; signal?: AbortSignal; env?: Record<string, string> } = {}) =>
    processes.spawn(["sh", "-c", script], { cwd: "/", env: { PATH }, signal: never, ...options })

  test("processes: the output comes as it is written, from both streams, with the exit", async () => {
    const { stdout, stderr, exit } = await whole(sh("echo out; echo err >&2; exit 3"))
    assert.deepEqual([stdout, stderr, exit], ["out\n", "err\n", { code: 3, signal: null, leftovers: false }])
  })

  test("processes: the output comes while the program runs", async () => {
    const stop = new AbortController()
    const reader = sh("echo one; read x; sleep 60", { signal: stop.signal }).output.getReader()
    assert.equal(textOf((await reader.read()).value!.bytes), "one\n")
    stop.abort()
  })

  test("processes: a program that a signal ended tells which", async () => {
    const { exit } = await whole(sh("kill -KILL $$"))
    assert.deepEqual(exit, { code: null, signal: "SIGKILL", leftovers: false })
  })

  test("SH-03 processes: without an input the program reads an empty one", async () => {
    const { stdout, exit } = await whole(sh("cat; read x; echo $?"))
    assert.deepEqual([stdout, exit.code], ["1\n", 0])
  })

  test("processes: with an input the program reads what is written, to its end", async () => {
    const child = processes.spawn(["cat"], { cwd: "/", env: { PATH }, signal: never, input: "pipe" })
    const writer = child.input!.getWriter()
    const big = new Uint8Array(1_000_000).fill(98)
    void writer
      .write(bytesOf("a\u00e9"))
      .then(() => writer.write(big))
      .then(() => writer.close())
    const { stdout, exit } = await whole(child)
    assert.deepEqual([stdout.length, stdout.slice(0, 3), exit.code], [1_000_002, "a\u00e9b", 0])
  })

  test("processes: a write to a program that has ended rejects", async () => {
    const child = processes.spawn(["true"], { cwd: "/", env: { PATH }, signal: never, input: "pipe" })
    await child.exited
    const writer = child.input!.getWriter()
    await assert.rejects(async () => {
      for (let i = 0; i < 1000; i++) await writer.write(new Uint8Array(65_536))
    })
  })

  test("SH-09 processes: the environment is what was given, and a mark", async () => {
    process.env["KODA_API_KEY"] = "secret"
    const { stdout } = await whole(processes.spawn(["env"], { cwd: "/", env: { PATH, GIVEN: "1" }, signal: never }))
    delete process.env["KODA_API_KEY"]
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0])
      .sort()
    assert.deepEqual(names, ["GIVEN", "KODA_CHILD", "PATH"])
  })

  test("processes: runs in its folder, and finds the program by the path it is given", async (folder) => {
    await mkdir(join(folder, "bin"))
    await writeFile(join(folder, "bin/only-here"), "#!/bin/sh\npwd\n")
    await chmod(join(folder, "bin/only-here"), 0o755)
    const env = { PATH: `${folder}/bin:${PATH}` }
    const { stdout } = await whole(processes.spawn(["only-here"], { cwd: folder, env, signal: never }))
    assert.equal(stdout, `${folder}\n`)
  })

  test("processes: what can't be started rejects with what is missing, and never throws", async (folder) => {
    await writeFile(join(folder, "file"), "")
    const start = (program: string, cwd: string) =>
      processes.spawn([program, "x"], { cwd, env: { PATH }, signal: never, input: "pipe" })
    for (const [program, cwd, code, mentions] of [
      ["no-such-program", "/", "not_found", '"no-such-program"'],
      ["/no/such/program", "/", "not_found", '"/no/such/program"'],
      [join(folder, "file"), "/", "not_allowed", join(folder, "file")],
      ["ls", join(folder, "missing"), "not_found", join(folder, "missing")],
      ["ls", join(folder, "file"), "not_folder", join(folder, "file")],
    ] as const) {
      const child = start(program, cwd)
      assert.equal(await textFrom(child), "")
      await assert.rejects(child.exited, failsWith(code, mentions))
    }
  })

  test("processes: nothing is started for a signal that has aborted", async (folder) => {
    const reason = new Error("enough")
    const child = sh("touch started", { cwd: folder, signal: AbortSignal.abort(reason) })
    await assert.rejects(child.exited, reason)
    assert.equal(await textFrom(child), "")
    assert.deepEqual(await runtime.files.list(folder), [])
  })

  test("SH-04 processes: 200 MB of output come whole, in bounded memory", async () => {
    const before = process.memoryUsage().rss
    const child = sh("head -c 200000000 /dev/zero")
    let bytes = 0
    let most = 0
    for await (const output of child.output) {
      bytes += output.bytes.byteLength
      most = Math.max(most, process.memoryUsage().rss)
    }
    assert.equal(bytes, 200_000_000)
    assert.ok(most - before < 150_000_000, `${most - before} bytes more`)
  })

  test("SH-04 processes: a program waits while nobody reads its output", async (folder) => {
    const stop = new AbortController()
    const script = "i=0; while :; do printf '%65536s' x; i=$((i+1)); echo $i > count; done"
    const child = sh(script, { cwd: folder, signal: stop.signal })
    const count = async () => Number(await runtime.files.readText(join(folder, "count")).catch(() => "0"))
    let before = -1
    await until(async () => {
      const now = await count()
      const isStill = now > 0 && now === before
      before = now
      await soon(200)
      return isStill
    }, "the program to stand still")
    assert.ok(before < 64, `${before} blocks were written`)
    const reader = child.output.getReader()
    for (let bytes = 0; bytes < 65_536 * 100; ) bytes += (await reader.read()).value!.bytes.byteLength
    stop.abort()
    await child.exited
  })

  test("processes: a slow reader gets all that a program wrote before it ended", async () => {
    const child = sh("head -c 3000000 /dev/zero; echo end")
    let text = 0
    let last = ""
    for await (const { bytes } of child.output) {
      text += bytes.byteLength
      last = textOf(bytes.slice(-4))
      await soon(5)
    }
    assert.deepEqual([text, last], [3_000_004, "end\n"])
  })

  test("processes: the exit is told though nobody reads the output, and the output can be read after it", async () => {
    const child = sh("echo some; exit 4")
    assert.equal((await child.exited).code, 4)
    assert.equal(await textFrom(child), "some\n")
  })

  test("processes: a reader that leaves does not end the program", async (folder) => {
    const child = sh("yes | head -c 2000000; touch done", { cwd: folder })
    await child.output.cancel()
    assert.equal((await child.exited).code, 0)
    assert.equal((await runtime.files.stat(join(folder, "done")))?.kind, "file")
  })

  test("processes: fifty at once", async () => {
    const texts = await Promise.all(Array.from({ length: 50 }, async (_, i) => (await whole(sh(`echo ${i}`))).stdout))
    assert.deepEqual(
      texts,
      Array.from({ length: 50 }, (_, i) => `${i}\n`),
    )
  })
}

export async function textFrom(child: Child, from?: Output["from"]): Promise<string> {
  let text = ""
  for await (const output of child.output) if (!from || output.from === from) text += textOf(output.bytes)
  return text
}

async function whole(child: Child): Promise<{ stdout: string; stderr: string; exit: Exit }> {
  const bytes: Record<Output["from"], number[]> = { stdout: [], stderr: [] }
  for await (const output of child.output) for (const byte of output.bytes) bytes[output.from].push(byte)
  const text = (from: Output["from"]) => textOf(Uint8Array.from(bytes[from]))
  return { stdout: text("stdout"), stderr: text("stderr"), exit: await child.exited }
}
