import { access } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { begin, choose, type Koda, prompt, said, startKoda, updates } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

const kindIs = (kind: string) => (frame: Koda["frames"][number]) => frame.params?.update?.sessionUpdate === kind

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("CX-01 R-012 stops a reply that streams, and goes on with the next prompt", async () => {
    const place = await newPlace()
    const model = await startModel(function* (asked) {
      const reply = words(`to ${lastOf(asked).text}`)
      yield reply[0]!
      if (lastOf(asked).text.includes("first")) yield new Promise(() => {})
      yield* reply.slice(1)
    })
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const answer = prompt(koda, sessionId, "first")
    await koda.until(kindIs("agent_message_chunk"))
    koda.notify("session/cancel", { sessionId })
    const { result } = await answer
    expect(result.stopReason).toBe("cancelled")
    expect(result.usage?.totalTokens).not.toBe(0)
    expect((await prompt(koda, sessionId, "second")).result.stopReason).toBe("end_turn")
    expect(said(koda, sessionId)).toMatch(/to .*first.*to .*second/s)
  })

  test("CX-02 answers a prompt and its cancel in one write, and asks no model", async () => {
    const place = await newPlace()
    const model = await startModel(() => words("never"))
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const params = { sessionId, prompt: [{ type: "text", text: "go" }] }
    await koda.write(
      [
        { jsonrpc: "2.0", id: "p", method: "session/prompt", params },
        { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } },
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(""),
    )
    expect((await koda.until(({ id }) => id === "p")).result.stopReason).toBe("cancelled")
    expect(model.asked).toEqual([])
    expect((await prompt(koda, sessionId, "now")).result.stopReason).toBe("end_turn")
  })

  test.each([
    ["answered as cancelled", () => ({ outcome: { outcome: "cancelled" } })],
    ["allowed too late", choose("allow_once")],
    ["never answered", undefined],
  ] as const)("CX-04 cancels a turn whose question is %s, and does not do what it asked for", async (_, late) => {
    const place = await newPlace()
    const model = await startModel((asked) =>
      lastOf(asked).text.includes("again") ? words("here") : calls(["write_file", { path: "b.txt", content: "b" }]),
    )
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const answer = prompt(koda, sessionId, "write it")
    const question = await koda.until(({ method }) => method === "session/request_permission")
    koda.notify("session/cancel", { sessionId })
    if (late) koda.send({ id: question.id, result: late(question.params) })
    expect((await answer).result.stopReason).toBe("cancelled")
    expect((await prompt(koda, sessionId, "again")).result.stopReason).toBe("end_turn")
    await expect(access(join(place.workspace, "b.txt"))).rejects.toThrow("ENOENT")
    expect(endOf(koda, sessionId)).toBe("failed")
  })

  test("CX-07 ends a command that prints before it answers, and tells nothing of it afterwards", async () => {
    const place = await newPlace()
    const command = "while :; do echo line; sleep 0.01; done"
    const model = await startModel((asked) =>
      lastOf(asked).text.includes("again") ? words("here") : calls(["run_shell_command", { command }]),
    )
    const koda = startKoda(subject, place, { env: model.env, args: ["--acp", "--approval-mode", "yolo"] })
    const sessionId = await begin(koda, place.workspace)
    const answer = prompt(koda, sessionId, "print")
    await koda.until(({ params }) => JSON.stringify(params?.update?.content ?? "").includes("line"))
    koda.notify("session/cancel", { sessionId })
    const response = await answer
    expect(response.result.stopReason).toBe("cancelled")
    expect(endOf(koda, sessionId)).toBe("failed")
    expect((await prompt(koda, sessionId, "again")).result.stopReason).toBe("end_turn")
    const after = koda.frames.slice(koda.frames.indexOf(response) + 1)
    expect(after.filter(({ params }) => params?.update?.toolCallId !== undefined)).toEqual([])
  })

  test("CX-08 a new prompt cancels the one that runs; both are answered", async () => {
    const place = await newPlace()
    const model = await startModel(function* (asked) {
      if (lastOf(asked).text.includes("first")) yield new Promise(() => {})
      yield* words("to the second")
    })
    const koda = startKoda(subject, place, { env: model.env })
    const sessionId = await begin(koda, place.workspace)
    const answers = await Promise.all([prompt(koda, sessionId, "first"), prompt(koda, sessionId, "second")])
    expect(answers.map(({ result }) => result.stopReason)).toEqual(["cancelled", "end_turn"])
    expect(said(koda, sessionId)).toBe("to the second")
  })
})

/** How the last call ended. */
function endOf(koda: Koda, sessionId: string): string | undefined {
  return updates(koda, sessionId).findLast(({ status }) => status !== undefined)?.status
}
