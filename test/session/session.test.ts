import { describe, expect, onTestFinished, test } from "vitest"
import { createCore } from "../../src/acp/core.ts"
import { newSession } from "../../src/acp/open-session.ts"
import { textOf, userText } from "../../src/agent/message.ts"
import type { Answer, Question } from "../../src/permission/gate.ts"
import { type Attached, askAnyOf, type SessionEvent } from "../../src/session/attached.ts"
import { effortOf } from "../../src/session/dials.ts"
import type { Resolve } from "../../src/session/prompted.ts"
import type { Session } from "../../src/session/session.ts"
import { ownWords, titleOf } from "../../src/session/title.ts"
import { Turns } from "../../src/session/turns.ts"
import { workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, pausing } from "../support/replies.ts"

const NEVER = new AbortController().signal
const asItIs: Resolve = async (content) => ({ content })

/** A client that notes what it is told, and answers questions so. */
function watcher(answer: (signal: AbortSignal) => Promise<Answer> = async () => "no") {
  const events: SessionEvent[] = []
  const asked: Question[] = []
  const attached: Attached = {
    tell: (event) => void events.push(event),
    ask(question, signal) {
      asked.push(question)
      return answer(signal)
    },
    editor: {},
    terminals: undefined,
  }
  return { attached, events, asked, types: () => events.map(({ type }) => type) }
}

async function opened(asks = true) {
  const { runtime, provider, cwd } = await workshop({ files: { "a.txt": "old" } })
  const core = await createCore(runtime, {})
  onTestFinished(() => core.close())
  const session = await newSession(core, { cwd, roots: [cwd], asked: {} }, asks)
  return { session, provider, cwd }
}

const say = (session: Session, words: string, from?: Attached, signal: AbortSignal = NEVER) =>
  session.prompt(userText(words), asItIs, from, signal)

describe("several clients on one session", () => {
  test("each is told all; the others see what one of them said", async () => {
    const { session, provider } = await opened()
    provider.script(says("Hello."))
    const [one, two] = [watcher(), watcher()]
    session.attach(one.attached)
    session.attach(two.attached)

    await say(session, "hi", one.attached)

    expect(one.types()).toEqual(["titled", "read", "text"])
    expect(two.types()).toEqual(["said", "titled", "read", "text"])
    const [said] = two.events
    expect(said?.type === "said" && textOf(said.message.content)).toBe("hi")
  })

  test("a question goes to all of them, the first answer counts, and the others need not answer", async () => {
    const { session, provider } = await opened()
    const edit = { path: "a.txt", old_string: "old", new_string: "new" }
    provider.script(calls({ name: "replace", input: edit }), says("done"))
    const withdrawn = Promise.withResolvers<void>()
    const slow = watcher(
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            withdrawn.resolve()
            reject(signal.reason)
          }),
        ),
    )
    const quick = watcher(async () => "once")
    session.attach(slow.attached)
    session.attach(quick.attached)

    await say(session, "go", slow.attached)
    await withdrawn.promise

    expect([slow.asked.length, quick.asked.length]).toEqual([1, 1])
    expect(quick.events.some((event) => event.type === "call_ended" && event.result.status === "ok")).toBe(true)
  })

  test("one that has gone is told no more, and the turn goes on", async () => {
    const { session, provider } = await opened()
    const { promise, resolve } = Promise.withResolvers<void>()
    provider.script(pausing("one", promise, "two"))
    const [one, two] = [watcher(), watcher()]
    session.attach(one.attached)
    session.attach(two.attached)
    const turn = say(session, "hi", one.attached)
    while (!one.types().includes("text")) await new Promise((resolve) => setTimeout(resolve, 1))

    session.detach(one.attached)
    const seen = one.events.length
    resolve()

    expect((await turn).stop).toBe("end_turn")
    expect(one.events.length).toBe(seen)
    expect(two.events.length).toBeGreaterThan(seen)
  })
})

describe("a question", () => {
  test("with nobody there is a no", async () => {
    expect(await askAnyOf(new Set())({} as Question, NEVER)).toBe("no")
  })

  test("that one client fails at is the other's to answer", async () => {
    const failing = watcher(() => Promise.reject(new Error("no dialogs")))
    const able = watcher(async () => "always")
    expect(await askAnyOf(new Set([failing.attached, able.attached]))({} as Question, NEVER)).toBe("always")
  })

  test("whose turn is cancelled is no answer at all", async () => {
    const stop = new AbortController()
    stop.abort(new Error("cancelled"))
    const late = watcher(async (signal) => {
      signal.throwIfAborted()
      return "once"
    })
    await expect(askAnyOf(new Set([late.attached]))({} as Question, stop.signal)).rejects.toThrow("cancelled")
  })
})

describe("a session that is closed", () => {
  test("ends its turn and those that wait", async () => {
    const { session, provider } = await opened()
    provider.script(pausing("one", new Promise(() => {})))
    const one = watcher()
    session.attach(one.attached)
    const turns = [say(session, "1"), say(session, "2")]
    await session.close()
    expect((await Promise.all(turns)).map(({ stop }) => stop)).toEqual(["cancelled", "cancelled"])
    expect(session.isWorking).toBe(false)
  })
})

test("a failure of the model's is told to whoever prompted, and the next prompt is served", async () => {
  const { session, provider } = await opened()
  provider.script({ status: 400, headers: {}, steps: ["no"] })
  await expect(say(session, "1")).rejects.toMatchObject({ name: "ModelFailure", kind: "request" })
  provider.script(says("Here."))
  expect((await say(session, "2")).stop).toBe("end_turn")
})

describe("turns", () => {
  test("come one after another, in the order in which they were asked for", async () => {
    const turns = new Turns()
    const done: number[] = []
    const first = Promise.withResolvers<void>()
    const all = [
      turns.add(async () => {
        await first.promise
        done.push(1)
      }, [NEVER]),
      turns.add(async () => void done.push(2), [NEVER]),
    ]
    expect(turns.isIdle).toBe(false)
    first.resolve()
    await Promise.all(all)
    expect([done, turns.isIdle]).toEqual([[1, 2], true])
  })

  test("can be cancelled before they begin, and those asked for later are not", async () => {
    const turns = new Turns()
    const aborted = async (signal: AbortSignal) => signal.aborted
    const before = turns.add(aborted, [NEVER])
    turns.cancel()
    expect([await before, await turns.add(aborted, [NEVER])]).toEqual([true, false])
  })

  test("one that fails does not hold up the next", async () => {
    const turns = new Turns()
    const failed = turns.add(() => Promise.reject(new Error("no")), [NEVER])
    await expect(failed).rejects.toThrow("no")
    expect(await turns.add(async () => "yes", [NEVER])).toBe("yes")
  })
})

test.for([
  ["Mend the parser", "Mend the parser"],
  ["\n\n## Mend   the\tparser \nIt fails.", "Mend the parser"],
  ["- > * mend", "mend"],
  ["  \n ", undefined],
  ["", undefined],
  ["x".repeat(80), `${"x".repeat(60)}…`],
  [`${"word ".repeat(20)}`, `${"word ".repeat(12).trim()}…`],
] as const)("PC-04 the title of %j is %j", ([text, title]) => {
  expect(titleOf(text)).toBe(title)
})

test("R-039 how hard a model thinks: as chosen if it can, else as it is by default, else not at all", () => {
  const reasoning = { supportedEfforts: ["low", "high"], defaultEffort: "low" }
  const model = { modelId: "m", name: "m", description: null, imageSupport: true }
  const dials = (effort?: string) => ({
    model: "m",
    policy: "default" as const,
    mode: "code" as const,
    efforts: new Map(effort ? [["m", effort]] : []),
  })
  expect([
    effortOf(dials("high"), { ...model, reasoning }),
    effortOf(dials("huge"), { ...model, reasoning }),
    effortOf(dials(), { ...model, reasoning }),
    effortOf(dials("high"), model),
  ]).toEqual(["high", "low", "low", undefined])
})

test("PC-04 a title is made of what the user wrote, and not of the files that came with it", () => {
  const text = (text: string) => ({ type: "text" as const, text })
  const embedded = text('<resource uri="file:///w/a.ts">\nconst a = 1\n</resource>')
  const link = { type: "link" as const, uri: "file:///w/b.ts", name: "b.ts" }
  expect(titleOf(ownWords([embedded, text("Fix"), link, text("please"), text("[left out: an image]")]))).toBe(
    "Fix please",
  )
})
