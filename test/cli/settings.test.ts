import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { settingsSchema } from "../../src/settings/schema.ts"
import { SHAPES } from "../../src/settings/shape.ts"
import { commandLine } from "../support/command-line.ts"

test("koda settings shows those that hold here, keys masked, and what was left out", async () => {
  const { run } = await commandLine({
    files: { ".koda/settings.json": '{ "uiLanguage": "ru", "approvalMode": "yolo" }' },
    settings: { webSearch: { url: "http://127.0.0.1:8888", apiKey: "very-secret" }, maxTurnRequests: 7 },
  })
  const all = await run("settings", "--json")
  expect(JSON.parse(all.out)).toMatchObject({
    uiLanguage: "ru",
    approvalMode: "default",
    maxTurnRequests: 7,
    webSearch: { url: "http://127.0.0.1:8888", apiKey: "***" },
  })
  expect(all.err).toEqual(["This workspace is not trusted; left out: approvalMode. See `koda trust`"])
  expect((await run("settings", "get", "maxTurnRequests")).out).toBe("7\n")
  expect((await run("settings", "get", "webSearch.url")).out).toBe("http://127.0.0.1:8888\n")
  expect((await run("settings", "get", "webSearch.apiKey")).out).toBe("***\n")
})

test("koda settings set and unset change a file, and leave the rest of it as it is", async () => {
  const { run, home, cwd } = await commandLine()
  await writeFile(join(home, "settings.json"), '{\n  // mine\n  "model": "a",\n  "sandbox": { "enabled": true }\n}\n')
  expect((await run("settings", "set", "sandbox.network", "true")).out).toBe(
    `sandbox.network is true in ${home}/settings.json\n`,
  )
  await run("settings", "set", "model", "gpt-5")
  await run("settings", "set", "contextWindow.gpt-5.1", "1000")
  await run("settings", "set", "webSearch", '{"url":"http://127.0.0.1:1"}', "--workspace")
  expect(await readFile(join(home, "settings.json"), "utf8")).toContain("// mine")
  const { out } = await run("settings", "get", "--json")
  expect(JSON.parse(out)).toMatchObject({
    model: "gpt-5",
    sandbox: { enabled: true, network: true },
    contextWindow: { "gpt-5.1": 1000 },
  })
  expect(JSON.parse(await readFile(join(cwd, ".koda/settings.json"), "utf8"))).toEqual({
    webSearch: { url: "http://127.0.0.1:1" },
  })
  await run("settings", "unset", "sandbox.enabled")
  expect(await readFile(join(home, "settings.json"), "utf8")).not.toContain("enabled")
})

test.each([
  [["set", "aprovalMode", "yolo"], 'koda: There is no setting "aprovalMode"; did you mean "approvalMode"?'],
  [
    ["set", "approvalMode", "free"],
    'koda: "approvalMode" must be one of read_only, default, auto_edit, yolo, not "free"',
  ],
  [["set", "maxTurnRequests", "0"], expect.stringMatching(/^koda: "maxTurnRequests" must be 1 or more/)],
  [["set", "model"], "koda: `koda settings set` takes a key and a value"],
  [["change"], 'koda: There is no "koda settings change"; there are get, set, unset, path, schema'],
])("koda settings %j is refused, and nothing is written", async (words, why) => {
  const { run, home } = await commandLine()
  const before = await readFile(join(home, "settings.json"), "utf8")
  expect(await run("settings", ...words)).toMatchObject({ code: 2, err: [why, "Try `koda settings --help`"] })
  expect(await readFile(join(home, "settings.json"), "utf8")).toBe(before)
})

test("koda settings path says where they are", async () => {
  const { run, home, cwd } = await commandLine()
  expect((await run("settings", "path")).out).toBe(`${home}/settings.json\n${cwd}/.koda/settings.json\n`)
})

test("the schema that is published is the one that the settings have, with words for each key", async () => {
  const published = await readFile(join(import.meta.dirname, "../../docs/settings.schema.json"), "utf8")
  expect(JSON.parse(published)).toEqual(settingsSchema()) // `node build/settings-schema.ts` writes it anew
  const { properties } = JSON.parse(published)
  expect(Object.keys(properties)).toEqual(Object.keys(SHAPES))
  expect(properties.approvalMode).toEqual({
    description: "How freely the agent may act.",
    enum: ["read_only", "default", "auto_edit", "yolo"],
    type: "string",
  })
  const { run } = await commandLine()
  expect(JSON.parse((await run("settings", "schema")).out)).toEqual(JSON.parse(published))
})
