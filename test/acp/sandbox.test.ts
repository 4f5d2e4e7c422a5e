import { readdir } from "node:fs/promises"
import { expect, test } from "vitest"
import { parseArguments } from "../../src/cli/args.ts"
import { type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

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

test("--sandbox takes no value", () => {
  expect(parseArguments(["--sandbox", "--acp"])).toEqual({
    command: "acp",
    prompt: undefined,
    values: { "--sandbox": "" },
  })
})
