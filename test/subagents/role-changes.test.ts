import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { describe, expect, test } from "vitest"
import { createRole, deleteRole, readRole, writeRole } from "../../src/subagents/role-changes.ts"
import { RESEARCH_TOOLS } from "../../src/subagents/settings.ts"
import { never } from "../support/scripted.ts"
import { type DefinitionPlace, placeOf, role, shown } from "./definition-place.ts"

/** What is refused, and why. */
async function refusal(work: Promise<unknown>): Promise<{ reason: string; message: string }> {
  const error = await work.then(
    () => ({ reason: "done", message: "" }),
    (error) => error,
  )
  return { reason: error.reason, message: error.message.replace(/\S*\/(ws|home)\//g, "$1/") }
}

const PLAIN = { description: "Is new.", model: null, reasoningEffort: null, tools: null, prompt: "Be new." }

describe("making a role", () => {
  const make = ({ definitions }: DefinitionPlace, name: string, scope: "workspace" | "global" = "workspace") =>
    createRole(definitions, { name, scope }, never)

  test("R-232 R-233 it gets its name in kebab-case and a file of its own, in the workspace or in Koda home", async () => {
    const place = await placeOf({})
    expect(await make(place, "Code Reviewer")).toEqual({
      name: "code-reviewer",
      scope: "workspace",
      sourceUri: place.uri("ws/.koda/agents/code-reviewer.md"),
    })
    expect(await make(place, "codeReader", "global")).toEqual({
      name: "code-reader",
      scope: "global",
      sourceUri: place.uri("home/agents/code-reader.md"),
    })
    expect(shown(place.definitions.current)).toEqual(["code-reviewer (workspace)", "code-reader (global)"])
  })

  test("its description is the one that is given", async () => {
    const { definitions } = await placeOf({})
    const description = 'Use when: "it" is done'
    await createRole(definitions, { name: "a", scope: "global", description }, never)
    expect(definitions.current.agents[0]?.description).toBe(description)
    const long = { name: "b", scope: "global", description: "x".repeat(501) } as const
    expect(await refusal(createRole(definitions, long, never))).toEqual({
      reason: "definition_invalid",
      message: "home/agents/b.md:3: description has 501 characters, and may have 500",
    })
  })

  test("R-233 a file that is there is not overwritten, whatever it is and however it is spelled", async () => {
    const place = await placeOf({
      "home/agents/a.md": "broken",
      "home/agents/B.md": "mine",
      "home/agents/link.md": { link: "nowhere" },
    })
    for (const name of ["a", "b", "link"]) {
      const { reason, message } = await refusal(make(place, name, "global"))
      expect([reason, message]).toEqual(["definition_exists", expect.stringContaining("already")])
    }
    expect(await readFile(place.path("home/agents/a.md"), "utf8")).toBe("broken")
    expect(shown(place.definitions.current).length).toBe(3)
  })

  test("R-233 of two that are made at once by one name, one is made", async () => {
    const place = await placeOf({})
    const both = await Promise.all([refusal(make(place, "a")), refusal(make(place, "A"))])
    expect(both.map(({ reason }) => reason).sort()).toEqual(["definition_exists", "done"])
  })

  test("R-233 what another program makes at the same moment is not overwritten", async () => {
    const place = await placeOf(
      { "home/agents/b.md": "mine" },
      {
        files: (files) => ({
          ...files,
          async makeFile(path, data) {
            await writeFile(path, "theirs")
            await files.makeFile(path, data)
          },
        }),
      },
    )
    expect((await refusal(make(place, "a", "global"))).reason).toBe("definition_exists")
    expect(await readFile(place.path("home/agents/a.md"), "utf8")).toBe("theirs")
  })

  test("R-234 R-235 its words are in the user's language, and its keys and tools are not", async () => {
    const { definitions, path } = await placeOf({}, { settings: { uiLanguage: "ru-RU" } })
    await createRole(definitions, { name: "Ревьюер", scope: "global" }, never)
    const text = await readFile(path("home/agents/revyuer.md"), "utf8")
    expect(text).toMatch(/^---\nname: revyuer\ndescription: Опишите .*\nmodel: inherit\ntools:\n {2}- read_file\n/)
  })

  test("nothing is made in a folder that leads out of the project", async () => {
    const place = await placeOf({ "ws/.koda/agents": { link: "../../user/notes" }, "user/notes/n.md": role("n") })
    expect(await refusal(make(place, "a"))).toEqual({
      reason: "definition_invalid",
      message: "ws/.koda/agents:1: is a symbolic link that leads out of the project",
    })
  })

  test("a name of which nothing can be kept is refused", async () => {
    const place = await placeOf({})
    expect(await refusal(make(place, "…"))).toEqual({
      reason: "invalid_params",
      message: `name: nothing of "…" can stand in a role's name (a-z, 0-9, "-")`,
    })
  })
})

describe("a role is named by its name and its file, both as they are now", () => {
  test("R-236 R-237 neither reading, writing nor deleting takes another pair", async () => {
    const { definitions, uri, path } = await placeOf({
      "home/agents/a.md": role("a"),
      "home/agents/b.md": role("b"),
      "ws/.koda/agents/b.md": role("b"),
      "ws/.kodik/agents/p.md": "a profile",
      "user/.profile": "no role",
    })
    const wrong = [
      { name: "a", sourceUri: uri("home/agents/b.md") },
      { name: "b", sourceUri: uri("home/agents/a.md") },
      { name: "b", sourceUri: uri("home/agents/b.md") },
      { name: "a", sourceUri: path("home/agents/a.md") },
      { name: "p", sourceUri: uri("ws/.kodik/agents/p.md") },
      { name: "project:p", sourceUri: uri("ws/.kodik/agents/p.md") },
      { name: ".profile", sourceUri: uri("user/.profile") },
    ]
    for (const file of wrong) {
      const works = [
        readRole(definitions, file),
        writeRole(definitions, file, PLAIN, never),
        deleteRole(definitions, file, never),
      ]
      expect((await Promise.all(works.map(refusal))).map(({ reason }) => reason)).toEqual(
        Array(3).fill("definition_mismatch"),
      )
    }
    const profile = { name: "project:p", sourceUri: uri("ws/.kodik/agents/p.md") }
    expect((await refusal(readRole(definitions, profile))).message).toBe(
      '"project:p" is a profile, and no role; edit ws/.kodik/agents/p.md yourself',
    )
    expect(shown(await definitions.refresh())).toEqual(["b (workspace)", "a (global)", "project:p (project)"])
  })

  test("R-236 what was deleted by hand is not there any more", async () => {
    const { definitions, uri, files, path } = await placeOf({ "home/agents/a.md": role("a") })
    await definitions.refresh()
    await files.remove(path("home/agents/a.md"))
    const file = { name: "a", sourceUri: uri("home/agents/a.md") }
    expect((await refusal(deleteRole(definitions, file, never))).reason).toBe("definition_mismatch")
  })
})

describe("reading a role", () => {
  test("R-238 it is as its file says it; null stands for what is left to others", async () => {
    const { definitions, uri } = await placeOf({
      "home/agents/a.md": role("a"),
      "home/agents/b.md": role("b", { header: "model: m\nreasoningEffort: low\ntools: [ls]" }),
    })
    const read = (name: string) => readRole(definitions, { name, sourceUri: uri(`home/agents/${name}.md`) })
    const a = { name: "a", description: "Is a.", prompt: "You are a." }
    expect(await read("a")).toEqual({ ...a, model: null, reasoningEffort: null, tools: null })
    expect(await read("b")).toMatchObject({ model: "m", reasoningEffort: "low", tools: ["list_directory"] })
  })

  test("R-242 of one that is broken, what is wrong is named", async () => {
    const { definitions, uri } = await placeOf({ "home/agents/a.md": role("a", { header: "color: red" }) })
    const file = { name: "a", sourceUri: uri("home/agents/a.md") }
    expect(await refusal(readRole(definitions, file))).toEqual({
      reason: "definition_invalid",
      message: definitions.current.errors[0]?.message.replace(/\S*\/home\//, "home/"),
    })
  })
})

describe("writing a role", () => {
  test("R-243 R-244 it is written in the template's form, and reads as it was given", async () => {
    const { definitions, uri, path } = await placeOf({ "home/agents/a.md": role("a") })
    const file = { name: "a", sourceUri: uri("home/agents/a.md") }
    const asked = { description: "Use: it", model: "m", reasoningEffort: "high", tools: ["glob"], prompt: "\nOne.\n\n" }
    await writeRole(definitions, file, asked, never)
    expect(await readRole(definitions, file)).toEqual({ name: "a", ...asked, prompt: "One." })
    expect(await readFile(path("home/agents/a.md"), "utf8")).toBe(
      '---\nname: a\ndescription: "Use: it"\nmodel: m\nreasoningEffort: high\ntools:\n  - glob\n---\n\nOne.\n',
    )
  })

  test("R-244 what the catalogue would refuse is refused in its words, and the file is not touched", async () => {
    const { definitions, uri, path } = await placeOf({ "home/agents/a.md": role("a") })
    const file = { name: "a", sourceUri: uri("home/agents/a.md") }
    const print = async () => {
      const { ino, mtimeNs, ctimeNs } = await stat(path("home/agents/a.md"), { bigint: true })
      return { ino, mtimeNs, ctimeNs }
    }
    const before = await print()
    const wrong = [
      [{ ...PLAIN, prompt: " \n" }, "6: there are no instructions"],
      [{ ...PLAIN, description: "" }, "3: description is missing"],
      [{ ...PLAIN, description: "x".repeat(501) }, "3: description has 501 characters"],
      [{ ...PLAIN, tools: [] }, "5: tools is empty"],
      [
        { ...PLAIN, tools: ["write_file"] },
        `5: tools: "write_file" is no research tool; there are ${RESEARCH_TOOLS[0]}`,
      ],
      [{ ...PLAIN, reasoningEffort: "huge" }, "5: reasoningEffort must be one of"],
      [{ ...PLAIN, prompt: "x".repeat(70_000) }, "1: has 70,0"],
    ] as const
    for (const [asked, message] of wrong) {
      const refused = await refusal(writeRole(definitions, file, asked, never))
      expect(refused).toEqual({
        reason: "definition_invalid",
        message: expect.stringContaining(`home/agents/a.md:${message}`),
      })
    }
    expect(await print()).toEqual(before)
  })

  test("R-245 a broken file is mended by it", async () => {
    const { definitions, uri } = await placeOf({ "home/agents/a.md": "---\nname: a\ndescription: Use: it\n" })
    await definitions.refresh()
    expect(definitions.current.errors.map(({ name }) => name)).toEqual(["a"])
    await writeRole(definitions, { name: "a", sourceUri: uri("home/agents/a.md") }, PLAIN, never)
    expect(shown(definitions.current)).toEqual(["a (global)"])
  })

  test("R-246 a name that can't be one is not mended by writing: it is the file's", async () => {
    const { definitions, uri, path } = await placeOf({ "home/agents/Bad Name.md": "broken" })
    const file = { name: "Bad Name", sourceUri: uri("home/agents/Bad Name.md") }
    expect((await refusal(writeRole(definitions, file, PLAIN, never))).message).toContain("rename the file")
    expect(await readFile(path("home/agents/Bad Name.md"), "utf8")).toBe("broken")
  })

  test("R-217 nothing is written through a link, or over a folder", async () => {
    const place = await placeOf({ "user/theirs": "theirs", "home/agents/f.md/x": "" })
    await symlink(place.path("user/theirs"), place.path("home/agents/l.md"))
    for (const name of ["l", "f"]) {
      const file = { name, sourceUri: place.uri(`home/agents/${name}.md`) }
      expect((await refusal(writeRole(place.definitions, file, PLAIN, never))).reason).toBe("definition_invalid")
    }
    expect(await readFile(place.path("user/theirs"), "utf8")).toBe("theirs")
  })
})

describe("deleting a role", () => {
  test("R-236 its file is gone, and so is a broken one; a link goes alone", async () => {
    const place = await placeOf({
      "home/agents/a.md": role("a"),
      "home/agents/b.md": "broken",
      "user/theirs": "theirs",
    })
    await symlink(place.path("user/theirs"), place.path("home/agents/l.md"))
    for (const name of ["a", "b", "l"]) {
      await deleteRole(place.definitions, { name, sourceUri: place.uri(`home/agents/${name}.md`) }, never)
    }
    expect(shown(place.definitions.current)).toEqual([])
    expect(await readFile(place.path("user/theirs"), "utf8")).toBe("theirs")
  })

  test("a folder is left to the user", async () => {
    const { definitions, path, uri } = await placeOf({})
    await mkdir(path("home/agents/nested"), { recursive: true })
    await writeFile(path("home/agents/nested/work.md"), "mine")
    const refused = await refusal(
      deleteRole(definitions, { name: "nested", sourceUri: uri("home/agents/nested") }, never),
    )
    expect(refused).toEqual({
      reason: "definition_invalid",
      message: "home/agents/nested is a folder; remove it yourself",
    })
  })
})
