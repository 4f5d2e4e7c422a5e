import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { HELP } from "../../src/cli/help.ts"
import { VERSION } from "../../src/version.ts"
import { commandLine } from "../support/command-line.ts"
import { refuses, startProvider } from "../support/provider.ts"

test("--version and --help print and end", async () => {
  const { run } = await commandLine()
  expect(await run("--version")).toEqual({ code: 0, out: `${VERSION}\n`, err: [] })
  expect(await run("--acp", "--help")).toEqual({ code: 0, out: `${HELP}\n`, err: [] })
})

test("without a command it says what there is to do", async () => {
  const { run } = await commandLine()
  const { code, out, err } = await run()
  expect([code, out, err[0]]).toEqual([2, "", expect.stringContaining("koda --acp")])
})

describe("koda login", () => {
  test("keeps the key that the pipe brings for the user alone to read, and logout forgets it", async () => {
    const { run, home, provider } = await commandLine({ input: "gateway-key-42\n" })
    provider.script({
      headers: { "content-type": "application/json" },
      steps: [JSON.stringify({ data: [{ id: "m" }] })],
    })
    const path = join(home, "credentials.json")

    const kept = `The key is kept in ${path}`
    const address = "Set KODA_BASE_URL to the gateway's address where koda runs"
    expect(await run("login")).toEqual({ code: 0, out: "", err: [kept, address] })
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ apiKey: "gateway-key-42" })
    await writeFile(path, JSON.stringify({ baseUrl: provider.url }))
    expect(await run("login")).toEqual({
      code: 0,
      out: "",
      err: [kept, `${provider.url} takes it, and has one model`],
    })
    expect(provider.asked[0]!.headers["authorization"]).toBe("Bearer gateway-key-42")
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ apiKey: "gateway-key-42", baseUrl: provider.url })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await run("logout")).err).toEqual(["The key is forgotten"])
    expect((await run("logout")).err).toEqual(["There was no key"])
  })

  test("says that the gateway refuses the key, or that another one comes before it", async () => {
    const provider = await startProvider()
    onTestFinished(() => provider.close())
    provider.script(refuses(401, "no"))
    const env = { KODA_BASE_URL: provider.url, KODA_API_KEY: "gateway-key-1" }
    const { run } = await commandLine({ input: "gateway-key-42\n", env })
    const { code, err } = await run("login")
    expect([code, err.slice(1)]).toEqual([
      1,
      ["KODA_API_KEY is set, and comes before it", `No models came from ${provider.url}: it refuses the key (401)`],
    ])
  })

  test("without a key changes nothing", async () => {
    const { run, home } = await commandLine({ input: "\n" })
    expect(await run("--acp", "--login")).toMatchObject({
      code: 1,
      out: "",
      err: ["koda: No key was given; nothing has changed"],
    })
    expect(await stat(join(home, "credentials.json")).catch(() => "nothing")).toBe("nothing")
  })
})

describe("koda --acp", () => {
  const HELLO = { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } }

  test("R-001…R-007 R-014 answers on standard output, one message on a line and nothing else, until its input ends", async () => {
    const { talk } = await commandLine()
    const { code, out, err } = await talk([HELLO, { id: "2", method: "nobody/knows" }], "--acp")
    const lines = out.split("\n")
    expect(lines.pop()).toBe("")
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } },
      { jsonrpc: "2.0", id: "2", error: { code: -32601 } },
    ])
    expect([code, err]).toEqual([0, []])
  })

  test("tells a person who starts it in a terminal what it waits for", async () => {
    const { run } = await commandLine()
    const { code, out, err } = await run("--acp")
    expect([code, out]).toEqual([0, ""])
    expect(err).toEqual([
      expect.stringMatching(/^koda: this waits for an editor's messages on standard input; .*`koda -p/),
    ])
  })

  test("--traffic-log keeps each message with its time and direction, and no secret", async () => {
    const model = { modelId: "mine", baseUrl: "http://a.example/v1", apiKey: "sk-custom-key-1" }
    const { talk, cwd } = await commandLine()
    const added = { id: 2, method: "koda/custom_models/upsert", params: model }
    await talk([HELLO, added, { id: 3, method: "sk-0123456789" }], "--acp", "--traffic-log", "wire.jsonl")

    const text = await readFile(join(cwd, "wire.jsonl"), "utf8")
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(text).not.toMatch(/sk-custom-key-1|sk-0123456789/)
    expect(rows.map(({ at, direction, message }) => [Number.isNaN(Date.parse(at)), direction, message.id])).toEqual(
      expect.arrayContaining([
        [false, "in", 1],
        [false, "out", 1],
        [false, "in", 2],
        [false, "out", 2],
      ]),
    )
    expect(rows.find(({ direction, message }) => direction === "in" && message.id === 2).message.params).toEqual({
      ...model,
      apiKey: "***",
    })
    expect((await stat(join(cwd, "wire.jsonl"))).mode & 0o777).toBe(0o600)
  })

  test("a traffic log that can't be written stops nothing", async () => {
    const { talk } = await commandLine({ files: { taken: "" } })
    const { code, out, err } = await talk([HELLO], "--acp", "--traffic-log", "taken/wire.jsonl")
    expect([code, JSON.parse(out).id]).toEqual([0, 1])
    expect(err).toEqual([expect.stringContaining("can't be written")])
  })

  test("R-129 starts with the policy and the mode of the command line", async () => {
    const { talk, cwd } = await commandLine()
    const open = { id: 2, method: "session/new", params: { cwd, mcpServers: [] } }
    const { out } = await talk(
      [HELLO, open],
      "--acp",
      "--approval-mode",
      "read_only",
      "--mode=plan",
      "--dialect",
      "standard",
    )
    const { result } = out
      .split("\n")
      .map((line) => line && JSON.parse(line))
      .find(({ id }) => id === 2)
    const values = result.configOptions.map(({ id, currentValue }: Record<string, string>) => [id, currentValue])
    expect(values).toEqual([
      ["models", "m"],
      ["access_policy", "read_only"],
      ["mode", "plan"],
    ])
    expect("models" in result).toBe(false)
  })
})

test.each([[["mcp", "--help"]], [["help", "mcp"]]])("koda %j tells of that command alone", async (words) => {
  const { run } = await commandLine()
  const { code, out, err } = await run(...words)
  const lines = out.split("\n")
  expect([code, err]).toEqual([0, []])
  expect(lines[0]).toBe("  koda mcp              list the MCP servers of the settings; also")
  expect(lines.slice(-3)).toEqual(["", "`koda --help` tells of all commands, options and variables", ""])
  expect(HELP).toContain(lines.slice(0, -3).join("\n"))
})
