import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { withEnding } from "../../src/workspace/execution.ts"
import { handClock } from "../support/clock.ts"
import { commandsHere, type Rig, run, thisMachine, until } from "./this-machine.ts"

/** What the model reads of a command. */
async function said(rig: Rig, command: string): Promise<string> {
  const { text, ending } = await run(rig, command)
  return withEnding(text, ending)
}

async function isAlive(pid: string): Promise<boolean> {
  const state = await readFile(`/proc/${pid.trim()}/stat`, "utf8").catch(() => "")
  return state !== "" && !/\) Z /.test(state)
}

test("SH-01 a command ends when its shell does, and says that a child of it lives on", async () => {
  const rig = await commandsHere()
  expect(await said(rig, "sleep 300 & echo ok")).toBe(
    "ok\nexit code 0\nA process that it started in the background still runs. It will be stopped when the session ends.",
  )
  expect(await said(rig, "(while :; do date; sleep 1; done) >/dev/null & echo ok")).toContain(
    "ok\nexit code 0\nA process",
  )
})

test("what a command prints comes in its order, errors in the midst of the rest", async () => {
  const rig = await commandsHere()
  const lines = Array.from({ length: 200 }, (_, at) => [`out ${at}`, `error ${at}`]).flat()
  const command = "for i in $(seq 0 199); do echo out $i; echo error $i >&2; done"
  expect(await said(rig, command)).toBe(`${lines.join("\n")}\nexit code 0`)
  expect(await said(rig, "-no-such-program")).toContain("-no-such-program: command not found\nexit code 127")
})

test("SH-01 a child that is left behind lives as long as the session, and not only as long as the turn", async () => {
  const rig = await commandsHere()
  const turn = new AbortController()
  const { text } = await run(rig, "sleep 300 & echo $!", { signal: turn.signal })
  turn.abort()
  expect(await isAlive(text)).toBe(true)
  await rig.end()
  await until(async () => !(await isAlive(text)))
})

test.runIf(nodeRuntime().system.os === "linux")(
  "SH-01 a daemon that left its group and closed its output dies with the session, too",
  async () => {
    const rig = await commandsHere()
    await run(rig, "setsid sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 </dev/null & sleep 0.1; cat pid")
    await until(() =>
      readFile(join(rig.folder, "pid"), "utf8").then(
        (text) => text.endsWith("\n"),
        () => false,
      ),
    )
    const pid = await readFile(join(rig.folder, "pid"), "utf8")
    expect(await isAlive(pid)).toBe(true)
    await rig.end()
    await until(async () => !(await isAlive(pid)))
  },
)

test("SH-02 a command that takes too long is killed with its children, whatever they do about signals", async () => {
  const clock = handClock()
  const rig = await commandsHere({ machine: thisMachine({}, clock) })
  const command = `bash -c 'bash -c "trap \\"\\" TERM; echo \\$\\$; sleep 999" & wait'`
  let pid = ""
  const report = ({ end }: { end: string }) => {
    pid ||= end
  }
  const finished = run(rig, command, { timeoutMs: 1_500, report })
  await until(() => pid !== "")
  clock.pass(1_500)
  const { text, ending } = await finished
  expect(withEnding(text, ending)).toBe(`${pid}timed out after 1.5 s; it was killed, with all it had started`)
  await until(async () => !(await isAlive(pid)))
})

test("SH-02 a cancelled command is killed at once", async () => {
  const rig = await commandsHere()
  const turn = new AbortController()
  let pid = ""
  const finished = run(rig, "echo $$; sleep 999 | cat", {
    signal: turn.signal,
    report: ({ end }) => {
      pid ||= end
    },
  })
  await until(() => pid !== "")
  turn.abort(new Error("the turn was cancelled"))
  await expect(finished).rejects.toThrow("the turn was cancelled")
  await until(async () => !(await isAlive(pid)))
})

test("CX-07 nothing is reported of a command after it was cancelled", async () => {
  const rig = await commandsHere()
  const turn = new AbortController()
  const reports: boolean[] = []
  const finished = run(rig, "while :; do echo line; done", {
    signal: turn.signal,
    report: () => void reports.push(turn.signal.aborted),
  })
  await until(() => reports.length > 1)
  turn.abort()
  await finished.catch(() => {})
  await rig.end()
  expect(reports.includes(true)).toBe(false)
})

test("SH-03 nobody answers: programs that ask find an empty input and no pager", async () => {
  const rig = await commandsHere()
  expect(await said(rig, "read x")).toBe("(no output) exit code 1")
  expect(await said(rig, "cat")).toBe("(no output) exit code 0")
  expect(await said(rig, 'echo "$PAGER $GIT_PAGER $GIT_EDITOR $GIT_TERMINAL_PROMPT $TERM"')).toBe(
    "cat cat true 0 dumb\nexit code 0",
  )
  const commit = "git init -q . && git -c user.name=a -c user.email=a@b.c commit --allow-empty"
  expect(await said(rig, commit)).toContain("Aborting commit due to empty commit message.\nexit code 1")
})

test("SH-04 of an endless output the beginning and the end are kept, and as much as is bearable on disk", async () => {
  const rig = await commandsHere()
  const turn = new AbortController()
  const { text } = await run(rig, "seq 1 200000", { signal: turn.signal })
  const path = join(rig.outputFolder, "command-1.log")
  expect(text.slice(0, 6)).toBe("1\n2\n3\n")
  expect(text.slice(-14)).toBe("199999\n200000\n")
  expect(text.length).toBeLessThan(31_000)
  expect(/\n\[… [\d,]+ characters are left out here; all of it is in (\S+) …\]\n\d+\n/.exec(text)?.[1]).toBe(path)
  const whole = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("")
  expect((await readFile(path, "utf8")) === whole).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(rig.outputFolder)).mode & 0o777).toBe(0o700)
  await rig.end()
  await expect(stat(rig.outputFolder)).rejects.toThrow("ENOENT")
})

test("SH-04 a line of 60 MB and bytes that are no text cost no memory to speak of", async () => {
  const rig = await commandsHere()
  const before = process.memoryUsage().rss
  const { text } = await run(rig, "head -c 60000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/urandom")
  expect(text.length).toBeLessThan(31_000)
  expect(/the first 20 MB are in (\S+)/.exec(text)?.[1]).toBe(join(rig.outputFolder, "command-1.log"))
  expect((await stat(join(rig.outputFolder, "command-1.log"))).size).toBe(20 * 1024 * 1024)
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024)
})

test("SH-04 characters are whole, however the bytes came", async () => {
  const rig = await commandsHere()
  const { text } = await run(rig, `printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80\\n'`)
  expect(text).toBe("😀\n")
})

test("SH-07 the exit is always said: code, signal, missing program", async () => {
  const rig = await commandsHere()
  expect(await said(rig, "true")).toBe("(no output) exit code 0")
  expect(await said(rig, "false")).toBe("(no output) exit code 1")
  expect(await said(rig, "exit 42")).toBe("(no output) exit code 42")
  expect(await said(rig, "kill -9 $$")).toBe("(no output) killed by signal SIGKILL")
  expect(await said(rig, "no-such-program-here")).toMatch(/no-such-program-here: (command )?not found\nexit code 127$/)
})

test("SH-09 our keys are not in the environment of a command", async () => {
  const machine = thisMachine({
    KODA_API_KEY: "secret-1",
    OPENAI_API_KEY: "secret-2",
    STRIPE_API_KEY: "theirs",
    BUN_BE_BUN: "1",
  })
  const rig = await commandsHere({ machine })
  const { text } = await run(rig, "env")
  expect(text).toContain("STRIPE_API_KEY=theirs")
  expect(text).not.toMatch(/secret-|BUN_BE_BUN/)
})

test("SH-10 without bash the commands run in sh", async () => {
  const machine = thisMachine()
  const files = {
    ...machine.files,
    stat: async (path: string) => (path.endsWith("/bash") ? undefined : await machine.files.stat(path)),
  }
  const { machineOf } = await import("../../src/workspace/machine.ts")
  const bare = machineOf({ ...machine, files })
  const rig = await commandsHere({ machine: bare })
  expect((await bare.shell()).name).toBe("sh")
  expect(await said(rig, 'echo "[$BASH_VERSION]"')).toBe("[]\nexit code 0")
})

test("SH-13 output is told while the command runs, and each piece once", async () => {
  const rig = await commandsHere()
  const ends: string[] = []
  let printed = ""
  let exit: unknown
  await run(rig, "echo 1; while [ ! -e seen ]; do sleep 0.02; done; echo 2; exit 3", {
    report: (progress) => {
      ends.push(progress.end)
      printed += progress.printed
      exit = progress.exit
      void writeFile(join(rig.folder, "seen"), "")
    },
  })
  expect([ends[0], ends.at(-1)]).toEqual(["1\n", "1\n2\n"])
  expect({ printed, exit }).toEqual({ printed: "1\n2\n", exit: { code: 3, signal: null } })
})

test("SH-13 standard output and standard error come in the order in which they were written", async () => {
  const rig = await commandsHere()
  const { text } = await run(rig, "echo a; sleep 0.05; echo b >&2; sleep 0.05; echo c")
  expect(text).toBe("a\nb\nc\n")
})

test("each command starts afresh: no folder, variable or start-up file of before", async () => {
  const rig = await commandsHere()
  await writeFile(join(rig.folder, "rc"), "echo noise")
  const machine = thisMachine({ BASH_ENV: join(rig.folder, "rc"), ENV: join(rig.folder, "rc") })
  const fresh = await commandsHere({ machine })
  await run(fresh, "cd /; export X=1; alias ls=false")
  expect(await said(fresh, 'pwd; echo "[$X]"')).toBe(`${fresh.folder}\n[]\nexit code 0`)
})

test("PE-07 `cd ..` goes up the way by which the folder was named, whatever links are on it", async () => {
  const rig = await commandsHere()
  await mkdir(join(rig.folder, "a/b"), { recursive: true })
  await symlink("a/b", join(rig.folder, "link"))
  const machine = thisMachine({ PWD: "/" })
  const { commands } = await commandsHere({ machine })
  const { text } = await run({ ...rig, commands }, "cd .. && pwd", { folder: join(rig.folder, "link") })
  expect(text).toBe(`${rig.folder}\n`)
})

test("PE-05 a command that runs unasked finds the programs of the machine, and none that a project brings", async () => {
  const rig = await commandsHere()
  const folders = ["node_modules/.bin", "venv/bin"].map((name) => join(rig.folder, name))
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "ls"), "#!/bin/sh\necho evil", { mode: 0o755 })
  }
  const machine = thisMachine({ PATH: [...folders, "/usr/bin", "/bin"].join(":") })
  const { commands } = await commandsHere({ machine, roots: [rig.folder] })
  expect((await run({ ...rig, commands }, "ls", { repositories: [] })).text).toBe("node_modules\nvenv\n")
  expect((await run({ ...rig, commands }, "ls")).text).toBe("evil\n")
})

test("a command may be given its input", async () => {
  const rig = await commandsHere()
  expect((await run(rig, "cat; echo .", { input: '{"a": 1}' })).text).toBe('{"a": 1}.\n')
})

test("a program that can't be started is a failure in words", async () => {
  const rig = await commandsHere({ confine: (program) => ["/no/such/sandbox", ...program] })
  const { ending } = await run(rig, "true")
  expect(ending.type === "failed" && ending.reason).toMatch(/^\/no\/such\/sandbox could not be started: /)
})

test("the open documents hear of every command that has run", async () => {
  const rig = await commandsHere()
  await run(rig, "true")
  await run(rig, "true", { signal: AbortSignal.abort() }).catch(() => {})
  expect(rig.touched()).toBe(1)
})

test("a file may be the work of a command only if it changed while one ran that can write", async () => {
  const sinces: number[] = []
  const documents = { touched: (since?: number) => void sinces.push(since ?? 0) }
  const rig = await commandsHere({ documents })
  const before = Date.now()
  await run(rig, "true")
  const between = Date.now()
  const { id } = await rig.commands.start({ command: "sleep 600", folder: rig.folder }, new AbortController().signal)
  await run(rig, "true")
  await rig.commands.stop(id)
  const reading = { command: "ls", folder: rig.folder, repositories: [] }
  await rig.commands.run(reading, { timeoutMs: 60_000 }, () => {}, new AbortController().signal)
  const [first = 0, ...others] = sinces
  expect(first >= before && first <= between).toBe(true)
  expect(new Set(others).size, "that in the background began before the last").toBe(1)
  expect(others.every((since) => since >= between)).toBe(true)
})

test("JR-06 when the session ends, its commands end and no more can be run", async () => {
  const rig = await commandsHere()
  let pid = ""
  const finished = run(rig, "echo $$; sleep 600", { report: ({ end }) => void (pid ||= end) })
  await until(() => pid !== "")
  await rig.end()
  expect((await finished).ending).toEqual({ type: "stopped" })
  expect(await isAlive(pid)).toBe(false)
  await expect(run(rig, "true")).rejects.toThrow("The session has ended")
})
