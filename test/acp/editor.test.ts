import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Loose, unanswered, type WorkshopOptions, workshop } from "../support/client.ts"
import { type Script, says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

const READ = calls({ name: "read_file", input: { path: "a.txt" } })
const FS = { fs: { readTextFile: true, writeTextFile: true } }

/** A session under `yolo` in which the model does this, with a client that can do that. */
async function working(capabilities: object, scripts: Script[], options: WorkshopOptions = {}) {
  const place = await workshop({ files: { "a.txt": "on the disk\n" }, launch: { policy: "yolo" }, ...options })
  place.provider.script(...scripts)
  const { client, sessionId } = await place.session({ capabilities })
  return {
    ...place,
    client,
    sessionId,
    prompt: () => client.request("session/prompt", { sessionId, prompt: text("go") }),
    told: () => {
      const messages = (place.provider.asked.at(-1)!.body as Loose).messages as Loose[]
      return messages.filter(({ role }) => role === "tool").map(({ content }) => content as string)
    },
    file: () => readFile(join(place.cwd, "a.txt"), "utf8"),
    /** The methods of the client that the agent has called, in order. */
    called: () => client.received.flatMap(({ id, method }) => (method && id != null ? [method] : [])),
  }
}

describe("the client's files", () => {
  test("R-107 are not asked for where the client does not lend them", async () => {
    const { prompt, called, told } = await working({ fs: { readTextFile: false } }, [READ, says("done")])
    await prompt()
    expect(called()).toEqual([])
    expect(told()[0]).toContain("on the disk")
  })

  test("R-016 R-107 are not asked to write by a client that only reads", async () => {
    const edit = calls({ name: "replace", input: { path: "a.txt", old_string: "disk", new_string: "wire" } })
    const { prompt, called, client, file } = await working({ fs: { readTextFile: true } }, [edit, says("done")])
    client.on("fs/read_text_file", () => ({ content: "on the disk\n" }))
    await prompt()
    expect(new Set(called())).toEqual(new Set(["fs/read_text_file"]))
    expect(await file()).toBe("on the wire\n")
  })

  test("R-109 R-110 an unsaved buffer is what the model reads", async () => {
    const { prompt, client, sessionId, cwd, told } = await working(FS, [READ, says("done")])
    client.on("fs/read_text_file", () => ({ content: "in the buffer\n" }))
    await prompt()
    expect(client.asked("fs/read_text_file")).toEqual([
      { sessionId, path: join(cwd, "a.txt"), line: null, limit: null },
    ])
    expect(told()[0]).toContain("in the buffer")
  })

  test("R-111 an edit of an unsaved buffer goes through the editor", async () => {
    const edit = calls({ name: "replace", input: { path: "a.txt", old_string: "buffer", new_string: "editor" } })
    const { prompt, client, sessionId, cwd, file } = await working(FS, [edit, says("done")])
    let buffer = "in the buffer\n"
    client.on("fs/read_text_file", () => ({ content: buffer }))
    client.on("fs/write_text_file", async ({ path, content }) => {
      buffer = content
      await writeFile(path, content)
      return null
    })
    await prompt()
    expect(client.asked("fs/write_text_file")).toEqual([
      { sessionId, path: join(cwd, "a.txt"), content: "in the editor\n" },
    ])
    expect([buffer, await file()]).toEqual(["in the editor\n", "in the editor\n"])
  })

  test("an edit of a file whose buffer is saved is written by us, and the editor sees it on the disk", async () => {
    const edit = calls({ name: "replace", input: { path: "a.txt", old_string: "disk", new_string: "wire" } })
    const { prompt, client, file } = await working(FS, [edit, says("done")])
    client.on("fs/read_text_file", async ({ path }) => ({ content: await readFile(path, "utf8") }))
    await prompt()
    expect(client.asked("fs/write_text_file")).toEqual([])
    expect(await file()).toBe("on the wire\n")
  })

  test("an error of the client's is no obstacle: the disk is read", async () => {
    const { prompt, told } = await working(FS, [READ, says("done")]) // it does not know the method after all
    await prompt()
    expect(told()[0]).toContain("on the disk")
  })
})

describe("the client's terminals", () => {
  const RUN = calls({ name: "run_shell_command", input: { command: "make it" } })
  const TERMINAL = { terminal: true }
  const exits = (exitCode: number | null, signal: string | null = null) => ({ exitCode, signal })

  test("R-108 R-113 are not asked for where the client has none: the command runs here", async () => {
    const echo = calls({ name: "run_shell_command", input: { command: "echo here" } })
    const { prompt, called, told, client } = await working({}, [echo, says("done")])
    await prompt()
    expect(called()).toEqual([])
    expect(told()[0]).toContain("here")
    expect(client.updates("tool_call_update").at(-1).status).toBe("completed")
  })

  test("R-112…R-118 run the command, which is shown as a terminal, and are released", async () => {
    const { prompt, client, sessionId, cwd, told, called } = await working(TERMINAL, [RUN, says("done")])
    client.on("terminal/create", () => ({ terminalId: "t1" }))
    client.on("terminal/wait_for_exit", () => exits(0))
    client.on("terminal/output", () => ({ output: "made it\n", truncated: true, exitStatus: exits(0) }))
    client.on("terminal/release", () => ({}))
    const from = client.story.length

    await prompt()

    expect(called()).toEqual(["terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/release"])
    const [created] = client.asked("terminal/create") as [Loose]
    expect(created).toEqual({
      sessionId,
      command: "/bin/bash",
      args: ["-lc", "make it"],
      env: expect.arrayContaining([{ name: "GIT_TERMINAL_PROMPT", value: "0" }]),
      cwd,
      outputByteLimit: 524288,
    })
    for (const verb of ["wait_for_exit", "output", "release"]) {
      expect(client.asked(`terminal/${verb}`)).toEqual([{ sessionId, terminalId: "t1" }])
    }
    expect(told()[0]).toContain("made it")
    expect(told()[0]).toContain("kept only the last 512 KB")
    const shown = client.updates("tool_call_update").filter(({ content }) => content)
    expect(shown.map(({ status, content }) => [status, content])).toEqual([
      [undefined, [{ type: "terminal", terminalId: "t1" }]],
      ["completed", [{ type: "terminal", terminalId: "t1" }]],
    ])
    expect(client.story.indexOf("⇠ terminal/create")).toBeGreaterThan(from)
  })

  test("R-117 a command that fails is a failed call, with its exit code for the model", async () => {
    const { prompt, client, told } = await working(TERMINAL, [RUN, says("done")])
    client.on("terminal/create", () => ({ terminalId: "t1" }))
    client.on("terminal/wait_for_exit", () => exits(2))
    client.on("terminal/output", () => ({ output: "no rule\n", truncated: false }))
    await prompt()
    expect(told()[0]).toMatch(/no rule[\s\S]*2/)
    expect(client.updates("tool_call_update").at(-1).status).toBe("failed")
  })

  test("R-116 a cancelled turn kills the command and releases its terminal", async () => {
    const { prompt, client, sessionId } = await working(TERMINAL, [RUN, says("done")])
    client.on("terminal/create", () => ({ terminalId: "t1" }))
    client.on("terminal/wait_for_exit", () => unanswered)
    client.on("terminal/kill", () => ({}))
    client.on("terminal/release", () => ({}))
    const turn = prompt()
    await client.until("⇠ terminal/wait_for_exit")

    client.notify("session/cancel", { sessionId })

    expect(await turn).toMatchObject({ stopReason: "cancelled" })
    await client.until("⇠ terminal/release")
    expect(client.asked("terminal/kill")).toEqual([{ sessionId, terminalId: "t1" }])
    expect(client.asked("terminal/release")).toEqual([{ sessionId, terminalId: "t1" }])
  })

  test("a terminal that comes after the turn was cancelled is killed and released", async () => {
    const created = Promise.withResolvers<object>()
    const { prompt, client, sessionId } = await working(TERMINAL, [RUN, says("done")])
    client.on("terminal/create", () => created.promise)
    const turn = prompt()
    await client.until("⇠ terminal/create")
    client.notify("session/cancel", { sessionId })
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
    created.resolve({ terminalId: "late" })
    await client.until("⇠ terminal/release")
    expect(client.asked("terminal/kill")).toEqual([{ sessionId, terminalId: "late" }])
  })

  test("a client that refuses a terminal is no obstacle: the command runs here", async () => {
    const echo = calls({ name: "run_shell_command", input: { command: "echo here" } })
    const { prompt, client, told } = await working(TERMINAL, [echo, says("done")])
    client.on("terminal/create", () => Promise.reject(new Error("no terminals today")))
    await prompt()
    expect(told()[0]).toContain("here")
  })

  test("a client that fails at kill and release is no obstacle to the end of a turn", async () => {
    const { prompt, client, sessionId } = await working(TERMINAL, [RUN, says("done")])
    client.on("terminal/create", () => ({ terminalId: "t1" }))
    client.on("terminal/wait_for_exit", () => unanswered)
    const turn = prompt() // kill and release are unknown to this client
    await client.until("⇠ terminal/wait_for_exit")
    client.notify("session/cancel", { sessionId })
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
  })
})

test("a client that shows terminals of ours is sent what a command prints as it is appended", async () => {
  const echo = calls({ name: "run_shell_command", input: { command: "echo one; echo two" } })
  const { prompt, client } = await working({ _meta: { terminal_output: true } }, [echo, says("done")])
  await prompt()
  const printed = client.updates("tool_call_update").map(({ _meta }) => _meta?.terminal_output?.data ?? "")
  expect(printed.join("")).toBe("one\ntwo\n")
})
