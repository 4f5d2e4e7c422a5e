import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseArguments } from "../../src/cli/args.ts"
import { missingSandbox } from "../../src/session/sandbox-check.ts"
import { type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"
import { testRuntime } from "../support/runtime.ts"

const works = testRuntime().system.os === "linux" && (await missingSandbox(testRuntime())) === undefined

test.each([
  ["the setting", { settings: { sandbox: true } }],
  ["--sandbox", { launch: { sandbox: true } }],
])("where %s asks for a sandbox and there is none, no command is run, and it says why", async (_, options) => {
  const place = await workshop({ ...options, env: { PATH: "/nowhere" } })
  place.provider.script(calls({ name: "run_shell_command", input: { command: "ls > ran.txt" } }), says("ok"))
  const { client, sessionId } = await place.session({ capabilities: { terminal: true } })
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect((place.provider.asked[1]!.body["messages"] as Loose[]).at(-1).content).toContain(
    "Commands are to run in a sandbox, and there is none",
  )
  expect(client.updates("tool_call_update").at(-1).status).toBe("failed")
  expect(client.asked("terminal/create")).toEqual([])
  expect(await readdir(place.cwd)).toEqual([])
})

test.runIf(works)("in the sandbox commands and lints write in the workspace alone, and find no keys", async () => {
  const tries =
    'touch in.txt; touch "$HOME/out.txt" || echo denied; ls "$HOME/.ssh"; cat "$KODA_CLI_HOME/credentials.json"'
  const place = await workshop({
    settings: { sandbox: true, lintCommand: tries },
    home: { "credentials.json": "secret" },
  })
  const { home } = place.runtime.system
  await mkdir(join(home, ".ssh"))
  await writeFile(join(home, ".ssh/id"), "")
  place.provider.script(
    calls({ name: "run_shell_command", input: { command: tries } }),
    calls({ name: "read_lints", input: {} }),
    says("ok"),
  )
  const { client, sessionId } = await place.session({ capabilities: { terminal: true } })
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  for (const asked of [1, 2]) {
    const { content } = (place.provider.asked[asked]!.body["messages"] as Loose[]).at(-1)
    expect(content).toContain("Read-only file system\ndenied\n")
    expect(content).not.toMatch(/secret|^id$/m)
  }
  expect(await readdir(place.cwd)).toEqual(["in.txt"])
  expect(await readdir(home)).toEqual([".ssh"])
})

test.runIf(works)("what a command prints is kept where no command in the sandbox can put something else", async () => {
  const place = await workshop({ settings: { sandbox: true } })
  const { client, sessionId } = await place.session()
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  const printed = async (command: string): Promise<string> => {
    place.provider.script(calls({ name: "run_shell_command", input: { command } }), says("ok"))
    await client.request("session/prompt", { sessionId, prompt: text("go") })
    return (place.provider.asked.at(-1)!.body["messages"] as Loose[]).at(-1).content
  }
  const path = /all of it is in (\S+\.log)/.exec(await printed("seq 100000"))![1]!
  const tries = `wc -l < ${path}; ln -sf /etc/passwd ${path}; ln -s /etc $(dirname ${path})-2`
  expect(await printed(tries)).toMatch(/^100000\n.*Read-only file system\n.*Read-only file system\nexit code 1$/)
})

test("--sandbox takes no value", () => {
  expect(parseArguments(["--sandbox", "--acp"])).toEqual({
    command: "acp",
    prompt: undefined,
    values: { "--sandbox": "" },
  })
})
