import { expect, test } from "vitest"
import { withEnding } from "../../src/workspace/execution.ts"
import type { CommandProgress } from "../../src/workspace/live-output.ts"
import type { Terminals } from "../../src/workspace/terminal-command.ts"
import { handClock } from "../support/clock.ts"
import { commandsHere, run, thisMachine, until } from "./this-machine.ts"

/** A client's terminals, which say what they are asked. */
function fakeTerminals(answers: Partial<Terminals> = {}): Terminals & { asked: unknown[][] } {
  const asked: unknown[][] = []
  const said: Terminals = {
    create: async () => "terminal-1",
    output: async () => ({ output: "\x1b[32mok\x1b[0m\r\n", truncated: false }),
    waitForExit: async () => ({ exitCode: 0, signal: null }),
    kill: async () => {},
    release: async () => {},
    ...answers,
  }
  const ask = <Answer>(question: unknown[], answer: () => Answer): Answer => {
    asked.push(question)
    return answer()
  }
  return {
    asked,
    create: (request) => ask(["create", request], () => said.create(request)),
    output: (id) => ask(["output", id], () => said.output(id)),
    waitForExit: (id, signal) => ask(["waitForExit", id], () => said.waitForExit(id, signal)),
    kill: (id) => ask(["kill", id], () => said.kill(id)),
    release: (id) => ask(["release", id], () => said.release(id)),
  }
}

const refused = async () => Promise.reject(new Error("refused"))
const silent = () => new Promise<never>(() => {})

test("R-112 R-113 R-114 a command runs in the client's terminal, with a limit for its output", async () => {
  const terminals = fakeTerminals()
  const rig = await commandsHere({ terminals: () => terminals })
  const reports: CommandProgress[] = []
  const finished = await run(rig, "npm test", { report: (progress) => void reports.push(progress) })
  expect(finished).toEqual({
    ending: { type: "exited", code: 0, signal: null, leftovers: false },
    text: "ok\n",
    terminalId: "terminal-1",
  })
  const [[, request], ...rest] = terminals.asked as [
    [string, { env: { name: string; value: string }[] }],
    ...unknown[][],
  ]
  expect(request).toEqual({
    command: "/bin/bash",
    args: ["-lc", "npm test"],
    cwd: rig.folder,
    env: expect.arrayContaining([{ name: "PAGER", value: "cat" }]),
    outputByteLimit: 524_288,
  })
  expect(rest).toEqual([
    ["waitForExit", "terminal-1"],
    ["output", "terminal-1"],
    ["release", "terminal-1"],
  ])
  expect(reports).toEqual([{ terminalId: "terminal-1", end: "", printed: "" }])
})

test("SH-09 the environment of the client's terminal holds nothing of ours but what keeps programs from asking", async () => {
  const terminals = fakeTerminals()
  const machine = thisMachine({ KODA_API_KEY: "secret", HOME: "/home/ours" })
  await run(await commandsHere({ terminals: () => terminals, machine }), "true")
  const sent = JSON.stringify(terminals.asked)
  expect({ secret: sent.includes("secret"), home: sent.includes("/home/ours") }).toEqual({ secret: false, home: false })
})

test("R-115 R-118 output that the client has truncated is said to be so", async () => {
  const terminals = fakeTerminals({ output: async () => ({ output: "the end\n", truncated: true }) })
  const { text } = await run(await commandsHere({ terminals: () => terminals }), "yes")
  expect(text).toBe("[The client's terminal kept only the last 512 KB of the output.]\nthe end\n")
})

test("R-117 the exit code and the signal are the client's", async () => {
  const exits = [
    { exitCode: 3, signal: null },
    { exitCode: null, signal: "SIGTERM" },
    { exitCode: null, signal: null },
  ]
  const said: string[] = []
  for (const exit of exits) {
    const terminals = fakeTerminals({ waitForExit: async () => exit })
    const { text, ending } = await run(await commandsHere({ terminals: () => terminals }), "x")
    said.push(withEnding(text, ending))
  }
  expect(said).toEqual(["ok\nexit code 3", "ok\nkilled by signal SIGTERM", "ok\nended without an exit code"])
})

test("R-108 R-113 without terminals of the client's the command runs here", async () => {
  expect(await run(await commandsHere(), "echo here")).toEqual({
    ending: { type: "exited", code: 0, signal: null, leftovers: false },
    text: "here\n",
  })
})

test("R-113 a client that refuses to make a terminal does not keep the command from running", async () => {
  const terminals = fakeTerminals({ create: refused })
  expect((await run(await commandsHere({ terminals: () => terminals }), "echo here")).text).toBe("here\n")
})

test("R-116 a command that takes too long is killed in the client's terminal, and its output is read", async () => {
  const clock = handClock()
  const terminals = fakeTerminals({ waitForExit: silent, output: async () => ({ output: "half\n", truncated: false }) })
  const rig = await commandsHere({ terminals: () => terminals, machine: thisMachine({}, clock) })
  const finished = run(rig, "sleep 600", { timeoutMs: 2_000 })
  await until(() => terminals.asked.length === 2)
  clock.pass(2_000)
  const { text, ending } = await finished
  expect(withEnding(text, ending)).toBe("half\ntimed out after 2 s; it was killed, with all it had started")
  expect(terminals.asked.map(([what]) => what)).toEqual(["create", "waitForExit", "kill", "output", "release"])
})

test("R-116 a client that fails to kill, read and release does no harm", async () => {
  const clock = handClock()
  const terminals = fakeTerminals({ waitForExit: silent, kill: refused, output: refused, release: refused })
  const rig = await commandsHere({ terminals: () => terminals, machine: thisMachine({}, clock) })
  const finished = run(rig, "sleep 600", { timeoutMs: 2_000 })
  await until(() => terminals.asked.length === 2)
  clock.pass(2_000)
  const { text, ending } = await finished
  expect(withEnding(text, ending)).toBe(
    "[The client did not give the output of its terminal.]\ntimed out after 2 s; it was killed, with all it had started",
  )
})

test("R-116 a client that does not answer when it should kill and read is not waited for", async () => {
  const clock = handClock()
  const terminals = fakeTerminals({ waitForExit: silent, kill: silent, output: silent, release: silent })
  const rig = await commandsHere({ terminals: () => terminals, machine: thisMachine({}, clock) })
  const finished = run(rig, "sleep 600", { timeoutMs: 2_000 })
  await until(() => terminals.asked.length === 2)
  clock.pass(2_000)
  await until(() => terminals.asked.length === 3)
  clock.pass(5_000)
  await until(() => terminals.asked.length === 4)
  clock.pass(5_000)
  expect((await finished).ending).toEqual({ type: "timed_out", afterMs: 2_000 })
  expect(terminals.asked.at(-1)).toEqual(["release", "terminal-1"])
})

test("R-113 a client that never makes the terminal is said to, and nothing is said to have run", async () => {
  const clock = handClock()
  const terminals = fakeTerminals({ create: silent })
  const rig = await commandsHere({ terminals: () => terminals, machine: thisMachine({}, clock) })
  const finished = run(rig, "sleep 600", { timeoutMs: 2_000 })
  await until(() => terminals.asked.length === 1)
  clock.pass(2_000)
  const { text, ending } = await finished
  expect(withEnding(text, ending)).toBe(
    "(no output) The client opened no terminal for it in 2 s, so that it may not have run at all",
  )
})

test("CX-01 a cancel kills and releases the client's terminal without waiting for the client", async () => {
  const terminals = fakeTerminals({ waitForExit: silent, kill: silent, output: silent, release: silent })
  const rig = await commandsHere({ terminals: () => terminals })
  const turn = new AbortController()
  const finished = run(rig, "sleep 600", { signal: turn.signal })
  await until(() => terminals.asked.length === 2)
  turn.abort(new Error("cancelled"))
  await expect(finished).rejects.toThrow("cancelled")
  expect(terminals.asked.map(([what]) => what)).toEqual(["create", "waitForExit", "kill", "release"])
})

test("a terminal that the client makes after the cancel is killed and released", async () => {
  const late = Promise.withResolvers<string>()
  const terminals = fakeTerminals({ create: () => late.promise })
  const rig = await commandsHere({ terminals: () => terminals })
  const turn = new AbortController()
  const finished = run(rig, "rm -r build", { signal: turn.signal })
  await until(() => terminals.asked.length === 1)
  turn.abort(new Error("cancelled"))
  await expect(finished).rejects.toThrow("cancelled")
  late.resolve("terminal-9")
  await until(() => terminals.asked.length === 3)
  expect(terminals.asked.slice(1)).toEqual([
    ["kill", "terminal-9"],
    ["release", "terminal-9"],
  ])
})

test("a client that loses the terminal is said to have failed, and the terminal is released", async () => {
  const terminals = fakeTerminals({ waitForExit: refused })
  const { text, ending } = await run(await commandsHere({ terminals: () => terminals }), "x")
  expect(withEnding(text, ending)).toBe("ok\nThe client's terminal failed: refused")
  expect(terminals.asked.map(([what]) => what)).toEqual(["create", "waitForExit", "kill", "output", "release"])
})

test("R-113 background commands, hooks and the sandbox never use the client's terminals", async () => {
  const terminals = fakeTerminals()
  const signal = new AbortController().signal
  const rig = await commandsHere({ terminals: () => terminals })
  await rig.commands.start({ command: "true", folder: rig.folder }, signal)
  await rig.commands.run(
    { command: "true", folder: rig.folder },
    { timeoutMs: 60_000, place: "ours" },
    () => {},
    signal,
  )
  const confined = await commandsHere({
    terminals: () => terminals,
    confine: (program) => ["/usr/bin/env", "-i", ...program],
  })
  expect((await run(confined, 'echo "[$HOME]"')).text).toBe("[]\n")
  expect(terminals.asked).toEqual([])
})
