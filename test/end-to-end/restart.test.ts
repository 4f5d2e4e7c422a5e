import { access, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { begin, INITIALIZE, prompt, said, startKoda, updates } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { eventually } from "./processes.ts"
import { SUBJECTS } from "./subjects.ts"

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("SL-07 loads a session that was killed in the middle of a command, and goes on with it", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) => {
      const { role, text } = lastOf(asked)
      if (role === "user")
        return text.includes("again") ? words("Here again.") : calls(["read_file", { path: "a.txt" }])
      return calls(["run_shell_command", { command: "touch ready; sleep 600" }])
    })
    const options = {
      env: model.env,
      args: ["--acp", "--approval-mode", "yolo", "--session-store", join(place.temp, "store")],
    }
    const first = startKoda(subject, place, options)
    const sessionId = await begin(first, place.workspace)
    first.send({ id: "busy", method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "go" }] } })
    const ready = () =>
      access(join(place.workspace, "ready")).then(
        () => true,
        () => false,
      )
    await eventually(ready, () => "the command does not run")
    first.child.kill("SIGKILL")
    await first.ended

    const second = startKoda(subject, place, options)
    await second.request("initialize", INITIALIZE)
    const loaded = await second.request("session/load", { sessionId, cwd: place.workspace, mcpServers: [] })
    expect(loaded.error).toBeUndefined()
    const ends = updates(second, sessionId).filter(({ status }) => status === "completed" || status === "failed")
    expect(ends.map(({ status }) => status)).toEqual(["completed", "failed"])
    expect((await prompt(second, sessionId, "again")).result.stopReason).toBe("end_turn")
    expect(said(second, sessionId)).toBe("Here again.")
    const { messages } = model.asked.at(-1)!
    expect(messages.map(({ role }) => role)).toEqual(
      expect.arrayContaining(["system", "user", "assistant", "tool", "user"]),
    )
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(2)
    expect(await second.hangUp()).toBe(0)
    expect(await readFile(join(place.workspace, "a.txt"), "utf8")).toBe("old\n")
  })
})
