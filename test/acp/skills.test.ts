import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Loose, type Workshop, workshop } from "../support/client.ts"
import { folderOf } from "../support/folder.ts"
import { says } from "../support/provider.ts"
import { calls, says as text } from "../support/replies.ts"

const skill = (name: string, description: string, body = `Do as ${name} says.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

function told({ provider }: Workshop, nth: number): { system: string; messages: Loose[]; tools: string[] } {
  const { messages, tools } = provider.asked[nth]!.body as Loose
  return {
    system: messages[0].content,
    messages: messages.slice(1),
    tools: tools.map(({ function: { name } }: Loose) => name),
  }
}

const SKILLS = {
  files: {
    ".koda/skills/release/SKILL.md": skill("release", "How to cut a release"),
    ".koda/skills/release/scripts/tag.sh": "git tag",
  },
  home: {
    "skills/review/SKILL.md": skill("review", "How to review"),
    "skills/release/SKILL.md": skill("release", "Other"),
  },
}

test("skills are told of by name and description, and read when one is activated", async () => {
  const place = await workshop(SKILLS)
  place.provider.script(calls({ name: "activate_skill", input: { name: "release" } }), says("done"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("release it") })
  const { system, tools } = told(place, 0)
  expect(system).toContain("- release: How to cut a release\n- review: How to review")
  expect(system).not.toContain("Do as release says")
  expect(tools).toContain("activate_skill")
  expect(told(place, 1).messages.at(-1).content).toBe(
    '<skill name="release">\nDo as release says.\n</skill>\n\n' +
      `Files that come with it, in ${place.cwd}/.koda/skills/release:\n- scripts/tag.sh`,
  )
  expect(client.updates("tool_call")[0]).toMatchObject({ title: "Use the skill release", kind: "think" })
})

test.each([
  [["review"], "- review: How to review"],
  [["review", "gone"], "- review: How to review"],
])("R-031 allowedSkills %j leaves only those", async (allowedSkills, line) => {
  const place = await workshop(SKILLS)
  place.provider.script(calls({ name: "activate_skill", input: { name: "release" } }), says("done"))
  const { client, sessionId } = await place.session({}, { allowedSkills })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(place, 0).system).toContain(line)
  expect(told(place, 0).system).not.toContain("How to cut")
  expect(told(place, 1).messages.at(-1).content).toContain('There is no skill "release". There are review.')
})

test("R-031 an empty allowedSkills leaves none, and no tool for them", async () => {
  const place = await workshop(SKILLS)
  place.provider.script(says("done"))
  const { client, sessionId } = await place.session({}, { allowedSkills: [] })
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(place, 0).system).not.toContain("Skills:")
  expect(told(place, 0).tools).not.toContain("activate_skill")
})

test("a skill whose header is no YAML is read as it is meant", async () => {
  const place = await workshop({
    files: { ".koda/skills/use/SKILL.md": skill("use", "Use when: tests fail\n  or CI does") },
  })
  place.provider.script(says("done"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(place, 0).system).toContain("- use: Use when: tests fail or CI does\n")
})

test("a broken skill is told of once, and the others can be used", async () => {
  const outside = await folderOf({ "SKILL.md": skill("stolen", "Outside") })
  const place = await workshop({
    files: {
      ".koda/skills/good/SKILL.md": skill("good", "Works"),
      ".koda/skills/bare/SKILL.md": "no header",
      ".koda/skills/mute/SKILL.md": "---\nname: mute\n---\nwords\n",
      ".koda/skills/yaml/SKILL.md": "---\nname: [\n---\nwords\n",
      ".koda/skills/out": { link: outside },
      ".koda/skills/none/README.md": "no skill",
    },
  })
  place.provider.script(says("done"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await client.request("session/prompt", { sessionId, prompt: text("go on") })
  expect(told(place, 1).system).toContain("- good: Works")
  expect(told(place, 1).system).not.toContain("stolen")
  const said = JSON.stringify(client.updates())
  for (const name of ["bare", "mute", "yaml", "out"])
    expect(said.split(`.koda/skills/${name}/SKILL.md`)).toHaveLength(2)
  expect(said).not.toContain("skills/none")
})

test("skills of plug-ins that the settings name are there, and a new one comes with the next prompt", async () => {
  const plugin = await folderOf({ "skills/lint/SKILL.md": skill("lint", "How to lint") })
  const place = await workshop({ settings: { plugins: [plugin] } })
  place.provider.script(says("done"))
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  await writeFile(join(plugin, "skills/lint/SKILL.md"), skill("lint", "How to lint well"))
  await client.request("session/prompt", { sessionId, prompt: text("go") })
  expect(told(place, 0).system).toContain("- lint: How to lint")
  expect(told(place, 1).system).toContain("- lint: How to lint well")
})

test("/skills shows them before anything was asked", async () => {
  const place = await workshop(SKILLS)
  const { client, sessionId } = await place.session()
  await client.request("session/prompt", { sessionId, prompt: text("/skills") })
  expect(
    client
      .updates("agent_message_chunk")
      .map(({ content }) => content.text)
      .join(""),
  ).toBe("There are these skills:\n\n- `release` How to cut a release\n- `review` How to review")
})
