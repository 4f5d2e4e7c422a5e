import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"

function role(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: Is ${name}.\n${more}---\n\nYou are ${name}.\n`
}

test("koda agents lists roles and profiles, and what can't be read", async () => {
  const { run, cwd } = await commandLine({
    files: {
      ".koda/agents/a.md": role("a"),
      ".koda/agents/b.md": role("b"),
      ".koda/agents/bad.md": role("bad", "color: red\n"),
      ".kodik/agents/x.md": "---\ndescription: Does x.\n---\ndo",
    },
    settings: { subagents: { disabledAgentNames: ["b"] } },
  })
  const { code, out, err } = await run("agents")
  expect([code, err]).toEqual([0, []])
  expect(out.split("\n").filter((line) => !/built in/.test(line))).toEqual([
    "Roles, for run_subagent",
    "  a  workspace       Is a.",
    "  b  workspace, off  Is b.",
    "",
    "Profiles, for sub_agent",
    "  project:x  project   Does x.",
    "",
    "Not read",
    expect.stringContaining(`  ${join(cwd, ".koda/agents/bad.md")}:4: there is no field "color"`),
    "",
  ])
  expect(out).toMatch(/ {2}research {3}built in {2}\S/)
})

test("koda agents list --json says the same to programs", async () => {
  const { run } = await commandLine({ files: { ".koda/agents/a.md": role("a") } })
  const { agents, errors, builtIn } = JSON.parse((await run("agents", "list", "--json")).out)
  expect(agents).toMatchObject([{ name: "a", scope: "workspace", enabled: true }])
  expect(errors).toEqual([])
  expect(builtIn).toMatchObject([{ name: "research" }, { name: "implement" }])
})

test("koda agents check fails where a file can't be read, and names models that are not there", async () => {
  const files = { ".koda/agents/a.md": role("a", "model: gone\n"), ".koda/agents/bad.md": "bad" }
  const { run, cwd } = await commandLine({ files })
  const bad = await run("agents", "check")
  expect([bad.code, bad.out.split("\n")]).toEqual([
    1,
    [
      expect.stringContaining(`${join(cwd, ".koda/agents/bad.md")}:1: must begin with a header`),
      'a: the model "gone" is not available here',
      "",
    ],
  ])
  await rm(join(cwd, ".koda/agents/bad.md"))
  expect(await run("agents", "check", "--json")).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ errors: [], warnings: ['a: the model "gone" is not available here'] }, null, 2)}\n`,
  })
  await rm(join(cwd, ".koda/agents/a.md"))
  expect(await run("agents", "check")).toMatchObject({ code: 0, out: "0 read, nothing is wrong\n" })
})

test("koda agents create makes a role here or in Koda home, and overwrites none", async () => {
  const { run, cwd, home } = await commandLine()
  const path = join(cwd, ".koda/agents/code-reviewer.md")
  const { code, out } = await run("agents", "create", "Code", "Reviewer", "--description", "Reviews")
  expect([code, out]).toEqual([0, `${path} is made; say in it what the role does\n`])
  expect(await readFile(path, "utf8")).toContain("name: code-reviewer\ndescription: Reviews\nmodel: inherit\n")

  const json = JSON.parse((await run("agents", "create", "acp", "--global", "--json")).out)
  expect(json).toMatchObject({ created: { name: "acp", scope: "global" } })
  expect(await readFile(join(home, "agents/acp.md"), "utf8")).toContain("name: acp\n")

  expect(await run("agents", "create", "code-reviewer")).toMatchObject({
    code: 1,
    err: [`koda: There is a file ${path} already; choose another name`],
  })
})

test("koda agents delete takes a role away, from where it is asked to", async () => {
  const { run, cwd } = await commandLine({ files: { ".koda/agents/a.md": role("a") } })
  expect(await run("agents", "delete", "a", "--global")).toMatchObject({
    code: 1,
    err: ['koda: There is no role "a" in Koda home'],
  })
  expect(await run("agents", "delete", "a")).toMatchObject({
    code: 0,
    out: `${join(cwd, ".koda/agents/a.md")} is deleted\n`,
  })
  expect((await run("agents", "check")).out).toBe("0 read, nothing is wrong\n")
})

test("koda agents settings shows and changes the settings, in the same words", async () => {
  const { run, home } = await commandLine()
  const lines = (text: string) => text.trimEnd().split("\n")
  expect(lines((await run("agents", "settings")).out)).toEqual([
    "enabled=true",
    "maxConcurrent=4",
    "allowParentToContinue=false",
    "model=null",
    "reasoningEffort=null",
    "tools=null",
    "disabledAgentNames=",
  ])
  const set = ["enabled=false", "maxConcurrent=99", "model=m", "tools=read_file,grep", "disabledAgentNames=a,b"]
  const changed = await run("agents", "settings", ...set, "--json")
  const settings = {
    enabled: false,
    maxConcurrent: 10,
    allowParentToContinue: false,
    model: "m",
    reasoningEffort: null,
    tools: ["read_file", "search_file_content"],
    disabledAgentNames: ["a", "b"],
  }
  expect(JSON.parse(changed.out)).toEqual({ settings })
  const { allowParentToContinue: _, reasoningEffort: __, ...written } = settings
  expect(JSON.parse(await readFile(join(home, "settings.json"), "utf8")).subagents).toEqual(written)

  const back = await run("agents", "settings", ...lines((await run("agents", "settings")).out))
  expect(lines(back.out)).toContain("tools=read_file,search_file_content")
  await run("agents", "settings", "tools=null", "model=null", "disabledAgentNames=")
  expect((await run("agents", "settings", "--json")).out).toContain('"disabledAgentNames": []')
})

test.for([
  ["agents lst", 'There is no "koda agents lst"; did you mean "list"?'],
  ["agents --jsn", 'There is no option "--jsn" of `koda agents`'],
  ["agents create", "koda agents create NAME: the name is missing"],
  ["agents list a", '"a" is one word too many'],
  ["agents settings max=3", 'There is no setting "max"; there are enabled, maxConcurrent,'],
  ["agents settings enabled=on", 'A setting is given as enabled=true|false, not "enabled=on"'],
  ["agents settings enabled", 'A setting is given as enabled=true|false, not "enabled"'],
  ["agnets", 'There is no command "agnets"; did you mean "agents"?'],
] as const)("%s: %s", async ([line, message]) => {
  const { run } = await commandLine()
  const { code, err } = await run(...line.split(" "))
  expect([code, err[0]?.slice(0, message.length + 6)]).toEqual([2, `koda: ${message}`])
})

test("koda agents --help helps", async () => {
  const { run } = await commandLine()
  expect((await run("agents", "--help")).out).toContain("koda agents")
})
