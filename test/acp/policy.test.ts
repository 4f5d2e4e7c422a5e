import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Loose, workshop } from "../support/client.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

const WRITING = ["replace", "edit_files", "write_file", "edit_notebook"]
const EDIT = calls({ name: "replace", input: { path: "a.txt", old_string: "old", new_string: "new" } })

/** A session with this policy and mode, whose user allows what is asked. */
async function under(dials: { policy?: string; mode?: string }) {
  const place = await workshop({ files: { "a.txt": "old\n", "b.txt": "" } })
  const { client, sessionId } = await place.session()
  const set = (configId: string, value: string) =>
    client.request("session/set_config_option", { sessionId, configId, value })
  if (dials.policy) await set("access_policy", dials.policy)
  if (dials.mode) await set("mode", dials.mode)
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  return {
    ...place,
    client,
    set,
    prompt: () => client.request("session/prompt", { sessionId, prompt: text("go") }),
    request: (at: number) => place.provider.asked[at]!.body as Loose,
    offered: (at: number): string[] =>
      (place.provider.asked[at]!.body as Loose).tools.map(({ function: { name } }: Loose) => name),
    told: () => {
      const messages = (place.provider.asked.at(-1)!.body as Loose).messages as Loose[]
      return messages.filter(({ role }) => role === "tool").map(({ content }) => content as string)
    },
    file: () => readFile(join(place.cwd, "a.txt"), "utf8"),
  }
}

test("R-136 R-140 R-141 read_only takes the writing tools from the model and leaves its words as they are; any other value brings them back", async () => {
  const { provider, prompt, set, offered, request } = await under({})
  provider.script(says("hi"))
  await prompt()
  await set("access_policy", "read_only")
  await prompt()
  await set("access_policy", "auto_edit")
  await prompt()

  const has = (at: number) => WRITING.filter((name) => offered(at).includes(name))
  expect([has(0), has(1), has(2)]).toEqual([WRITING, [], WRITING])
  expect(offered(1)).toContain("run_shell_command")
  const system = (at: number) => request(at).messages[0].content
  expect([system(1), system(2)]).toEqual([system(0), system(0)])
})

test("R-137 under read_only a writing call that the model makes all the same is refused, and changes nothing", async () => {
  const { provider, prompt, told, file, client } = await under({ policy: "read_only" })
  provider.script(EDIT, says("done"))
  await prompt()
  expect(told()).toEqual([expect.stringMatching(/^replace is not allowed under the read_only policy/)])
  expect(await file()).toBe("old\n")
  expect(client.asked("session/request_permission")).toEqual([])
  expect(client.updates("tool_call_update").map(({ status }) => status)).toEqual(["failed"])
})

test("R-137 a policy that is turned to read_only between a reply and its call holds for the call", async () => {
  const { provider, prompt, set, client, told, file } = await under({ policy: "yolo" })
  const { promise, resolve } = Promise.withResolvers<void>()
  provider.script({ steps: [EDIT.steps![0]!, promise, ...EDIT.steps!.slice(1)] }, says("done"))
  const turn = prompt()
  await client.until("· session_info_update", client.story.indexOf("→ session/prompt"))
  await set("access_policy", "read_only")
  resolve()
  await turn
  expect(told()[0]).toMatch(/not allowed under the read_only policy/)
  expect(await file()).toBe("old\n")
})

describe("R-138 under read_only the shell takes simple reading commands alone", () => {
  test.for([
    ["cat a.txt | wc -l", true],
    ["git status", true],
    ["rm a.txt", false],
    ["cat a.txt > b.txt", false],
    ["echo $(rm a.txt)", false],
    ["npm test", false],
  ] as const)("%s: %s", async ([command, runs]) => {
    const { provider, prompt, told, client } = await under({ policy: "read_only" })
    provider.script(calls({ name: "run_shell_command", input: { command } }), says("done"))
    await prompt()
    expect(/is not allowed under the read_only policy/.test(told()[0]!)).toBe(!runs)
    expect(client.asked("session/request_permission")).toEqual([])
  })
})

test.for(["ask", "plan", "educator"])("the mode %s reads only, whatever the policy", async (mode) => {
  const { provider, prompt, offered, told, file } = await under({ policy: "yolo", mode })
  provider.script(EDIT, says("done"))
  await prompt()
  expect(WRITING.filter((name) => offered(0).includes(name))).toEqual([])
  expect(told()[0]).toMatch(new RegExp(`^replace is not allowed in ${mode} mode`))
  expect(await file()).toBe("old\n")
})

test("R-142 no mode opens writing tools in a read-only session", async () => {
  const { provider, prompt, set, offered } = await under({ policy: "read_only", mode: "plan" })
  provider.script(says("hi"))
  await set("mode", "code")
  await prompt()
  expect(WRITING.filter((name) => offered(0).includes(name))).toEqual([])
})

describe("which policy asks for what", () => {
  const asked = async (policy: string) => {
    const { provider, prompt, client, file } = await under({ policy })
    provider.script(
      EDIT,
      calls({ id: "c2", name: "run_shell_command", input: { command: "touch b.txt" } }),
      calls({ id: "c3", name: "read_file", input: { path: "a.txt" } }),
      says("done"),
    )
    await prompt()
    expect(await file()).toBe("new\n")
    return client.asked("session/request_permission").map(({ toolCall }) => toolCall.title)
  }

  test("R-129 default: edits and commands", async () => {
    expect(await asked("default")).toEqual(["Edit a.txt", "`touch b.txt`"])
  })

  test("auto_edit: commands", async () => {
    expect(await asked("auto_edit")).toEqual(["`touch b.txt`"])
  })

  test("PE-14 yolo: neither", async () => {
    expect(await asked("yolo")).toEqual([])
  })
})

test("the words for the model change with the mode, and with nothing else", async () => {
  const { provider, prompt, set, request } = await under({})
  provider.script(says("hi"))
  await prompt()
  await set("mode", "educator")
  await prompt()
  await set("mode", "code")
  await prompt()
  const system = (at: number) => request(at).messages[0].content
  expect(system(1)).not.toBe(system(0))
  expect(system(2)).toBe(system(0))
})

test("a tool that was excluded is not there for the model's asking", async () => {
  const { session, provider, cwd } = await workshop({ launch: { policy: "yolo" } })
  provider.script(calls({ name: "write_file", input: { path: "new.txt", content: "" } }), says("done"))
  const { client, sessionId } = await session({}, { excludeTools: ["write_file"] })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  const messages = (provider.asked[1]!.body as Loose).messages as Loose[]
  expect(messages.at(-1).content).toMatch(/^There is no tool named "write_file"/)
  expect(await stat(join(cwd, "new.txt")).catch(() => "nothing")).toBe("nothing")
})
