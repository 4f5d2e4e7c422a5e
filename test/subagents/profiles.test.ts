import { describe, expect, test } from "vitest"
import { BUILT_IN, type Profile, parseProfile } from "../../src/subagents/profiles.ts"
import { isFault } from "../../src/subagents/roles.ts"

async function read(text: string, fileName = "my-agent"): Promise<Profile | string> {
  const profile = await parseProfile(fileName, text, "project", "project")
  return isFault(profile) ? `${profile.line}: ${profile.problem}` : profile
}

const MY_AGENT: Profile = {
  id: "project:my-agent",
  name: "my-agent",
  description: "Does it.",
  model: null,
  color: "blue",
  prompt: "You are my-agent.",
  origin: "project",
}

test("R-345 R-347 a profile is a Markdown file with a name, a description, a model and a color", async () => {
  const text = "---\nname: my-agent\ndescription: Does it.\nmodel: inherit\ncolor: blue\n---\n\nYou are my-agent.\n"
  expect(await read(text)).toEqual(MY_AGENT)
  expect(await read(text.replace("inherit", "big-one"))).toEqual({ ...MY_AGENT, model: "big-one" })
  expect(await read(text.replace(/model.*\ncolor.*\n/, ""))).toEqual({ ...MY_AGENT, color: null })
})

test("R-346 the body is taken word for word", async () => {
  const body = "# You\r\n\r\n  {{name}} $x \\n — «ты»\r\n---\r\nstill the body"
  expect(await read(`---\nname: my-agent\n---\n\n${body}\n`)).toMatchObject({ prompt: body })
})

test("R-306 R-348 R-357 what a header says of tools says nothing", async () => {
  const text = "---\nname: my-agent\ntools: [sub_agent, run_shell_command]\nallowedTools: '*'\n---\nx"
  expect(Object.keys((await read(text)) as Profile)).toEqual(Object.keys(MY_AGENT))
})

test("R-354 its id is where it comes from, and its name", async () => {
  expect(await parseProfile("x", "do", "user", "user")).toMatchObject({ id: "user:x", origin: "user" })
  expect(await parseProfile("x", "do", "plugin", "acme")).toMatchObject({ id: "acme:x", origin: "plugin" })
})

describe("SA-06 the header is read leniently:", () => {
  const said = (header: string) => read(`---\n${header}\n---\ndo`)
  test.for([
    ["a colon without quotes", "description: Use when: x", { description: "Use when: x" }],
    [
      "examples over several lines",
      'description: Use it.\nExamples:\n  user: "hi": you\ncolor: red',
      { description: 'Use it.\nExamples:\nuser: "hi": you', color: "red" },
    ],
    [
      "a value on the next line",
      "description:\n  Use it: now\ncolor: red",
      { description: "Use it: now", color: "red" },
    ],
    ["a folded text that YAML refuses", "description: >-\n  a: b: c\nname: n", { description: "a: b: c", name: "n" }],
    ["tabs", "\tx\nname: n\ndescription:\tUse it", { name: "n", description: "Use it" }],
    ["a tool list in any form", "name: n\ntools: a, b\nskills: {write: false}: x", { name: "n", description: "" }],
    ["quotes", 'name: \'it\'\ndescription: "a \\"b\\"" : c', { name: "it" }],
    ["unknown keys", "name: n\npermissionMode: yes\nhooks: {a: [b]}", { name: "n" }],
    ["no name", "description: d", { name: "my-agent", description: "d" }],
    ["a model of another agent", "model: sonnet", { model: "sonnet" }],
    ["a key twice", "name: n\nname: m: o", { name: "n" }],
    ["nothing at all", "", { name: "my-agent", description: "", color: null }],
  ] as const)("%s", async ([, header, expected]) => {
    expect(await said(header)).toMatchObject(expected)
  })

  test("line ends of Windows and a byte order mark", async () => {
    expect(await read("\uFEFF---\r\nname: n\r\ndescription: a: b\r\n---\r\n\r\ndo\r\n")).toMatchObject({
      name: "n",
      description: "a: b",
      prompt: "do",
    })
  })

  test("no header: the file's name, and all of it", async () => {
    expect(await read("Just do it.\n")).toMatchObject({
      id: "project:my-agent",
      description: "",
      prompt: "Just do it.",
    })
  })
})

test("what can't be a profile is named with its line", async () => {
  expect(await read("---\nname: n\n\ndo")).toBe('1: the header does not end; put a line "---" after it')
  expect(await read("---\nname: n\n---\n\n")).toBe("4: there are no instructions; write them after the header")
  expect(await read("---\nname: project:x\n---\ndo")).toContain('2: name "project:x" must be letters')
})

test("R-305 two profiles are built in: one looks, one changes", () => {
  expect(BUILT_IN.map(({ id, origin, model }) => ({ id, origin, model }))).toEqual([
    { id: "research", origin: "builtin", model: null },
    { id: "implement", origin: "builtin", model: null },
  ])
})

test("R-307 R-314 R-322 the built-in profiles prefer to read or keep bounds, ask nobody, and end with a report", () => {
  const [research, implement] = BUILT_IN.map(({ prompt }) => prompt)
  expect(research).toContain("Prefer tools that only read")
  for (const prompt of [research, implement]) {
    expect(prompt).toContain("You can't ask anybody")
    expect(prompt).toContain("a report in Markdown")
  }
})
