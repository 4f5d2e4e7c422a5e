import { describe, expect, test } from "vitest"
import { kebabCase, roleTemplate } from "../../src/subagents/role-template.ts"
import { type Fault, isFault, parseRole, type Role, renderRole } from "../../src/subagents/roles.ts"
import { RESEARCH_TOOLS } from "../../src/subagents/settings.ts"

/** What a file is read as: the role, or the line and what is wrong with it. */
async function read(text: string, name = "reviewer"): Promise<Role | string> {
  const role = await parseRole(name, text)
  return isFault(role) ? told(role) : role
}

function told({ line, problem }: Fault): string {
  return `${line}: ${problem}`
}

const HEADER = "name: reviewer\ndescription: Reviews changes"
const REVIEWER: Role = {
  name: "reviewer",
  description: "Reviews changes",
  model: null,
  reasoningEffort: null,
  tools: null,
  prompt: "Look closely.",
}

function file(header: string, body = "Look closely.\n"): string {
  return `---\n${header}\n---\n\n${body}`
}

test("R-207 R-210 R-211 R-212 R-213 a role has five fields, of which three may be left out, and instructions", async () => {
  expect(await read(file(HEADER))).toEqual(REVIEWER)
  const whole = `${HEADER}\nmodel: gpt-9\nreasoningEffort: high\ntools:\n  - read_file\n  - glob`
  expect(await read(file(whole))).toEqual({
    ...REVIEWER,
    model: "gpt-9",
    reasoningEffort: "high",
    tools: ["read_file", "glob"],
  })
  expect(await read(file(`${HEADER}\nmodel: inherit`))).toEqual(REVIEWER)
})

test("SA-06 line ends of Windows, a byte order mark, tabs after a value and comments are read", async () => {
  const text = `\uFEFF${file(`# who it is\n${HEADER}\t`, "One.\n\nTwo.\n")}`.replaceAll("\n", "\r\n")
  expect(await read(text)).toEqual({ ...REVIEWER, prompt: "One.\n\nTwo." })
})

test("SA-06 a value may be quoted, folded, or stand on the next line", async () => {
  const header = 'name: reviewer\ndescription:\n  "Use when: x,\n  or when: y"'
  expect(await read(file(header))).toMatchObject({ description: "Use when: x, or when: y" })
  expect(await read(file("name: 'reviewer'\ndescription: >-\n  Use when\n  it is done"))).toMatchObject({
    description: "Use when it is done",
  })
})

test("R-208 the name is the file's, of lowercase letters, digits and hyphens, 64 at most", async () => {
  const named = (name: string) => read(file(`name: "${name}"\ndescription: d`), name)
  expect(await named("a-1")).toMatchObject({ name: "a-1" })
  expect(await named("a".repeat(64))).toMatchObject({ name: "a".repeat(64) })
  expect(await read(file("name: 7\ndescription: d"), "7")).toMatchObject({ name: "7" })
  for (const name of ["a".repeat(65), "Reviewer", "ревьюер", "a_b", "a b", "-a"]) {
    expect(await named(name)).toContain("can't be a role's name")
  }
  expect(await read(file("description: d\nname: other"))).toBe(
    '3: name must be "reviewer", as the file is called, not "other"',
  )
})

test("R-209 a description has 500 characters at most", async () => {
  const described = (count: number) => read(file(`name: reviewer\ndescription: ${"ё".repeat(count)}`))
  expect(await described(500)).toMatchObject({ description: "ё".repeat(500) })
  expect(await described(501)).toBe("3: description has 501 characters, and may have 500")
})

describe("R-212 R-214 R-215 SA-06 what is not as it must be is named with its line:", () => {
  test.for([
    ["a field there is not", `${HEADER}\ncolor: blue`, '4: there is no field "color"; a role has name,'],
    [
      "a colon in a text without quotes",
      "name: reviewer\ndescription: Use when: x",
      "3: Nested mappings are not allowed",
    ],
    ["a key twice", `${HEADER}\nname: reviewer`, "4: Map keys must be unique"],
    ["a tab before a key", "name: reviewer\n\tdescription: d", "3: "],
    ["no name", "description: d", "1: name is missing"],
    ["no description", "name: reviewer\ndescription:", "3: description is missing"],
    ["a list for a text", "name: reviewer\ndescription: [a]", '3: description must be a text; put it in "quotes"'],
    ["an unknown effort", `${HEADER}\nreasoningEffort: huge`, "4: reasoningEffort must be one of none, minimal, low"],
    ["tools in one text", `${HEADER}\ntools: read_file, glob`, "4: tools must be a list, such as [read_file, glob]"],
    ["tools as a map", `${HEADER}\ntools: {write: false}`, "4: tools must be a list"],
    ["tools, and none named", `${HEADER}\ntools:`, "4: tools must be a list"],
    ["an empty list of tools", `${HEADER}\ntools: []`, "4: tools is empty"],
    ["a tool that writes", `${HEADER}\ntools: [read_file, write_file]`, '4: tools: "write_file" is no research tool'],
    ["an alias of YAML", "name: &n reviewer\ndescription: *n", "3: description must be a text"],
    ["a header that is no map", "- reviewer", '2: the header must be lines of "key: value"'],
  ] as const)("%s", async ([, header, message]) => {
    const said = await read(file(header))
    expect(typeof said === "string" ? said.slice(0, message.length) : said).toBe(message)
  })

  test("nothing after the header", async () => {
    expect(await read(file(HEADER, " \n\n"))).toBe("5: there are no instructions; write them after the header")
  })

  test("no header, or one that does not end", async () => {
    expect(await read("You are a reviewer.")).toContain("1: must begin with a header")
    expect(await read(`---\n${HEADER}\n\nLook.`)).toBe('1: the header does not end; put a line "---" after it')
  })
})

test("a text with a colon is told to be put in quotes", async () => {
  expect(await read(file("name: reviewer\ndescription: Use when: x"))).toContain('must be in "quotes"')
})

test("R-212 tools may go by their other names, and each counts once", async () => {
  expect(await read(file(`${HEADER}\ntools: [grep, search_file_content, ls]`))).toMatchObject({
    tools: ["search_file_content", "list_directory"],
  })
})

test("R-244 what is rendered reads as what it was made of", async () => {
  const roles: Role[] = [
    REVIEWER,
    { ...REVIEWER, model: "a/b:c", reasoningEffort: "low", tools: ["glob"], prompt: "---\n# x\n---" },
    ...[
      "Use when: x",
      "- a",
      "# a",
      "'a' \"b\"",
      "yes",
      "5",
      "a\nb",
      "{a}",
      "@a",
      "a: ",
      " a".trim(),
      "a #b",
      "\u2028x",
    ].map((description) => ({ ...REVIEWER, description })),
  ]
  for (const role of roles) {
    expect(await read(renderRole(role))).toEqual({ ...role, description: role.description.trim() })
  }
})

test("R-244 a role is rendered in the form of the template", () => {
  const role = { ...REVIEWER, reasoningEffort: "low", tools: ["read_file", "glob"] }
  expect(renderRole(role)).toBe(`---
name: reviewer
description: Reviews changes
model: inherit
reasoningEffort: low
tools:
  - read_file
  - glob
---

Look closely.
`)
})

test("R-232 a name is put in kebab-case", () => {
  const names = [
    "Code Reviewer",
    "codeReviewer",
    "code_reviewer",
    "  Code -- Reviewer! ",
    "HTTP2Client",
    "Crème Brûlée",
  ]
  expect([...names, "Ревьюер кода", "Йод", "…", "a".repeat(99)].map(kebabCase)).toEqual([
    "code-reviewer",
    "code-reviewer",
    "code-reviewer",
    "code-reviewer",
    "http2-client",
    "creme-brulee",
    "revyuer-koda",
    "yod",
    "",
    "a".repeat(64),
  ])
})

describe("R-234 R-235 the template is worded in the user's language:", () => {
  test.for([
    ["ru", true],
    ["ru-RU", true],
    ["RU", true],
    ["rue", false],
    ["en", false],
    ["de-DE", false],
    [undefined, false],
  ] as const)("%s", async ([language, isRussian]) => {
    const text = roleTemplate("x", undefined, language)
    expect(/[а-я]/.test(text)).toBe(isRussian)
    expect(text.split("\n").filter((line) => /^(---|name|model|tools| {2}- )/.test(line))).toEqual([
      "---",
      "name: x",
      "model: inherit",
      "tools:",
      "  - read_file",
      "  - list_directory",
      "  - glob",
      "  - search_file_content",
      "---",
    ])
    expect(await read(text, "x")).toMatchObject({ name: "x", model: null })
  })
})

test("R-212 research tools are those that only look", () => {
  expect(RESEARCH_TOOLS.filter((name) => /write|edit|shell|replace|memory|agent/.test(name))).toEqual([])
})
