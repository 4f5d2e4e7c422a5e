import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { type Suite, soon, until } from "./suite.ts"

export function stdioContract({ test, program, runtime }: Suite): void {
  const play = (scenario: string, env: Record<string, string> = {}) =>
    spawn(program[0], [...program.slice(1), scenario], { env: { ...process.env, ...env } })

  test("stdio: bytes survive both ways, a line of 20 MB among them, and the end of the input is seen", async () => {
    const sent = Buffer.concat([randomBytes(1000), Buffer.alloc(20_000_000, "long "), Buffer.from([10, 0, 255, 254])])
    const child = play("echo")
    child.stdin.end(sent)
    const [received, code] = await Promise.all([all(child.stdout), codeOf(child), all(child.stderr)])
    assert.equal(Buffer.compare(received, sent), 0)
    assert.equal(code, 0)
  })

  test("R-006 JR-01 stdio: nothing reaches stdout but what is written to the output", async () => {
    const child = play("noise", { NODE_OPTIONS: "--trace-warnings" })
    const [stdout, stderr, code] = await Promise.all([all(child.stdout), all(child.stderr), codeOf(child)])
    assert.equal(stdout.toString(), "frame\n")
    assert.equal(code, 0)
    const words = [
      "log",
      "info",
      "warn",
      "dir",
      "table",
      "group",
      "count",
      "assert",
      "a console of its own",
      "process.stdout",
    ]
    assert.deepEqual(
      words.filter((word) => !stderr.toString().includes(word)),
      [],
    )
  })

  test("JR-01 stdio: a child that writes to our descriptor does not reach a stdout that is a pipe", async () => {
    if (runtime.name === "deno" || runtime.system.os !== "linux") return
    const child = spawn("sh", ["-c", '"$@" | cat', "sh", ...program, "noise"], {
      env: { ...process.env, MORE: "echo child >/proc/$PPID/fd/1" },
    })
    const [stdout] = await Promise.all([all(child.stdout), all(child.stderr)])
    assert.equal(stdout.toString(), "frame\n")
  })

  test("JR-13 stdio: a log that nobody reads holds up nothing", async () => {
    const child = play("chatty")
    const [stdout, code] = await Promise.all([all(child.stdout), new Promise((resolve) => child.once("exit", resolve))])
    child.stderr.destroy()
    assert.deepEqual([stdout.toString(), code], ["done\n", 0])
  })

  test("stdio: a log that is read late says how much was left out", async () => {
    const child = play("chatty")
    await new Promise((resolve) => child.stdout.once("data", resolve))
    const lines = logOf(await all(child.stderr)).split("\n")
    assert.match(lines[0]!, /^line 0 x+$/)
    assert.ok(lines.some((line) => /^\(\d+ lines were left out here/.test(line)))
  })

  test("JR-06 stdio: when nobody reads any more a write rejects, and ends nothing", async () => {
    const child = play("left alone")
    child.stdout.destroy()
    child.stdin.write("go\n")
    const [stderr, code] = await Promise.all([all(child.stderr), codeOf(child)])
    assert.match(stderr.toString(), /rejected: true/)
    assert.doesNotMatch(stderr.toString(), /EPIPE|Unhandled|Broken/)
    assert.equal(code, 0)
  })

  test("stdio: the input is read at the pace of its reader", async () => {
    const child = play("reads when told")
    let log = ""
    child.stderr.on("data", (chunk) => (log += chunk))
    await until(() => log.includes("ready"), "the program")
    let taken = 0
    const total = 64
    const megabyte = Buffer.alloc(1_000_000)
    for (let i = 0; i < total; i++) child.stdin.write(megabyte, () => taken++)
    child.stdin.end()
    let before = -1
    await until(async () => {
      const isStill = before === taken
      before = taken
      await soon(200)
      return isStill
    }, "the writes to stand still")
    assert.ok(taken < total / 2, `${taken} MB were read ahead`)
    process.kill(child.pid!, "SIGTERM") // Deno's child.kill() closes the input, too
    assert.equal((await all(child.stdout)).toString(), `${total * 1_000_000}`)
  })

  test("system: exit() lets out what was written, to the output and to the log", async () => {
    const child = play("last words")
    const [stdout, stderr, code] = await Promise.all([all(child.stdout), all(child.stderr), codeOf(child)])
    assert.deepEqual([stdout.byteLength, logOf(stderr), code], [16 * 65_536, "to the log\n", 7])
  })

  test("system: exit() does not wait for ever for a client that no longer reads", async () => {
    const child = play("last words")
    assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 7)
    child.stdout.destroy()
  })
}

export async function all(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** What was logged, without what Node 22 says of running TypeScript. */
export function logOf(stderr: Buffer): string {
  return stderr.toString().replace(/^\(node:\d+\) ExperimentalWarning: Type Stripping.*\n.*\n/, "")
}

export function codeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve))
}
