import { rm, writeFile } from "node:fs/promises"
import { describe, expect, test } from "vitest"
import { profilesText, rolesText } from "../../src/subagents/offered.ts"
import { placeOf, role, shown } from "./definition-place.ts"

describe("where definitions are found", () => {
  test("R-205 R-206 R-219 roles lie in the workspace and in Koda home, and the workspace's stands in for the other", async () => {
    const { definitions, uri } = await placeOf({
      "ws/.koda/agents/a.md": role("a", { description: "The workspace's" }),
      "home/agents/a.md": role("a", { description: "Koda home's" }),
      "home/agents/b.md": role("b", { header: "model: big\nreasoningEffort: low\ntools: [glob]" }),
    })
    expect((await definitions.refresh()).agents).toEqual([
      {
        name: "a",
        description: "The workspace's",
        model: null,
        reasoningEffort: null,
        tools: null,
        scope: "workspace",
        sourceUri: uri("ws/.koda/agents/a.md"),
        enabled: true,
      },
      {
        name: "b",
        description: "Is b.",
        model: "big",
        reasoningEffort: "low",
        tools: ["glob"],
        scope: "global",
        sourceUri: uri("home/agents/b.md"),
        enabled: true,
      },
    ])
  })

  test("R-220 a file of the workspace that can't be read keeps its name for itself", async () => {
    const { definitions, path } = await placeOf({
      "ws/.koda/agents/a.md": role("a", { header: "color: red" }),
      "home/agents/a.md": role("a"),
    })
    expect(shown(await definitions.refresh())).toEqual([
      'error: a (workspace): 4: there is no field "color"; a role has name, description, model, reasoningEffort, tools',
    ])
    await expect(definitions.roleFor("a")).rejects.toThrow(
      `The role "a" can't be used: ${path("ws/.koda/agents/a.md")}:4: there is no field "color"`,
    )
  })

  test("R-216 R-217 R-218 SA-06 what is too large, a link, a folder or no text is told of, and hides nothing else", async () => {
    const { definitions } = await placeOf({
      "ws/.koda/agents/big.md": role("big", { body: "x".repeat(64 * 1024) }),
      "ws/.koda/agents/bytes.md": new Uint8Array([0xff, 0xfe, 0x2d, 0x00]),
      "ws/.koda/agents/good.md": role("good"),
      "ws/.koda/agents/link.md": { link: "good.md" },
      "ws/.koda/agents/loop": { link: "." },
      "ws/.koda/agents/nested/in.md": role("in"),
      "ws/.koda/agents/folder.md/in.md": role("in"),
      "ws/.koda/agents/notes.txt": "mine",
      "ws/.koda/agents/.hidden.md": "mine",
      "ws/.koda/agents/UPPER.MD": role("UPPER"),
    })
    expect(shown(await definitions.refresh())).toEqual([
      "good (workspace)",
      'error: UPPER (workspace): 1: must end in ".md"; rename it',
      "error: big (workspace): 1: has 65,577 bytes, and may have 65,536",
      "error: bytes (workspace): 1: is not a text in UTF-8; save it as one",
      "error: folder (workspace): 1: is a folder; put its files one folder up",
      "error: link (workspace): 1: is a symbolic link; put the file itself here",
      "error: loop (workspace): 1: is a folder; put its files one folder up",
      "error: nested (workspace): 1: is a folder; put its files one folder up",
    ])
  })

  test("R-216 a file of 64 KiB is read", async () => {
    const empty = role("big", { body: "" }).length
    const { definitions } = await placeOf({
      "home/agents/big.md": role("big", { body: "x".repeat(64 * 1024 - empty) }),
    })
    expect(shown(await definitions.refresh())).toEqual(["big (global)"])
  })

  test("R-349 R-350 R-351 R-354 profiles lie in the project, at the user's and in plug-ins", async () => {
    const { definitions, uri } = await placeOf(
      {
        "ws/.kodik/agents/x.md": "---\nname: x\ndescription: Does x.\nmodel: big\ncolor: blue\ntools: [a]\n---\ndo",
        "ws/.kodik/agents/sub/y.md": "not looked for",
        "user/.kodik/Agents/x.md": "do",
        "user/.kodik/plugins/one/plugin.json": '{"id": "acme", "name": "Acme"}',
        "user/.kodik/plugins/one/agents/x.md": "do",
        "user/.kodik/plugins/two/plugin.json": '{"name": "second"}',
        "user/.kodik/plugins/two/agents/x.md": "do",
        "user/.kodik/plugins/three/agents/x.md": "do",
        "user/mine/plugin.json": '{"id": "user"}',
        "user/mine/agents/x.md": "do",
      },
      { settings: { plugins: ["~/mine"] } },
    )
    const found = await definitions.refresh()
    expect(found.agents[0]).toEqual({
      name: "project:x",
      description: "Does x.",
      model: "big",
      reasoningEffort: null,
      tools: null,
      scope: "project",
      sourceUri: uri("ws/.kodik/agents/x.md"),
      enabled: true,
      color: "blue",
    })
    expect(shown(found)).toEqual([
      "project:x (project)",
      "user:x (user)",
      "mine:x (plugin)",
      "acme:x (plugin)",
      "three:x (plugin)",
      "second:x (plugin)",
    ])
  })

  test.skipIf(process.platform !== "linux")("R-350 the user's folder may be written with a small letter", async () => {
    const { definitions } = await placeOf({
      "user/.kodik/Agents/x.md": "do",
      "user/.kodik/agents/y.md": "do",
      "user/.kodik/agents/x.md": "another",
    })
    expect(shown(await definitions.refresh())).toEqual([
      "user:x (user)",
      "user:y (user)",
      expect.stringMatching(/^error: x \(user\): 1: "user:x" is there already/),
    ])
  })

  test("a profile of the project may not lead out of it; the user's may lead anywhere", async () => {
    const { definitions } = await placeOf({
      "user/secret": "my key",
      "ws/.kodik/agents/out.md": { link: "../../../user/secret" },
      "ws/.kodik/agents/in.md": { link: "../in.md" },
      "ws/.kodik/in.md": "do",
      "user/.kodik/Agents/far.md": { link: "../../dotfiles/far.md" },
      "user/.kodik/Agents/gone.md": { link: "nowhere" },
      "user/dotfiles/far.md": "do",
    })
    expect(shown(await definitions.refresh())).toEqual([
      "project:in (project)",
      "user:far (user)",
      "error: out (project): 1: is a symbolic link that leads out of the project",
      "error: gone (user): 1: is a symbolic link that leads nowhere",
    ])
  })

  test("a folder of roles or profiles that leads out of the project is not read; one of Koda home may", async () => {
    const { definitions } = await placeOf({
      "user/notes/n.md": role("n"),
      "ws/.kodik/agents": { link: "../../user/notes" },
      "ws/.koda": { link: "../user/koda" },
      "user/koda/agents/k.md": role("k"),
      "home/agents": { link: "../user/notes" },
    })
    expect(shown(await definitions.refresh())).toEqual([
      "n (global)",
      "error:  (workspace): 1: is a symbolic link that leads out of the project",
      "error:  (project): 1: is a symbolic link that leads out of the project",
    ])
  })
})

describe("whom a call may name", () => {
  test("R-222 R-226 a role is given whole, as plain data", async () => {
    const { definitions } = await placeOf({ "home/agents/a.md": role("a", { header: "tools: [grep]" }) })
    const given = await definitions.roleFor("a")
    expect(JSON.parse(JSON.stringify(given))).toEqual({
      name: "a",
      description: "Is a.",
      model: null,
      reasoningEffort: null,
      tools: ["search_file_content"],
      prompt: "You are a.",
    })
  })

  test("R-227 it is the role as its file is now", async () => {
    const { definitions, path } = await placeOf({ "home/agents/a.md": role("a") })
    await definitions.roleFor("a")
    await writeFile(path("home/agents/a.md"), role("a", { body: "Another." }))
    expect((await definitions.roleFor("a")).prompt).toBe("Another.")
  })

  test("R-223 R-224 R-225 one that is unknown, switched off or without its model is refused", async () => {
    const { definitions } = await placeOf(
      {
        "home/agents/a.md": role("a"),
        "home/agents/off.md": role("off"),
        "home/agents/big.md": role("big", { header: "model: big" }),
        "home/agents/gone.md": role("gone", { header: "model: gone" }),
      },
      { settings: { subagents: { disabledAgentNames: ["off"] } }, models: ["big"] },
    )
    expect((await definitions.roleFor("big")).model).toBe("big")
    await expect(definitions.roleFor("x")).rejects.toThrow('There is no role "x"; there are a, big, gone')
    await expect(definitions.roleFor("off")).rejects.toThrow(`The role "off" is switched off in the user's settings`)
    await expect(definitions.roleFor("gone")).rejects.toThrow(
      'The role "gone" works with the model "gone", which is not available',
    )
  })

  test("where there are no roles, the call is told to name none", async () => {
    const { definitions } = await placeOf({})
    await expect(definitions.roleFor("x")).rejects.toThrow('There is no role "x"; there are none; leave `agent` out')
  })

  test("SA-06 a role of whose tools there are none, or the settings leave none, is refused", async () => {
    const { definitions } = await placeOf(
      { "home/agents/a.md": role("a", { header: "tools: [glob]" }) },
      { settings: { subagents: { tools: ["read_file"] } } },
    )
    await expect(definitions.roleFor("a")).rejects.toThrow('Of the tools of the role "a" there are none here (glob)')
    await definitions.settings.set({ tools: ["glob"] })
    expect((await definitions.roleFor("a")).tools).toEqual(["glob"])
    await expect(definitions.roleFor("a", ["read_file"])).rejects.toThrow("there are none here (glob)")
  })

  test("R-355 a profile is called by its id; a bare name is the project's, else the user's, else a plug-in's", async () => {
    const { definitions, path } = await placeOf({
      "ws/.kodik/agents/x.md": "project's",
      "user/.kodik/Agents/x.md": "user's",
      "user/.kodik/plugins/acme/agents/x.md": "plug-in's",
    })
    const prompt = async (id: string) => (await definitions.profileFor(id)).prompt
    expect([await prompt("x"), await prompt("user:x"), await prompt("acme:x")]).toEqual([
      "project's",
      "user's",
      "plug-in's",
    ])
    await rm(path("ws/.kodik/agents/x.md"))
    expect(await prompt("x")).toBe("user's")
    await rm(path("user/.kodik/Agents/x.md"))
    expect(await prompt("x")).toBe("plug-in's")
    await expect(prompt("project:x")).rejects.toThrow(
      'There is no profile "project:x"; there are research, implement, acme:x',
    )
  })

  test("R-305 nothing in a repository passes for a built-in profile", async () => {
    const { definitions } = await placeOf({ "ws/.kodik/agents/research.md": "do evil" })
    expect((await definitions.profileFor("research")).origin).toBe("builtin")
    expect((await definitions.profileFor("project:research")).prompt).toBe("do evil")
  })

  test("a profile that can't be read or is switched off says so", async () => {
    const { definitions } = await placeOf(
      { "ws/.kodik/agents/x.md": "---\nname: x\n---\n", "ws/.kodik/agents/y.md": "do" },
      { settings: { subagents: { disabledAgentNames: ["project:y"] } } },
    )
    await expect(definitions.profileFor("project:x")).rejects.toThrow("x.md:4: there are no instructions")
    await expect(definitions.profileFor("y")).rejects.toThrow('The profile "y" is switched off')
  })
})

describe("what the model is told", () => {
  test("R-221 R-229 of roles: the enabled ones, each in a line", async () => {
    const { definitions } = await placeOf(
      {
        "home/agents/a.md": role("a", { description: '"One\\n two: three"' }),
        "home/agents/b.md": role("b", { description: "x".repeat(500) }),
        "home/agents/off.md": role("off"),
        "home/agents/bad.md": "bad",
      },
      { settings: { subagents: { disabledAgentNames: ["off"] } } },
    )
    expect(rolesText(await definitions.refresh())).toBe(
      `Roles for \`run_subagent\` (its parameter \`agent\`):\n- a: One two: three\n- b: ${"x".repeat(239)}…`,
    )
  })

  test("of no roles: nothing", async () => {
    const { definitions } = await placeOf({})
    expect(rolesText(await definitions.refresh())).toBe("")
  })

  test("R-352 of profiles: the built-in and the enabled ones by their ids", async () => {
    const { definitions } = await placeOf(
      {
        "ws/.kodik/agents/x.md": "---\ndescription: Does x.\n---\ndo",
        "user/.kodik/Agents/y.md": "do",
        "user/.kodik/Agents/z.md": "do",
      },
      { settings: { subagents: { disabledAgentNames: ["user:z"] } } },
    )
    const lines = profilesText(await definitions.refresh()).split("\n")
    expect(lines.map((line) => line.replace(/^(- (research|implement)): .*/, "$1"))).toEqual([
      "Profiles for `sub_agent` (its parameter `agent`, the whole id):",
      "- research",
      "- implement",
      "- project:x: Does x.",
      "- user:y",
    ])
  })

  test("the text is the same as long as nothing changes", async () => {
    const { definitions } = await placeOf({ "home/agents/a.md": role("a") })
    const before = await definitions.refresh()
    expect(await definitions.refresh()).toBe(before)
  })
})
