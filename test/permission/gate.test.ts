import assert from "node:assert/strict"
import { test } from "vitest"
import type { ToolKind } from "../../src/agent/message.ts"
import type { Action, Gate, Reach, Tool, Verdict } from "../../src/agent/tool.ts"
import { type Answer, createGate, type Question } from "../../src/permission/gate.ts"
import type { Stance } from "../../src/permission/policy.ts"
import { DECLINED } from "../../src/permission/reasons.ts"
import { fakeTool, never, soon } from "../support/scripted.ts"
import { filesWith, groundWith, type Item } from "./ground.ts"

const call = { id: "c", name: "x", input: {} }
const edit = (...writes: string[]): Call => ["write_file", "edit", { type: "files", reads: [], writes }]
const read = (...reads: string[]): Call => ["read_file", "read", { type: "files", reads, writes: [] }]
const shell = (command: string): Call => ["run_shell_command", "execute", { type: "command", command, folder: "/w" }]
const server = (name: string): Call => [name, "other", { type: "server", server: "s", tool: "t", trusted: false }]
const fetch = (url: string): Call => ["web_fetch", "fetch", { type: "web", url }]

type Call = [name: string, kind: ToolKind, reach: Reach]

interface Asked {
  question: Question
  answer: (answer: Answer) => void
  fail: (error: Error) => void
  signal: AbortSignal
}

/** A gate whose questions the test answers. */
function gateWith(stance: Stance, items: Record<string, Item> = {}, rules: readonly string[] = []) {
  let now = stance
  let somebody = true
  const ground = { ...groundWith(), files: filesWith({ "/w": "folder", "/home/u": "folder", ...items }) }
  const asked: Asked[] = []
  const gate = createGate({
    ground,
    stance: () => now,
    allowed: () => rules,
    canAsk: () => somebody,
    ask(question, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      asked.push({ question, answer: resolve, fail: reject, signal })
      return promise
    },
  })
  const admit = ([name, kind, reach]: Call, signal = never, by: Gate = gate): Promise<Verdict> => {
    const tool: Tool = fakeTool(name, () => "", kind)
    const action: Action = { title: name, locations: [], display: [], reach, run: async () => ({ content: [] }) }
    return by.admit(tool, action, call, signal)
  }
  const change = (to: Partial<Stance>) => {
    now = { ...now, ...to }
    gate.reconsider()
  }
  const leave = () => {
    somebody = false
    gate.reconsider()
  }
  /** The question of that number, once it is asked. */
  const question = async (at: number): Promise<Asked> => {
    for (let turns = 0; turns < 200 && asked.length <= at; turns++) await soon(1)
    return asked[at] ?? assert.fail(`there is no question ${at}`)
  }
  return { gate, files: ground.files, asked, admit, change, leave, question }
}

const DEFAULT: Stance = { policy: "default", mode: "code" }
const ALLOWED: Verdict = { allowed: true }
const NO: Verdict = { allowed: false, reason: DECLINED, shown: "You declined this." }

test("R-119 what need not be asked is not: it runs, or is refused with the reason", async () => {
  const { admit, asked } = gateWith({ policy: "auto_edit", mode: "code" })
  assert.deepEqual(await admit(edit("/w/a")), ALLOWED)
  assert.deepEqual(await admit(shell("git status")), ALLOWED)
  const plan = gateWith({ policy: "yolo", mode: "plan" })
  assert.deepEqual(await plan.admit(shell("npm test")), {
    allowed: false,
    reason:
      "run_shell_command is not allowed in plan mode: only reading commands run here, and this one runs `npm`, which is not on the list of reading commands.",
  })
  assert.deepEqual(await plan.admit(edit("/w/a")), {
    allowed: false,
    reason: "write_file is not allowed in plan mode: nothing may be changed here. Only reading tools run.",
  })
  assert.deepEqual(await plan.admit(shell("cat $X")), {
    allowed: false,
    reason:
      "run_shell_command is not allowed in plan mode: what the command reads must be clear from its text, and `$X` is not. Write the paths out.",
  })
  assert.deepEqual(asked, [])
})

test("R-137 R-139 under read_only a call of a tool that is not offered is refused all the same", async () => {
  const { admit, gate } = gateWith({ policy: "read_only", mode: "code" })
  assert.equal(gate.offers(fakeTool("mcp__s__t", () => "", "other")), false)
  assert.deepEqual(await admit(server("mcp__s__t")), {
    allowed: false,
    reason: "mcp__s__t is not allowed under the read_only policy: tools of MCP servers do not run here.",
  })
})

test("R-119 a question says why it is asked, and what 'always' would remember", async () => {
  const { admit, question } = gateWith(DEFAULT)
  const calls = [
    edit("/w/a"),
    shell("npm test"),
    server("mcp__s__t"),
    fetch("https://x.org/a"),
    read("/usr/include/a.h"),
    edit("/w/.envrc"),
    shell("rm -rf x"),
    edit("/etc/hosts"),
    read("/home/u/.ssh/id"),
    shell("cat $X"),
  ]
  const said: [string, string | null][] = []
  for (const [at, each] of calls.entries()) {
    const verdict = admit(each)
    const { question: asked, answer } = await question(at)
    said.push([asked.reason, asked.remember])
    answer("once")
    assert.deepEqual(await verdict, ALLOWED)
  }
  assert.deepEqual(said, [
    ["it changes /w/a", "Allow all edits in this session"],
    ["it runs `npm test`", "Always allow `npm test` in this session"],
    ["it calls a tool of an MCP server, mcp__s__t", "Always allow mcp__s__t in this session"],
    ["it fetches from x.org", "Always allow fetching from x.org in this session"],
    ["it reads outside the workspace: /usr/include/a.h", "Always allow reading in /usr/include in this session"],
    ["it touches a protected place: /w/.envrc", null],
    ["it runs `rm -rf x`", null],
    ["it writes outside the workspace: /etc/hosts", null],
    ["it touches keys: /home/u/.ssh/id", null],
    ["what it reads can't be told from its text: $X", null],
  ])
})

test("PE-13 a no is told to the model, which is to go on without it", async () => {
  const { admit, question } = gateWith(DEFAULT)
  const verdict = admit(edit("/w/a"))
  ;(await question(0)).answer("no")
  assert.deepEqual(await verdict, NO)
})

test("MS-15 one question at a time, in order; a no to one leaves the others", async () => {
  const { admit, asked, question } = gateWith(DEFAULT)
  const verdicts = [admit(edit("/w/a")), admit(edit("/w/b")), admit(edit("/w/c"))]
  ;(await question(0)).answer("once")
  ;(await question(1)).answer("no")
  await question(2)
  assert.equal(asked.length, 3)
  ;(await question(2)).answer("once")
  assert.deepEqual(await Promise.all(verdicts), [ALLOWED, NO, ALLOWED])
  assert.deepEqual(
    asked.map(({ question: { reason } }) => reason),
    ["it changes /w/a", "it changes /w/b", "it changes /w/c"],
  )
})

test("R-125 'always' settles those that wait, and later ones, and opens nothing else", async () => {
  const { admit, asked, question } = gateWith(DEFAULT)
  const verdicts = [admit(edit("/w/a")), admit(edit("/w/b")), admit(edit("/w/.vscode/x"))]
  ;(await question(0)).answer("always")
  ;(await question(1)).answer("no")
  assert.deepEqual(await Promise.all(verdicts), [ALLOWED, ALLOWED, NO])
  assert.deepEqual(await admit(edit("/w/c")), ALLOWED)
  assert.equal(asked.length, 2)
})

test("PE-03 PE-10 'always' for a command covers the next one like it, and neither a dangerous nor another one", async () => {
  const { admit, asked, question } = gateWith(DEFAULT)
  const first = admit(shell("git push origin main"))
  ;(await question(0)).answer("always")
  assert.deepEqual(await first, ALLOWED)
  assert.deepEqual(await admit(shell("git push origin main")), ALLOWED)
  assert.deepEqual(await admit(shell("git status && git push | tail -1")), ALLOWED)
  const others = [
    "git push --force",
    "git push && touch x",
    "git push $(touch x)",
    "git push > .git/config",
    "git commit -m x",
    "cd /etc && git push",
  ]
  for (const [at, command] of others.entries()) {
    const verdict = admit(shell(command))
    ;(await question(at + 1)).answer("no")
    assert.deepEqual(await verdict, NO, command)
  }
  assert.equal(asked.length, 1 + others.length)
})

test("PE-10 an allowed command is asked about where it names keys, a protected place, or one outside, also by a link", async () => {
  const { admit, question } = gateWith(DEFAULT, { "/w/out": { link: "/outside" } }, ["run_shell_command(cp)"])
  assert.deepEqual(await admit(shell("cp a b")), ALLOWED)
  for (const [at, command] of [
    "cp a .git/hooks/pre-commit",
    "cp ~/.ssh/id_rsa b",
    "cp a /etc/hosts",
    "cp a out",
  ].entries()) {
    const verdict = admit(shell(command))
    const asked = await question(at)
    asked.answer("no")
    assert.deepEqual([await verdict, asked.question.remember], [NO, null], command)
  }
})

test("PE-10 of several commands, 'always' is offered when only one of them is not yet allowed", async () => {
  const { admit, question } = gateWith(DEFAULT, {}, ["run_shell_command(npm test)"])
  const verdict = admit(shell("npm test && npm run build"))
  const { question: asked, answer } = await question(0)
  answer("always")
  assert.equal(asked.remember, "Always allow `npm run build` in this session")
  assert.deepEqual(await verdict, ALLOWED)
  assert.deepEqual(await admit(shell("npm run build && npm test")), ALLOWED)
})

test("'always' where it was not offered counts once", async () => {
  const { admit, question } = gateWith(DEFAULT)
  for (const at of [0, 1]) {
    const verdict = admit(edit("/w/.envrc"))
    ;(await question(at)).answer("always")
    assert.deepEqual(await verdict, ALLOWED)
  }
})

test("permissions.allow: what the user has allowed for good is not asked about", async () => {
  const { admit, asked } = gateWith(DEFAULT, {}, [
    "edit",
    "run_shell_command(npm test)",
    "web_fetch(x.org)",
    "read_file(/usr)",
  ])
  const verdicts = await Promise.all(
    [edit("/w/a"), shell("npm test"), fetch("https://x.org/a"), read("/usr/include/a.h")].map((each) => admit(each)),
  )
  assert.deepEqual([verdicts, asked], [[ALLOWED, ALLOWED, ALLOWED, ALLOWED], []])
})

test("PE-14 a looser policy answers the open question and the queued ones, and withdraws them", async () => {
  const { admit, asked, change, question } = gateWith(DEFAULT)
  const verdicts = [admit(edit("/w/a")), admit(shell("npm test")), admit(edit("/w/b"))]
  const { signal } = await question(0)
  change({ policy: "auto_edit" })
  assert.deepEqual(await Promise.all([verdicts[0], verdicts[2]]), [ALLOWED, ALLOWED])
  assert.equal(signal.aborted, true)
  ;(await question(1)).answer("once")
  assert.deepEqual(await verdicts[1], ALLOWED)
  assert.deepEqual(
    asked.map(({ question: { reason } }) => reason),
    ["it changes /w/a", "it runs `npm test`"],
  )
})

test("PE-14 a stricter mode refuses what is asked, and withdraws it", async () => {
  const { admit, change, question } = gateWith(DEFAULT)
  const verdicts = [admit(edit("/w/a")), admit(edit("/w/b"))]
  const { signal } = await question(0)
  change({ mode: "plan" })
  const reason = "write_file is not allowed in plan mode: nothing may be changed here. Only reading tools run."
  assert.deepEqual(await Promise.all(verdicts), [
    { allowed: false, reason },
    { allowed: false, reason },
  ])
  assert.equal(signal.aborted, true)
})

test("an answer that comes with a stricter mode does not run what the mode forbids", async () => {
  const { admit, change, question } = gateWith(DEFAULT)
  const verdict = admit(edit("/w/a"))
  ;(await question(0)).answer("once")
  change({ mode: "ask" })
  assert.equal((await verdict).allowed, false)
})

test("R-141 what was remembered under one policy holds when that policy comes back", async () => {
  const { admit, asked, change, question } = gateWith(DEFAULT)
  const first = admit(edit("/w/a"))
  ;(await question(0)).answer("always")
  await first
  change({ policy: "read_only" })
  assert.equal((await admit(edit("/w/a"))).allowed, false)
  change({ policy: "default" })
  assert.deepEqual(await admit(edit("/w/a")), ALLOWED)
  assert.equal(asked.length, 1)
})

test("CX-04 a cancelled turn withdraws its question, whatever the client answers or does not, and the next one is asked", async () => {
  const { admit, question } = gateWith(DEFAULT)
  const stop = new AbortController()
  const [open, queued] = [admit(edit("/w/a"), stop.signal), admit(edit("/w/b"), stop.signal)]
  const next = admit(edit("/w/c"))
  const { answer, signal } = await question(0)
  stop.abort(new Error("cancelled"))
  await Promise.all([assert.rejects(open, /cancelled/), assert.rejects(queued, /cancelled/)])
  answer("always") // too late
  assert.equal(signal.aborted, true)
  const { question: asked, answer: answerNext } = await question(1)
  answerNext("no")
  assert.deepEqual([asked.reason, await next], ["it changes /w/c", NO])
})

test("PE-07 a link that is swapped while the user thinks is judged again, and asked about anew", async () => {
  const { admit, files, question } = gateWith(DEFAULT, { "/w/sub": "folder" })
  const verdict = admit(edit("/w/sub/a"))
  const first = await question(0)
  files.items.set("/w/sub", { link: "/etc" })
  first.answer("once")
  const second = await question(1)
  second.answer("no")
  assert.deepEqual(
    [first.question.reason, second.question.reason],
    ["it changes /w/sub/a", "it writes outside the workspace: /etc/a"],
  )
  assert.deepEqual(await verdict, NO)
})

test("PE-07 'always' for edits does not cover a path that was swapped for one outside meanwhile", async () => {
  const { admit, files, question } = gateWith(DEFAULT, { "/w/sub": "folder" })
  const verdict = admit(edit("/w/sub/a"))
  const first = await question(0)
  files.items.set("/w/sub", { link: "/etc" })
  first.answer("always")
  ;(await question(1)).answer("no")
  assert.deepEqual(await verdict, NO)
})

test("where nobody can be asked, what would be asked is refused, and the reason says so", async () => {
  const { admit, gate, asked } = gateWith(DEFAULT)
  const child = gate.forSubagent({ who: "research", canAsk: () => false })
  assert.deepEqual(await admit(read("/w/a"), never, child), ALLOWED)
  assert.deepEqual(await admit(read("/etc/hosts"), never, child), {
    allowed: false,
    reason:
      "read_file needs the user's permission here (it reads outside the workspace: /etc/hosts), and there is nobody to ask. Go on without it, and say in your answer what was left undone.",
  })
  assert.deepEqual(asked, [])
})

test("when the last one who could be asked leaves, the open question is refused", async () => {
  const { admit, leave, question } = gateWith(DEFAULT)
  const verdict = admit(edit("/w/a"))
  await question(0)
  leave()
  assert.equal((await verdict).allowed, false)
})

test("a subagent asks through its parent's gate, by its own name, in the same queue, with the same memory", async () => {
  const { admit, asked, gate, question } = gateWith(DEFAULT)
  const child = gate.forSubagent({ who: "implement" })
  const verdicts = [admit(edit("/w/a")), admit(edit("/w/b"), never, child)]
  ;(await question(0)).answer("once")
  ;(await question(1)).answer("always")
  assert.deepEqual(await Promise.all(verdicts), [ALLOWED, ALLOWED])
  assert.deepEqual(
    asked.map(({ question: { who } }) => who),
    [undefined, "implement"],
  )
  assert.deepEqual(await admit(edit("/w/c")), ALLOWED)
})

test("PE-10 a subagent with a stricter stance is not loosened by what its parent was allowed", async () => {
  const { admit, gate, question } = gateWith(DEFAULT)
  const child = gate.forSubagent({ who: "research", stance: () => ({ policy: "read_only", mode: "code" }) })
  const first = admit(edit("/w/a"))
  ;(await question(0)).answer("always")
  await first
  assert.equal((await admit(edit("/w/a"), never, child)).allowed, false)
  assert.equal(child.offers(fakeTool("write_file", () => "", "edit")), false)
})

test("a question that could not be put fails its call, and the next one is asked", async () => {
  const { admit, question } = gateWith(DEFAULT)
  const [broken, next] = [admit(edit("/w/a")), admit(edit("/w/b"))]
  ;(await question(0)).fail(new Error("the client is gone"))
  await assert.rejects(broken, /the client is gone/)
  ;(await question(1)).answer("once")
  assert.deepEqual(await next, ALLOWED)
})
