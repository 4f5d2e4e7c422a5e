import { expect, test } from "vitest"
import { type Entry, scriptedReply, userText } from "../../src/agent/message.ts"
import { Deliveries, type Delivery } from "../../src/subagents/delivery.ts"
import { resultOf, said } from "../support/store.ts"

/** Deliveries, with all that was written and told of them. */
function deliveriesWith(open: Delivery[] = [], entries: Entry[] = []) {
  const saved: string[] = []
  const handed: string[] = []
  const deliveries = new Deliveries(open, entries, {
    save: ({ task, state }) => saved.push(`${task} ${state}`),
    handed: ({ task }) => handed.push(task),
  })
  const hand = () => {
    for (const report of deliveries.due()) deliveries.follow(report)
  }
  return { deliveries, saved, handed, hand }
}

test("a report waits, is handed over as an entry, and is confirmed by the reply that follows", () => {
  const { deliveries, saved, hand } = deliveriesWith()
  deliveries.add("a", "gold")
  hand()
  expect(deliveries.due()).toEqual([])
  deliveries.follow(said("I see"))
  expect(saved).toEqual(["a waiting", "a handed", "a confirmed"])
})

test("neither a client's words nor a reply that was cut off confirm anything", () => {
  const { deliveries, saved, hand } = deliveriesWith()
  deliveries.add("a", "gold")
  hand()
  deliveries.follow(scriptedReply([]))
  deliveries.follow({ ...said("I s"), stop: "cancelled" })
  deliveries.follow(userText("well?"))
  expect(saved).toEqual(["a waiting", "a handed"])
  expect(deliveries.unanswered()).toHaveLength(1)
})

test("a report that was taken back is due again, is worth no turn of its own, and is told as handed once", () => {
  const { deliveries, handed, hand } = deliveriesWith()
  deliveries.add("a", "gold")
  expect(deliveries.waiting).toEqual(["a"])
  hand()
  for (const entry of deliveries.unanswered()) deliveries.follow(entry)
  expect(deliveries.due()).toHaveLength(1)
  expect(deliveries.waiting).toEqual([])
  hand()
  expect(handed).toEqual(["a"])
})

test("R-336 a report that a call brings is handed over with its result, and is nowhere else any more", () => {
  const { deliveries, saved, handed } = deliveriesWith()
  deliveries.add("a", "gold")
  expect(deliveries.take("a", "call-1")).toBe("gold")
  expect(deliveries.take("a", "call-2")).toBeUndefined() // one of the two brings it
  deliveries.follow(resultOf("call-1", "gold"))
  expect(deliveries.due()).toEqual([])
  expect(deliveries.unanswered()).toEqual([]) // the result stays where it is: the model will read it
  expect(handed).toEqual(["a"])
  deliveries.follow(said("I see"))
  expect(saved.at(-1)).toBe("a confirmed")
})

test("a call that was cancelled brings nothing, and the report stays due", () => {
  const { deliveries } = deliveriesWith()
  deliveries.add("a", "gold")
  deliveries.take("a", "call-1")
  deliveries.follow({ ...resultOf("call-1", "cancelled"), status: "cancelled" })
  expect(deliveries.due()).toHaveLength(1)
  expect(deliveries.take("a", "call-2")).toBe("gold")
})

test("R-293 after a kill: handed as an entry, it is taken back; handed by a result, it stays; what waited is due quietly", () => {
  const report: Entry = { role: "report", delivery: "1", task: "a", text: "gold" }
  const open: Delivery[] = [
    { id: "1", task: "a", text: "gold", state: "handed" },
    { id: "2", task: "b", text: "silver", state: "handed" },
    { id: "3", task: "c", text: "tin", state: "waiting" },
  ]
  const { deliveries } = deliveriesWith(open, [userText("go"), report])
  expect(deliveries.unanswered()).toEqual([{ role: "returned", delivery: "1" }])
  expect(deliveries.due().map(({ task }) => task)).toEqual(["c"])
  expect(deliveries.waiting).toEqual([])
})

test("the report of a task that begins anew is dropped, unless the model has it already", () => {
  const { deliveries, saved } = deliveriesWith()
  deliveries.add("a", "half of it")
  deliveries.drop("a")
  expect(deliveries.due()).toEqual([])
  expect(saved.at(-1)).toBe("a confirmed")
})
