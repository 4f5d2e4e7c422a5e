import { describe, expect, test } from "vitest"
import type { ModelRequest } from "../../src/agent/model.ts"
import type { Database } from "../../src/runtime.ts"
import { Store } from "../../src/session/store.ts"
import { modelWith, type Reply, soon } from "../support/scripted.ts"
import { delegate, family, type Played, research, type SessionOptions, sessionWith } from "../support/sessions.ts"
import { storeInMemory } from "../support/store.ts"

const stuck = { text: "never", before: () => new Promise(() => {}) }

/** The same session in another process: the one that had it was killed. */
async function afterKill(
  { session, client }: Pick<Played, "session" | "client">,
  db: Database,
  model: Parameters<typeof sessionWith>[0],
  options: SessionOptions = {},
): Promise<Played> {
  session.detach(client) // nobody hears of it any more
  return await sessionWith(model, { ...options, store: new Store(db, "memory"), id: session.id })
}

describe("after a kill", () => {
  test("R-344 what was at work is interrupted, nothing runs by itself, and the model is told with the next message", async () => {
    const { store, db } = await storeInMemory()
    const played = await sessionWith(
      family([{ calls: [delegate("research", "look", { background: true })] }, { text: "going on" }], { look: stuck }),
      { store },
    )
    await played.say("go")
    const next = await afterKill(played, db, family([{ text: "I will start it again" }]))
    expect(next.standing()).toEqual({ look: "interrupted" })
    await soon()
    expect(next.entries().at(-1)).toBe("model: going on")
    await next.say("well?")
    expect(next.entries().slice(-3)).toEqual([
      "user: well?",
      expect.stringMatching(/^report: .*interrupted\. It was cut off: its session ended/s),
      "model: I will start it again",
    ])
    expect(next.session.parts.subagents.deliveries.due()).toEqual([])
  })

  test("R-272 R-277 history, snapshot and brief are there again, and the task can be taken up", async () => {
    const { store, db } = await storeInMemory()
    const model = family([{ calls: [research("look", "scout")] }], {
      look: [{ calls: [["list_directory", { path: "." }]], tokens: 7 }, stuck],
    })
    const played = await sessionWith(model, { store, roles: [{ name: "scout", prompt: "Scout." }] })
    void played.say("go").catch(() => {})
    await played.until(() => model.requests.length === 3)
    const before = played.tasks.list()[0]!.history
    const nextModel = family([{ text: "thanks" }], {
      "You were interrupted. Go on with the task where you stopped, and end with your report.": { text: "seen" },
    })
    const next = await afterKill(played, db, nextModel) // its role is not there any more
    const [one] = next.tasks.list()
    expect(one!.history).toEqual(before)
    expect(one!.snapshot).toMatchObject({
      status: "interrupted",
      agentName: "scout",
      contextUsage: { usedTokens: 7, maxTokens: 100_000 },
    })
    expect(one!.activity.entries).toEqual([])
    next.tasks.restart(one!.id)
    await next.until(() => next.entries().at(-1) === "model: thanks")
    expect(nextModel.requests[0]!.instructions).toMatch(/Scout\.$/)
  })

  test("R-293 before the answer, a report is rolled back, and the next process delivers it once", async () => {
    const { store, db } = await storeInMemory()
    const parent = [{ calls: [delegate("research", "look", { background: true })] }, { text: "going on" }, stuck]
    const played = await sessionWith(family(parent, { look: { text: "gold" } }), { store })
    await played.say("go")
    await played.until(() => played.entries().at(-1)!.startsWith("report"))
    const next = await afterKill(played, db, family([{ text: "gold!" }]))
    expect(next.modelReads().some((line) => line.includes("gold"))).toBe(false)
    await next.say("well?")
    expect(next.modelReads().filter((line) => line.includes("gold"))).toEqual([
      expect.stringMatching(/^tools: .*gold$/s),
      "model: gold!",
    ])
  })

  test("R-160 R-293 after the answer, it is consumed, and the task stands as it was last told", async () => {
    const { store, db } = await storeInMemory()
    const played = await sessionWith(
      family([{ calls: [research("look")] }, { text: "so it is" }], { look: { text: "gold" } }),
      {
        store,
      },
    )
    await played.say("go")
    const last = played.told().at(-1)
    const next = await afterKill(played, db, family([{ text: "as I said" }]))
    expect(next.tasks.list()[0]!.snapshot).toEqual(last)
    await next.say("well?")
    expect(next.entries().filter((line) => line.startsWith("report"))).toHaveLength(1)
    expect(next.session.parts.subagents.deliveries.due()).toEqual([])
  })

  test("before it was handed over, it waits for the next prompt", async () => {
    const { store, db } = await storeInMemory()
    const played = await sessionWith(
      family([{ calls: [delegate("research", "look", { background: true })] }, { text: "going on" }], {
        look: { text: "gold" },
      }),
      { store, takesDeliveries: false },
    )
    await played.say("go")
    await played.until(() => played.standing()["look"] === "completed")
    const next = await afterKill(played, db, family([{ text: "gold!" }]))
    await soon()
    expect(next.entries().at(-1)).toBe("model: going on")
    await next.say("well?")
    expect(next.entries().at(-1)).toBe("model: gold!")
    expect(next.entries().filter((line) => line.includes("gold"))).toHaveLength(2)
  })

  test("R-278 a person's turn that was cut off is nothing that the parent hears of", async () => {
    const { store, db } = await storeInMemory()
    const played = await sessionWith(
      family([{ calls: [research("look")] }, { text: "ok" }], { look: { text: "seen" }, "and b?": stuck }),
      { store },
    )
    await played.say("go")
    const { userText } = await import("../../src/agent/message.ts")
    played.tasks.continue(played.tasks.list()[0]!.id, userText("and b?"), "read_only")
    const next = await afterKill(played, db, family([{ text: "hm" }]))
    expect(next.standing()).toEqual({ look: "interrupted" })
    expect(next.session.parts.subagents.deliveries.due()).toEqual([])
  })

  test("SA-09 subagents' conversations are in no list, and go with their parent", async () => {
    const { store, db } = await storeInMemory()
    const played = await sessionWith(
      family([{ calls: [research("look")] }, { text: "ok" }], { look: { text: "seen" } }),
      {
        store,
      },
    )
    await played.say("go")
    expect(store.list({ limit: 10 }).sessions.map(({ id }) => id)).toEqual([played.session.id])
    expect(db.all("SELECT id FROM session")).toHaveLength(2)
    await played.session.close()
    store.delete(played.session.id)
    expect(db.all("SELECT id FROM session UNION ALL SELECT session FROM entry UNION ALL SELECT id FROM task")).toEqual(
      [],
    )
  })
})

/** Numbers that look like chance, and are the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

const READS = /^# Subagent: (t\d+)\n/

/** The tasks whose reports are in a request, with every time that they are. */
function reportsIn({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool") return []
    return message.results.flatMap(({ content }) => {
      const [part] = content
      return part?.type === "text" ? (READS.exec(part.text)?.[1] ?? []) : []
    })
  })
}

describe("a hundred subagents, ten at a time, with random delays, cancels and kills", () => {
  for (const seed of [1, 2, 3]) {
    test(`each result reaches the model exactly once (seed ${seed})`, async () => {
      const roll = dice(seed)
      const { store, db } = await storeInMemory()
      let hasStarted = false
      const answer = ({ task }: ModelRequest): Reply => {
        const before = () => soon(roll(12))
        if (task !== undefined) return { text: `found ${task}`, before }
        if (hasStarted)
          return roll(3) === 0 ? { calls: [["list_directory", { path: "." }]], before } : { text: "ok", before }
        hasStarted = true
        return { calls: Array.from({ length: 100 }, (_, at) => research(`t${at}`)) }
      }
      const model = modelWith(1_000_000, answer)
      const options = { settings: { maxConcurrent: 10, allowParentToContinue: true } }
      let played = await sessionWith(model, { ...options, store })
      void played.say("go").catch(() => {})
      await played.until(() => played.tasks.list().length === 100)
      for (let round = 0; round < 60; round++) {
        await soon(roll(6))
        const { alive } = played.tasks
        const one = alive[roll(alive.length || 1)]
        switch (roll(8)) {
          case 0:
          case 1:
            if (one) await played.tasks.cancel(one.id)
            break
          case 2:
            played.session.cancel()
            break
          case 3:
            void played.say(`prompt ${round}`).catch(() => {})
            break
          case 4:
            if (round % 3 === 0) played = await afterKill(played, db, model, options)
        }
      }
      await played.until(() => played.tasks.alive.length === 0)
      for (let times = 0; times < 50 && played.session.parts.subagents.deliveries.due().length > 0; times++) {
        await played.say("and?")
      }
      await played.say("that is all?")

      const names = Array.from({ length: 100 }, (_, at) => `t${at}`).sort()
      const parents = model.requests.filter(({ task }) => task === undefined)
      expect(reportsIn(parents.at(-1)!).sort()).toEqual(names)
      for (const request of parents) {
        const reports = reportsIn(request)
        expect(reports).toHaveLength(new Set(reports).size)
      }
    }, 30_000)
  }
})
