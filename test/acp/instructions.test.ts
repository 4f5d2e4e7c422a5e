import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Loose, type Workshop, workshop } from "../support/client.ts"
import { folderOf } from "../support/folder.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

/** What the model was told in its nth request: the system text, and what follows it. */
function told({ provider }: Workshop, nth: number): { system: string; messages: Loose[] } {
  const [first, ...messages] = provider.asked[nth]!.body["messages"] as Loose[]
  return { system: first.content, messages }
}

const textsOf = (messages: Loose[]) => messages.map(({ content }) => JSON.stringify(content)).join("\n")

test("PC-06 KODA.md and AGENTS.md are part of the system text, from the top of the repository down, without marks and returns", async () => {
  const place = await workshop({
    files: {
      ".git/HEAD": "ref: refs/heads/main\n",
      "AGENTS.md": "\uFEFFtop agents\r\nsecond line\r\n",
      "app/KODA.md": "app koda",
      "app/AGENTS.md": "app agents",
      "app/CLAUDE.md": "not ours",
    },
  })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session({}, { cwd: join(place.cwd, "app") })
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  const { system } = told(place, 0)
  expect(system).toContain(
    [
      `<instructions path="${place.cwd}/AGENTS.md">\ntop agents\nsecond line\n</instructions>`,
      '<instructions path="KODA.md">\napp koda\n</instructions>',
      '<instructions path="AGENTS.md">\napp agents\n</instructions>',
    ].join("\n\n"),
  )
  expect(system).not.toContain("not ours")
})

test("PC-06 what lies above the repository, or in no repository above the folder, gives no instructions", async () => {
  const place = await workshop({ files: { "AGENTS.md": "outer", "app/a.txt": "" } })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session({}, { cwd: join(place.cwd, "app") })
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(told(place, 0).system).not.toContain("outer")
})

test("PC-07 instructions of additional directories hold, too", async () => {
  const other = await folderOf({ "AGENTS.md": "of the other" })
  const place = await workshop()
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session({}, { additionalDirectories: [other] })
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(told(place, 0).system).toContain(`<instructions path="${other}/AGENTS.md">\nof the other\n</instructions>`)
})

test("PC-06 a file that imports others brings them, once, if they lie in the workspace", async () => {
  const outside = await folderOf({ "notes.md": "private notes" })
  const place = await workshop({
    files: {
      "KODA.md": `See @docs/style.md, and @docs/style.md again.\n\`@docs/code.md\`\n@${outside}/notes.md\n@docs/gone.md @types/node`,
      "docs/style.md": "two spaces\n@../KODA.md\n@more.md",
      "docs/more.md": "and no tabs",
      "docs/code.md": "not imported",
    },
  })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  const { system } = told(place, 0)
  expect(system).toContain(
    '<instructions path="docs/style.md" imported-by="KODA.md">\ntwo spaces\n@../KODA.md\n@more.md\n</instructions>\n\n' +
      '<instructions path="docs/more.md" imported-by="docs/style.md">\nand no tabs\n</instructions>',
  )
  expect(system).not.toContain("private notes")
  expect(system).not.toContain("not imported")
  expect(JSON.stringify(client.updates())).toContain("leads out of the project")
})

test("PC-06 a link that leads out of the workspace is not followed, and the user is told", async () => {
  const outside = await folderOf({ "secret.txt": "very secret" })
  const place = await workshop({ files: { "AGENTS.md": { link: join(outside, "secret.txt") }, "b.md": "inner" } })
  await symlink("b.md", join(place.cwd, "KODA.md"))
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  await client.request("session/prompt", { sessionId, prompt: text("again") })
  expect(told(place, 0).system).toContain("inner")
  expect(told(place, 1).system).not.toContain("very secret")
  expect(JSON.stringify(client.updates()).split("AGENTS.md leads out of the project")).toHaveLength(2)
})

test("PC-06 of a file of a megabyte the beginning is read, and it says so to the model and to the user", async () => {
  const place = await workshop({ files: { "AGENTS.md": `begin\n${"x".repeat(1_000_000)}\nend` } })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  const { system } = told(place, 0)
  expect(system.length).toBeLessThan(60_000)
  expect(system).toContain("[cut here: 960010 more characters; read_file reads on]\n</instructions>")
  expect(JSON.stringify(client.updates())).toContain("AGENTS.md is too long: its last 960,010 characters were left out")
})

test("PC-06 what changes is read with the next prompt, and what does not change leaves the request as it was", async () => {
  const place = await workshop({ files: { "KODA.md": "use tabs" } })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  const go = () => client.request("session/prompt", { sessionId, prompt: text("go") })
  await go()
  await go()
  await writeFile(join(place.cwd, "KODA.md"), "use spaces")
  await go()
  expect(told(place, 1).system).toBe(told(place, 0).system)
  expect(told(place, 2).system).toBe(told(place, 0).system.replace("use tabs", "use spaces"))
})

test("PC-06 instructions of a folder further down come with the first file touched there, once, and not before", async () => {
  const place = await workshop({
    files: {
      "src/deep/AGENTS.md": "deep rules",
      "src/deep/a.ts": "a",
      "src/deep/b.ts": "b",
      "node_modules/x/AGENTS.md": "foreign rules",
      "node_modules/x/a.js": "x",
    },
  })
  place.provider.script(
    calls({ id: "1", name: "read_file", input: { path: "src/deep/a.ts" } }),
    calls(
      { id: "2", name: "read_file", input: { path: "src/deep/b.ts" } },
      {
        id: "3",
        name: "read_file",
        input: { path: "node_modules/x/a.js" },
      },
    ),
    says("done"),
  )
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(textsOf(told(place, 0).messages)).not.toContain("deep rules")
  expect(told(place, 1).messages.at(-1)).toEqual({ role: "user", content: expect.stringContaining("deep rules") })
  expect(textsOf(told(place, 2).messages).split("deep rules")).toHaveLength(2)
  expect(textsOf(told(place, 2).messages)).not.toContain("foreign rules")
  expect(told(place, 2).system).toBe(told(place, 0).system)
  expect(JSON.stringify(client.updates())).not.toContain("deep rules") // the user has not asked to see them
})

test("PC-06 instructions survive when the conversation is put in few words, those of folders further down too", async () => {
  const place = await workshop({
    files: { "KODA.md": "top rules", "src/AGENTS.md": "deep rules", "src/a.ts": "a" },
    settings: { contextWindow: { m: 50_000 } },
  })
  const { client, sessionId } = await place.session()
  const long = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ")
  place.provider.script(calls({ name: "read_file", input: { path: "src/a.ts" } }), says(long))
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  for (let turn = 0; turn < 3; turn++) {
    place.provider.script(says(long))
    await client.request("session/prompt", { sessionId, prompt: text("go on") })
  }
  place.provider.script(says("All was done."))
  expect(await client.request("session/compact", { sessionId })).toMatchObject({ compacted: true })
  place.provider.script(says("ok"))
  await client.request("session/prompt", { sessionId, prompt: text("and now") })
  const { system, messages } = told(place, place.provider.asked.length - 1)
  expect(system).toContain("top rules")
  expect(textsOf(messages)).toContain("All was done.")
  expect(textsOf(messages).split("deep rules")).toHaveLength(2)
})

test("PC-06 a subagent is given the instructions of the project and of the folders it touches, and its parent then those it touches", async () => {
  const place = await workshop({
    files: { "KODA.md": "top rules", "src/AGENTS.md": "deep rules", "src/a.ts": "a" },
  })
  const readA = { name: "read_file", input: { path: "src/a.ts" } }
  place.provider.script(
    calls({ id: "1", name: "sub_agent", input: { agent: "research", goal: "Look at src/a.ts" } }),
    calls({ id: "2", ...readA }),
    says("It is a."),
    calls({ id: "3", ...readA }),
    says("done"),
  )
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(place, 1).system + textsOf(told(place, 1).messages)).toContain("top rules")
  expect(textsOf(told(place, 2).messages).split("deep rules")).toHaveLength(2)
  expect(textsOf(told(place, 3).messages)).not.toContain("deep rules")
  expect(textsOf(told(place, 4).messages).split("deep rules")).toHaveLength(2)
})

test("PC-06 what the client says in place of the persona leaves the instructions there", async () => {
  const place = await workshop({ files: { "KODA.md": "use tabs" } })
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session({}, { systemPrompt: "You are a parrot." })
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(told(place, 0).system).toMatch(/^You are a parrot\.[\s\S]*use tabs/)
})

test("save_memory asks as an edit does, writes to KODA.md, and the next prompt knows it", async () => {
  const place = await workshop({ files: { "KODA.md": "# Widget\n" } })
  place.provider.script(calls({ name: "memory", input: { fact: "Tests run with `make check`" } }), says("kept"))
  const { client, sessionId } = await place.session()
  client.on("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "proceed_once" } }))
  await client.request("session/prompt", { sessionId, prompt: text("remember") })
  await client.request("session/prompt", { sessionId, prompt: text("and now") })
  expect(client.asked("session/request_permission")[0].toolCall.content).toEqual([
    {
      type: "diff",
      path: join(place.cwd, "KODA.md"),
      oldText: "# Widget\n",
      newText: "# Widget\n\n## Remembered\n\n- Tests run with `make check`\n",
    },
  ])
  expect(told(place, 2).system).toContain("- Tests run with `make check`")
})

test("a repository in which nothing tells agents anything changes nothing of the request", async () => {
  const place = await workshop({ files: { "a.txt": "" } })
  await mkdir(join(place.cwd, "KODA.md"))
  await appendFile(join(place.cwd, "AGENTS.md"), " \r\n")
  place.provider.script(says("ok"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("hi") })
  expect(told(place, 0).system).not.toContain("nstructions of this project")
})
