import { readdir, readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { OWN_METHODS } from "../../src/acp/names.ts"
import { METHODS } from "../../src/acp/rest.ts"
import { parseArguments } from "../../src/cli/args.ts"
import { HELP } from "../../src/cli/help.ts"
import { readScenario } from "../../src/model/scenario-file.ts"
import { checkSettings } from "../../src/settings/check.ts"
import { SHAPES } from "../../src/settings/shape.ts"
import { parseJsonc } from "../../src/text/jsonc.ts"
import { VERSION } from "../../src/version.ts"

const ROOT = join(import.meta.dirname, "../..")
const pages = new Map<string, string>()

beforeAll(async () => {
  const docs = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)
  for (const path of ["README.md", "AGENTS.md", "CHANGELOG.md", ...docs]) pages.set(path, await text(path))
})

describe("what the documentation says", () => {
  test("every link leads to a file, and to a heading in it", async () => {
    const lost: string[] = []
    for (const [path, page] of pages) {
      for (const [, target = ""] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue
        const [file = "", anchor] = target.split("#")
        const place = file === "" ? path : join(dirname(path), file)
        const isThere = await stat(join(ROOT, place)).catch(() => undefined)
        const hasHeading =
          anchor === undefined ||
          headings(await text(place))
            .map(anchorOf)
            .includes(anchor)
        if (!isThere || !hasHeading) lost.push(`${path}: ${target}`)
      }
    }
    expect(lost).toEqual([])
  })

  test("every block of JSON is JSON", () => {
    const wrong: string[] = []
    for (const [path, page] of pages) {
      for (const block of blocks(page, "json")) if (!isJson(block)) wrong.push(`${path}: ${block}`)
      for (const block of blocks(page, "jsonc")) if (parseJsonc(block).fault) wrong.push(`${path}: ${block}`)
    }
    expect(wrong).toEqual([])
  })

  test("every scenario can be played", async () => {
    const examples = (await readdir(join(ROOT, "docs/examples"))).filter((name) => name.endsWith(".yaml"))
    const scenarios = [
      ...(await Promise.all(examples.map((name) => text(`docs/examples/${name}`)))),
      ...blocks(page("docs/embedding.md"), "yaml"),
    ]
    for (const scenario of scenarios) {
      const files = { readText: async () => scenario }
      await expect(readScenario(files, "scenario.yaml", new AbortController().signal)).resolves.toBeDefined()
    }
    expect(scenarios).toHaveLength(5)
  })

  test("the newest changes are those of this version", () => {
    expect(headings(page("CHANGELOG.md"))[1]).toBe(VERSION)
  })
})

describe("settings", () => {
  test("every setting has a heading with an example, and there is no other", () => {
    const keys = page("docs/settings.md").split("\n### ").slice(1)
    expect(keys.map((section) => section.split("\n")[0]).sort()).toEqual(Object.keys(SHAPES).sort())
    for (const section of keys) expect(blocks(section, "json")[0]).toContain(`"${section.split("\n")[0]}"`)
  })

  test("every example is a settings file without a fault, of settings that there are", () => {
    for (const block of blocks(page("docs/settings.md"), "json")) {
      const { said, problems } = checkSettings("settings.json", block)
      expect(problems.map(({ message }) => message)).toEqual([])
      expect(Object.keys(said)).toEqual(Object.keys(JSON.parse(block)))
    }
  })
})

test("every tool that is offered is named, and no other", async () => {
  const catalog = await text("src/tools/catalog.ts")
  const others = await text("src/session/subagents.ts")
  const files = [
    ...[...catalog.matchAll(/^import \{.*from "\.\/([\w-]+)\.ts"$/gm)].map(([, name]) => name),
    ...[...others.matchAll(/^import \{.*from "\.\.\/tools\/([\w-]+)\.ts"$/gm)].map(([, name]) => name),
  ]
  const sources = await Promise.all(files.map((name) => text(`src/tools/${name}.ts`)))
  const offered = sources.flatMap((source) => [...source.matchAll(/^ {4}name: "(\w+)"/gm)].map(([, name]) => name))
  const [, sentence = ""] = /^The tools are (.*?)\.$/ms.exec(page("docs/settings.md")) ?? []
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(offered.sort())
})

describe("the command line", () => {
  test("every option is in the table of options, and there is no other", async () => {
    const source = await text("src/cli/args.ts")
    const tables = /VALUE_OPTIONS = \{(.*?)^\}.*?FLAGS\b[^{]*\{(.*?)^\}/ms.exec(source)?.slice(1).join("") ?? ""
    const known = [...tables.matchAll(/^ {2}"?([\w-]+)"?:/gm)].map(([, name = ""]) => name)
    const rows = section("docs/settings.md", "Options").matchAll(/^\| (`.*?`) +\|/gm)
    const told = [...rows].flatMap(([, names = ""]) => [...names.matchAll(/`(-*[\w-]+)/g)].map(([, name]) => name))
    expect(told.sort()).toEqual(known.sort())
  })

  test("--help names every option but other words for the same", () => {
    const named = new Set(HELP.match(/(?<=[\s(])--?[a-z][\w-]*/g))
    const rows = [...section("docs/settings.md", "Options").matchAll(/^\| (`.*?`) +\|/gm)]
    const silent = rows.filter(([, names = ""]) => ![...named].some((name) => new RegExp(`\`${name}\\b`).test(names)))
    expect(silent.map(([, names]) => names)).toEqual(["`login`, `--login`", "`logout`"])
    expect(HELP).toMatch(/koda login .*koda logout /s)
  })

  test("every option that --help names is understood", () => {
    const options = [...HELP.matchAll(/^ {2}(--[\w-]+)(?:, -\w)? +([A-Z]{2,}|auto\S+)?/gm)]
    expect(options.map(([, option]) => option)).toContain("--dialect")
    for (const [, option = "", value = ""] of options) {
      const choice = value.includes("|") ? value.split("|")[0] : undefined
      const given =
        { MODE: option === "--mode" ? "ask" : "yolo", FORMAT: "json", LEVEL: "info" }[value] ?? choice ?? "x"
      expect(() => parseArguments(value === "" ? [option] : [option, given])).not.toThrow()
    }
  })
})

describe("the protocol", () => {
  const table = (heading: string) =>
    [...section("docs/protocol.md", heading).matchAll(/^\| (`[^|]*`) +\|([^|]*)\|/gm)].map(
      ([, names = "", whose = ""]) => ({
        names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
        whose: whose.trim(),
      }),
    )

  test("every method is in the table of methods, and there is no other", () => {
    const told = table("Methods").flatMap(({ names }) => names)
    const asked = told.filter((name) => /^(fs|terminal|elicitation)\/|request_permission$/.test(name))
    const offered = told.filter((name) => !asked.includes(name))
    expect(offered.sort()).toEqual(["$/cancel_request", "initialize", ...Object.keys(METHODS)].sort())
  })

  test("the methods of Koda's own are those that are also known by a prefix", () => {
    const own = table("Methods").filter(({ whose }) => whose === "Koda's")
    expect(own.flatMap(({ names }) => names).sort()).toEqual([...OWN_METHODS].sort())
  })

  test("every kind of update that is sent is in the table of updates, and there is no other", async () => {
    const sources = await Promise.all(
      (await readdir(join(ROOT, "src/acp"), { recursive: true })).filter(isSource).map(acp),
    )
    const sent = new Set(
      sources.flatMap((source) => [...source.matchAll(/sessionUpdate: "(\w+)"/g)].map(([, kind]) => kind)),
    )
    const told = table("Updates").flatMap(({ names }) => names)
    expect(told.sort()).toEqual([...sent].sort())
  })
})

const isSource = (name: string) => name.endsWith(".ts")
const acp = (name: string) => text(`src/acp/${name}`)

async function text(path: string): Promise<string> {
  return await readFile(join(ROOT, path), "utf8")
}

function page(path: string): string {
  return pages.get(path) ?? ""
}

function blocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, block = ""]) =>
    name === language ? [block] : [],
  )
}

/** A page without its blocks of code. */
function prose(page: string): string {
  return page.replaceAll(/^```.*?^```$/gms, "")
}

function headings(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading)
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s/g, "-")
}

function section(path: string, heading: string): string {
  const [, found = ""] = page(path).split(`\n## ${heading}\n`)
  return found.split("\n## ")[0] ?? ""
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
