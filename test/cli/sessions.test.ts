import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"
import { says } from "../support/provider.ts"
import { calls } from "../support/replies.ts"
import { temporaryFolder } from "../support/runtime.ts"

type Sent = { role: string; content: string }[]

/** A place with one session in it, as an editor has left it. */
async function kept(env: "variable" | "home" = "home") {
  const folder = env === "home" ? undefined : await temporaryFolder()
  const files = { "a.txt": "one\n" }
  const place = await commandLine({ files, ...(folder && { env: { KODA_ACP_SESSION_STORE_DIR: folder } }) })
  place.provider.script(calls({ name: "read_file", input: { path: "a.txt" } }), says("It says one."))
  const store = folder ?? join(place.home, "sessions")
  const { out } = await place.run("-p", "Read a.txt", "--session-store", store, "--output-format", "json")
  const { sessionId } = JSON.parse(out) as { sessionId: string }
  return { ...place, sessionId, store }
}

describe("koda sessions", () => {
  test("lists what is kept, in Koda home if nothing else is said", async () => {
    const { run, sessionId, cwd } = await kept()
    const { code, out, err } = await run("sessions")
    expect([code, err]).toEqual([0, []])
    expect(out).toMatch(new RegExp(`^${sessionId}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC  Read a.txt  ${cwd}\n$`))
    expect((await run("sessions", "list")).out).toBe(out)
    expect(JSON.parse((await run("sessions", "--json")).out)).toEqual({
      sessions: [{ sessionId, cwd, title: "Read a.txt", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) }],
    })
  })

  test("takes the folder of the variable and of the option", async () => {
    const { run, sessionId, store, home } = await kept("variable")
    expect((await run("sessions")).out).toContain(sessionId)
    const other = join(home, "none")
    expect((await run("sessions", "--session-store", other)).out).toBe(`There are no sessions in ${other}\n`)
    expect(await stat(other).catch(() => "nothing")).toBe("nothing") // looking makes none
    expect((await run("--session-store", store, "sessions")).out).toContain(sessionId)
  })

  test("show tells what there is to know, by the beginning of an id", async () => {
    const { run, sessionId, cwd } = await kept()
    const { out } = await run("sessions", "show", sessionId.slice(0, 8))
    expect(out).toContain(`session  ${sessionId}\ntitle    Read a.txt\nfolder   ${cwd}\nmodel    m\nmode     code\n`)
    expect(out).toContain("prompts  1\n")
    expect(JSON.parse((await run("sessions", "show", sessionId, "--json")).out)).toMatchObject({
      sessionId,
      model: "m",
      plan: { entries: [] },
    })
  })

  test("export gives the conversation as it was seen", async () => {
    const { run, sessionId } = await kept()
    const { out } = await run("sessions", "export", sessionId)
    expect(out.split("\n\n").filter((part) => !part.startsWith("Session `"))).toEqual([
      "# Read a.txt",
      "## User",
      "Read a.txt",
      "**Read a.txt**",
      expect.stringMatching(/^```\n.*one.*\n```$/s),
      "## Koda",
      "It says one.\n",
    ])
  })

  test("export --format json gives all of it, and --output writes it for the user alone to read", async () => {
    const { run, sessionId, cwd } = await kept()
    const { code, out, err } = await run("sessions", "export", sessionId, "--format=json", "--output", "s.json")
    expect([code, out, err]).toEqual([0, "", [`The session is written to ${cwd}/s.json`]])
    const path = join(cwd, "s.json")
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const { session, entries } = JSON.parse(await readFile(path, "utf8"))
    expect(session).toMatchObject({ sessionId, title: "Read a.txt" })
    expect(entries.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "result", "assistant"])
  })

  test("delete takes it away", async () => {
    const { run, sessionId } = await kept()
    expect(await run("sessions", "delete", sessionId)).toMatchObject({
      code: 0,
      out: `Session ${sessionId} is deleted\n`,
    })
    expect((await run("sessions", "--json")).out).toBe('{\n  "sessions": []\n}\n')
    expect(await run("sessions", "delete", sessionId)).toMatchObject({ code: 1 })
  })

  test("a title that would command the terminal does not", async () => {
    const place = await commandLine()
    place.provider.script(says("\u001b]0;gotcha\u0007hi"))
    const store = join(place.home, "sessions")
    await place.run("-p", "red \u001b[31mpaint\u001b[2J", "--session-store", store)
    const { out } = await place.run("sessions")
    expect(out).toContain("red paint")
    const id = out.slice(0, 36)
    expect((await place.run("sessions", "export", id)).out).not.toContain("\u001b")
  })

  test.for([
    ["sessions lst", 'There is no "koda sessions lst"; did you mean "list"?'],
    ["sessions show", "koda sessions show ID: the id is missing"],
    ["sessions list more", '"more" is one word too many'],
    ["sessions export x --format pdf", '--format is one of markdown, json, not "pdf"'],
    ["sessions export x --output", "--output needs a value"],
    ["sessions --output x", "--output goes with `koda sessions export`"],
    ["sessions --yaml", 'There is no option "--yaml" of `koda sessions`'],
  ] as const)("%s: usage, and what is wrong", async ([words, message]) => {
    const { run } = await commandLine()
    const { code, out, err } = await run(...words.split(" "))
    expect([code, out]).toEqual([2, ""])
    expect(err[0]).toContain(message)
    expect(err[1]).toBe("Try `koda sessions --help`")
  })

  test("one that there is not is no fault of the command line", async () => {
    const { run, home } = await commandLine()
    expect(await run("sessions", "show", "none")).toEqual({
      code: 1,
      out: "",
      err: [`koda: There is no session "none" in ${home}/sessions; \`koda sessions list\` shows those there are`],
    })
  })
})

describe("koda -p --resume", () => {
  test("goes on where the session was", async () => {
    const { run, provider, sessionId } = await kept()
    provider.script(says("One again."))
    const { code, out } = await run("-p", "And now?", "--resume", sessionId.slice(0, 8), "--mode", "ask")
    expect([code, out]).toEqual([0, "One again.\n"])
    const sent = provider.asked.at(-1)!.body["messages"] as Sent
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"])
    expect(sent.at(-1)!.content).toBe("And now?")
    expect((await run("sessions", "show", sessionId)).out).toMatch(/mode {5}ask\n[\s\S]*prompts {2}2/)
  })

  test("asks nobody: what would be asked is refused", async () => {
    const { run, provider, sessionId } = await kept()
    provider.script(calls({ name: "write_file", input: { path: "b.txt", content: "x" } }), says("No."))
    const { code, err } = await run("-p", "Write b.txt", "--resume", sessionId)
    expect(code).toBe(0)
    expect(err.join("\n")).toContain("refused")
  })

  test("says what is wrong with an id, or a folder", async () => {
    const { run, sessionId, store } = await kept()
    const none = await run("-p", "hi", "--resume", "nobody")
    expect([none.code, none.err[0]]).toEqual([1, expect.stringContaining('There is no session "nobody"')])
    const elsewhere = await commandLine()
    const wrong = await elsewhere.run("-p", "hi", "--resume", sessionId, "--session-store", store)
    expect([wrong.code, wrong.err[0]]).toEqual([2, expect.stringContaining("The session belongs to the folder")])
  })
})
