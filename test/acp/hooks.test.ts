import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Loose, type Workshop, type WorkshopOptions, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

/** What the model reads in its nth request, after the system text. */
function read({ provider }: Workshop, nth: number): Loose[] {
  return (provider.asked[nth]!.body["messages"] as Loose[]).slice(1)
}

async function hooked(hooks: object, more: WorkshopOptions = {}) {
  const place = await workshop({ ...more, settings: { hooks, ...more.settings } })
  const { client, sessionId } = await place.session()
  const prompt = () => client.request("session/prompt", { sessionId, prompt: text("go") })
  return { place, client, prompt, sessionId }
}

/** A hook that keeps what it is told in this file of the workspace, one line for each. */
const keeps = (file: string) => `cat >> ${file}`

const kept = async ({ cwd }: Workshop, file: string): Promise<Loose[]> =>
  (await readFile(join(cwd, file), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const READ = calls({ id: "c1", name: "read_file", input: { path: "a.txt" } })
const FILES = { files: { "a.txt": "one\n" } }

describe("preToolUse", () => {
  test("is told of the call, and says no: the tool is not run, and nobody is asked", async () => {
    const { place, client, prompt, sessionId } = await hooked(
      { preToolUse: [{ matcher: "write_file", command: `${keeps("log")}; echo 'not on Fridays' >&2; exit 2` }] },
      FILES,
    )
    place.provider.script(calls({ id: "c1", name: "write_file", input: { path: "b.txt", content: "b" } }), says("ok"))
    await prompt()
    expect(read(place, 1).at(-1)).toMatchObject({
      role: "tool",
      content: "A hook of the user's refuses this call: not on Fridays",
    })
    expect(client.asked("session/request_permission")).toEqual([])
    await expect(readFile(join(place.cwd, "b.txt"))).rejects.toThrow()
    expect(await kept(place, "log")).toEqual([
      {
        event: "preToolUse",
        session: sessionId,
        cwd: place.cwd,
        tool: "write_file",
        call: "c1",
        input: { path: "b.txt", content: "b" },
      },
    ])
  })

  test("adds words for the model, who reads them with the result; the user does not", async () => {
    const { place, client, prompt } = await hooked({ preToolUse: `echo '{"context": "mind the gap"}'` }, FILES)
    place.provider.script(READ, says("ok"))
    await prompt()
    expect(read(place, 1).at(-1).content).toMatch(/one[\s\S]*mind the gap/)
    expect(JSON.stringify(client.updates())).not.toContain("mind the gap")
  })

  test("that fails, or takes too long, refuses: nobody knows that it would have agreed", async () => {
    const { place, client, prompt } = await hooked({ preToolUse: [{ command: "sleep 60", timeoutMs: 50 }] }, FILES)
    place.provider.script(READ, says("ok"))
    await prompt()
    expect(read(place, 1).at(-1).content).toContain("the hook that must agree to it failed: it took more than 0.05 s")
    expect(JSON.stringify(client.updates())).toContain('hook \\"sleep 60\\" gave no answer')
  })

  test("is asked for calls of subagents, too", async () => {
    const { place, prompt } = await hooked(
      { preToolUse: { matcher: "read_file", command: `${keeps("log")}; exit 2` } },
      FILES,
    )
    place.provider.script(
      calls({ id: "c1", name: "sub_agent", input: { agent: "research", goal: "Look at a.txt" } }),
      calls({ id: "c2", name: "read_file", input: { path: "a.txt" } }),
      says("I could not"),
      says("ok"),
    )
    await prompt()
    expect(await kept(place, "log")).toEqual([expect.objectContaining({ tool: "read_file", subagent: "research" })])
    expect(read(place, 2).at(-1).content).toContain("A hook of the user's refuses this call")
  })

  test("does not get our keys", async () => {
    const { place, prompt } = await hooked({ preToolUse: "env > env.txt" }, FILES)
    place.provider.script(READ, says("ok"))
    await prompt()
    expect(await readFile(join(place.cwd, "env.txt"), "utf8")).not.toMatch(/OPENAI_API_KEY|KODA_API_KEY/)
  })
})

describe("postToolUse", () => {
  test("is told of the result, and may add to it or object", async () => {
    const { place, prompt } = await hooked(
      { postToolUse: `${keeps("log")}; echo '{"decision":"deny","reason":"lint fails"}'` },
      FILES,
    )
    place.provider.script(READ, says("ok"))
    await prompt()
    expect(await kept(place, "log")).toEqual([
      expect.objectContaining({
        event: "postToolUse",
        tool: "read_file",
        result: { status: "ok", text: expect.stringContaining("one") },
      }),
    ])
    expect(read(place, 1).at(-1).content).toContain("A hook of the user's objects: lint fails")
  })
})

describe("sessionStart and stop", () => {
  test("what is said at the start is read by the model, once", async () => {
    const { place, prompt } = await hooked({ sessionStart: "echo the build is red" })
    place.provider.script(says("ok"))
    await prompt()
    await prompt()
    expect(JSON.stringify(read(place, 1)).split("the build is red")).toHaveLength(2)
  })

  test("a turn goes on when a hook objects to its end, and not for ever", async () => {
    const { place, prompt } = await hooked({
      stop: `${keeps("log")}; echo '{"decision":"deny","reason":"tests fail"}'`,
    })
    place.provider.script(says("ok"))
    expect(await prompt()).toMatchObject({ stopReason: "end_turn" })
    expect(place.provider.asked).toHaveLength(4)
    expect(JSON.stringify(read(place, 1).at(-1))).toContain("You are not done: tests fail")
    expect(await kept(place, "log")).toHaveLength(3)
  })
})

test("hooks of a workspace that is not trusted are not run; of a trusted one they are", async () => {
  const hooks = { preToolUse: "touch ran.txt", sessionStart: "touch began.txt" }
  const place = await workshop({ files: { "a.txt": "one\n", ".koda/settings.json": JSON.stringify({ hooks }) } })
  place.provider.script(READ, says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await expect(readFile(join(place.cwd, "ran.txt"))).rejects.toThrow()
  await expect(readFile(join(place.cwd, "began.txt"))).rejects.toThrow()

  const trusting = await workshop({
    files: { "a.txt": "one\n" },
    settings: { trustedWorkspaces: [place.cwd] },
  })
  trusting.provider.script(READ, says("ok"))
  const second = await trusting.session({}, { cwd: place.cwd })
  await second.client.request("session/prompt", { sessionId: second.sessionId, prompt: text("go") })
  expect(await readFile(join(place.cwd, "ran.txt"), "utf8")).toBe("")
  expect(await readFile(join(place.cwd, "began.txt"), "utf8")).toBe("")
})

test("read_lints is there where a command is set, and tells what it prints", async () => {
  const place = await workshop({ ...FILES, settings: { lintCommand: "echo checked {files}; exit 1" } })
  place.provider.script(calls({ name: "read_lints", input: { paths: "a b's.txt" } }), says("ok"))
  const { client, sessionId } = await place.session({ capabilities: { terminal: true } })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(read(place, 1).at(-1).content).toBe(`checked ${place.cwd}/a b's.txt\nexit code 1`)
  expect(client.asked("terminal/create")).toEqual([])

  const without = await workshop()
  without.provider.script(says("ok"))
  const other = await without.session()
  await other.client.request("session/prompt", { sessionId: other.sessionId, prompt: text("go") })
  expect(JSON.stringify(without.provider.asked[0]!.body["tools"])).not.toContain("read_lints")
})
