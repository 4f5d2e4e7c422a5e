import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ROOT, run } from "../../build/run.ts"
import { runKoda, startKoda } from "./koda.ts"
import { calls, lastOf, startModel, words } from "./model.ts"
import { newPlace } from "./place.ts"
import { SUBJECTS } from "./subjects.ts"

/** Deno, and Bun in what it compiles, look for their folder before they read a line of ours. */
const CHECKS_ITS_FOLDER = new Set(["Deno", "the binary"])

const quoted = (word: string) => `'${word}'`

describe.each(SUBJECTS)("koda on $name", (subject) => {
  test("--version prints the package's, --help what there is", async () => {
    const place = await newPlace()
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string }
    expect(await runKoda(subject, place, ["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
    const help = await runKoda(subject, place, ["--help"])
    expect(help).toMatchObject({ code: 0, stderr: "" })
    for (const option of ["--acp", "-p", "--model", "--approval-mode", "--traffic-log"]) {
      expect(help.stdout).toContain(option)
    }
  })

  test.skipIf(CHECKS_ITS_FOLDER.has(subject.name))(
    "it starts in a folder that is gone, and says so where it matters",
    async () => {
      const place = await newPlace()
      const inGone = (args: string) => {
        const command = `mkdir gone && cd gone && rmdir ../gone && exec ${subject.command.map(quoted).join(" ")} ${args}`
        return runKoda({ name: subject.name, command: ["/bin/sh"] }, place, ["-c", command])
      }
      expect(await inGone("--version")).toMatchObject({ code: 0, stderr: "" })
      expect(await inGone("-p hello")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("/gone") })
    },
  )

  test("an option that is not there ends it with 2 and the nearest name", async () => {
    const place = await newPlace()
    for (const [wrong, right] of [
      ["--modle", "--model"],
      ["--apc", "--acp"],
      ["--approval-mod=yolo", "--approval-mode"],
    ] as const) {
      const { code, stdout, stderr } = await runKoda(subject, place, [wrong, "x"])
      expect([code, stdout]).toEqual([2, ""])
      expect(stderr).toContain(`"${right}"`)
    }
    const { code, stderr } = await runKoda(subject, place, ["--acp", "--approval-mode", "all"])
    expect(code).toBe(2)
    expect(stderr).toContain("auto_edit")
  })

  test("-p answers one prompt as text", async () => {
    const place = await newPlace()
    const model = await startModel((asked) => words("You said: ", lastOf(asked).text.slice(-10)))
    const answer = { code: 0, stdout: "You said: hello pipe\n", stderr: "" }
    expect(await runKoda(subject, place, ["-p", "hello pipe"], { env: model.env })).toEqual(answer)
    expect(await runKoda(subject, place, ["-p"], { env: model.env, stdin: "hello pipe\n" })).toEqual(answer)
  })

  test.skipIf(process.platform !== "linux")("an answer that a full disk does not take is an error", async () => {
    const place = await newPlace()
    const model = await startModel(() => words("An answer."))
    const line = `exec ${subject.command.map(quoted).join(" ")} -p hello >/dev/full`
    const shell = { name: subject.name, command: ["/bin/sh"] } as const
    const { code, stderr } = await runKoda(shell, place, ["-c", line], { env: model.env })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^koda: The answer could not be written: .*[Nn]o space/)])
  })

  test("-p answers one prompt as JSON, whole or line by line", async () => {
    const place = await newPlace({ "a.txt": "old\n" })
    const model = await startModel((asked) =>
      lastOf(asked).role === "tool" ? words("It is ", "old.") : calls(["read_file", { path: "a.txt" }]),
    )
    const whole = await runKoda(subject, place, ["-p", "look", "--output-format", "json"], { env: model.env })
    expect(whole).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(whole.stdout)).toMatchObject({ result: "It is old.", stopReason: "end_turn" })
    const lines = await runKoda(subject, place, ["-p", "look", "--output-format=stream-json"], { env: model.env })
    const rows = lines.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(rows.map(({ sessionUpdate, type }) => sessionUpdate ?? type)).toEqual(
      expect.arrayContaining(["tool_call", "tool_call_update", "agent_message_chunk", "result"]),
    )
    expect(rows.at(-1)).toMatchObject({ type: "result", stopReason: "end_turn" })
  })

  test("-p refuses what it would ask for, and names it", async () => {
    const place = await newPlace()
    const model = await startModel((asked) =>
      lastOf(asked).role === "tool" ? words("I may not.") : calls(["write_file", { path: "b.txt", content: "b" }]),
    )
    const { code, stdout, stderr } = await runKoda(subject, place, ["-p", "write"], { env: model.env })
    expect([code, stdout]).toEqual([0, "I may not.\n"])
    expect(stderr).toContain("Create b.txt")
    expect(await readdir(place.workspace)).toEqual([".git"])
  })

  test("-p needs no key and no network with koda-offline", async () => {
    const place = await newPlace({ "a.txt": "one line\n" })
    const asked = ["-p", '!read_file {"path": "a.txt"}', "--model", "koda-offline"]
    const { code, stdout, stderr } = await runKoda(subject, place, asked)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain("one line")
  })

  test("-p ends with 1 and a sentence when the model refuses", async () => {
    const place = await newPlace()
    const model = await startModel(() => ({ status: 404, type: "text/html", body: "<h1>no</h1>" }))
    const { code, stdout, stderr } = await runKoda(subject, place, ["-p", "hello"], { env: model.env })
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^koda: .+\n$/)
  })

  test("-p ends with 130 when it is interrupted", async () => {
    const place = await newPlace()
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const model = await startModel(() => {
      resolve()
      return [new Promise(() => {})]
    })
    const koda = startKoda(subject, place, { args: ["-p", "hello"], env: model.env })
    koda.child.stdin!.end()
    await asked
    koda.child.kill("SIGINT")
    expect(await koda.ended).toBe(130)
  })
})

const old = (await Promise.all((process.env["PATH"] ?? "").split(":").map(oldNodeIn))).find(
  (path) => path !== undefined,
)

if (old) {
  test(`koda on ${old.version} says in one sentence what it needs`, async () => {
    const { command } = SUBJECTS[0]!
    const { code, output } = await run([old.path, command[1]!, "--acp"])
    expect(code).toBe(1)
    expect(output).toMatch(/^koda needs Node 22\.13.*\n$/)
  })
} else {
  test("koda on an older Node can't be tried: there is none on this machine", () => {
    expect(old).toBeUndefined()
  })
}

async function oldNodeIn(folder: string): Promise<{ path: string; version: string } | undefined> {
  const path = join(folder, "node")
  if (folder.includes("node_modules") || !existsSync(path)) return undefined
  const { output } = await run([path, "-p", "process.versions.node"])
  const [major = 0, minor = 0] = output.trim().split(".").map(Number)
  const isOld = major < 22 || (major === 22 && minor < 13)
  return isOld ? { path, version: `Node ${output.trim()}` } : undefined
}
