import { expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"

const LIST = {
  headers: { "content-type": "application/json" },
  steps: [JSON.stringify({ data: [{ id: "m", contextWindow: 1000 }, { id: "n" }] })],
}

test("koda doctor says that all is there, and never a key", async () => {
  const { run, provider, home } = await commandLine()
  provider.script(LIST)
  const { code, out } = await run("doctor")
  expect(code).toBe(0)
  expect(out).toContain(`ok   settings: ${home}/settings.json\n`)
  expect(out).toContain(`ok   model server ${new URL(provider.url).host}: answers\n`)
  expect(out).toContain("ok   model: m\n")
  expect(out).toContain("note gateway: none is set (KODA_BASE_URL)\n")
  expect(out).toContain(`ok   Koda home: ${home} can be written\n`)
  expect(out).not.toContain("sk-0123456789")
})

test("koda doctor fails where something is wrong, and says how to mend it", async () => {
  const { run, provider, home } = await commandLine({
    settings: { maxTurnRequests: 0, sandbox: true, mcpServers: { gone: { command: "/no/such/server" } } },
    env: { PATH: "/nowhere", KODA_BASE_URL: "http://127.0.0.1:9/" },
  })
  provider.script({ status: 401, headers: { "content-type": "application/json" }, steps: ["{}"] })
  const { code, out } = await run("doctor", "--json")
  const findings = JSON.parse(out).findings as { what: string; state: string; words: string; mend?: string }[]
  const wrong = findings.filter(({ state }) => state === "wrong").map(({ what }) => what)
  expect(code).toBe(1)
  expect(wrong).toEqual(expect.arrayContaining(["settings", "gateway", "MCP server gone", "sandbox"]))
  expect(findings.find(({ what }) => what === "settings")?.words).toContain(
    `${home}/settings.json:1: "maxTurnRequests"`,
  )
  expect(findings.find(({ what }) => what === "gateway")).toMatchObject({ words: "there is no key" })
  expect(findings.find(({ what }) => what === "git")).toMatchObject({ state: "note", words: "is not found" })
})

test("koda doctor says why no models came, and what in the settings is no setting", async () => {
  const { run, home } = await commandLine({
    settings: { modle: "x", model: "gone", permissions: { allow: ["frobnicate(x)"] }, coreTools: [] },
    env: { KODA_BASE_URL: "http://127.0.0.1:9/", KODA_API_KEY: "koda-key-1234", OPENAI_BASE_URL: "http://127.0.0.1:9" },
  })
  const findings = JSON.parse((await run("doctor", "--json")).out).findings as { what: string; words: string }[]
  const told = (what: string) => findings.filter((one) => one.what === what).map(({ words }) => words)
  expect(told("gateway")).toEqual([expect.stringMatching(/^No models came from http:.*:9\/v1: connection refused;/)])
  expect(told("model server 127.0.0.1:9")).toEqual([expect.stringMatching(/^connection refused;/)])
  expect(told("settings")).toEqual([
    'There is no model "gone"; this session uses m',
    expect.stringMatching(/^permissions.allow: "frobnicate\(x\)" is no rule that we know/),
    `${home}/settings.json:1: there is no setting "modle"; did you mean "model"?`,
  ])
})

test("koda models lists them, with a mark at the one that is used", async () => {
  const { run, provider } = await commandLine()
  provider.script(LIST)
  const { code, out } = await run("models")
  expect(code).toBe(0)
  expect(out).toMatch(/^\* m {2}environment/m)
  expect(out).toMatch(/^ {2}koda-offline {2}built-in/m)
  const { models } = JSON.parse((await run("models", "--json")).out)
  expect(models.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toMatchObject([{ modelId: "m" }])
})

test.each([
  [["doctor", "now"], 'koda: `koda doctor` takes nothing but --json, not "now"'],
  [["models", "add"], 'koda: `koda models` lists them, and knows no "add"'],
])("koda %j is refused", async (words, why) => {
  const { run } = await commandLine()
  expect(await run(...words)).toEqual({ code: 2, out: "", err: [why, `Try \`koda ${words[0]} --help\``] })
})
