import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandLine } from "../support/command-line.ts"
import { NODE } from "./servers.ts"

const SERVER = join(import.meta.dirname, "server.program.ts")

test("koda mcp adds servers to the user's settings, lists them without their keys, and removes them", async () => {
  const { run, home } = await commandLine()
  const path = join(home, "settings.json")
  const added = await run("mcp", "add", "s", "--env", "KEY=secret", "--trust", "--", NODE, SERVER, "--model", "x")
  expect(added).toMatchObject({ code: 0, err: [] })
  await run(
    "mcp",
    "add",
    "web",
    "https://mcp.example/mcp",
    "--header",
    "Authorization: Bearer secret",
    "--timeout",
    "5000",
  )
  const { mcpServers } = JSON.parse(await readFile(path, "utf8"))
  expect(mcpServers).toEqual({
    s: { command: NODE, args: [SERVER, "--model", "x"], trust: true, env: { KEY: "secret" } },
    web: { url: "https://mcp.example/mcp", timeout: 5000, headers: { Authorization: "Bearer secret" } },
  })
  const { out } = await run("mcp")
  expect(out.split("\n")).toEqual([
    `s    ${NODE} ${SERVER} --model x`,
    "web  https://mcp.example/mcp (http or sse)",
    "",
  ])
  expect(JSON.parse((await run("mcp", "list", "--json")).out)).toEqual({
    servers: [
      { name: "s", type: "stdio", command: NODE, args: [SERVER, "--model", "x"] },
      { name: "web", type: "http or sse", url: "https://mcp.example/mcp" },
    ],
  })
  await run("mcp", "add", "keyed", "https://me:secret@mcp.example/mcp?key=secret")
  expect((await run("mcp")).out).toContain("keyed  https://me:***@mcp.example/mcp?key=*** (http or sse)")
  expect((await run("mcp", "add", "s", "x")).code).toBe(1)
  expect((await run("mcp", "remove", "web")).code).toBe(0)
  expect(Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers)).toEqual(["s", "keyed"])
})

test("koda mcp test starts the servers and says how that went", async () => {
  const { run } = await commandLine()
  await run("mcp", "add", "s", "--", NODE, SERVER)
  await run("mcp", "add", "bad", "--", NODE, SERVER, "exits")
  const { code, out } = await run("mcp", "test", "--json")
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      servers: [
        { name: "s", status: "connected", tools: 3 },
        {
          name: "bad",
          status: "disconnected",
          error: "it ended with code 3. Its last words: starting\nno licence was found",
        },
      ],
      tools: ["mcp__s__echo", "mcp__s__fail", "mcp__s__slow"],
    },
  ])
  expect(await run("mcp", "test", "s")).toMatchObject({ code: 0 })
  expect(await run("mcp", "test", "none")).toMatchObject({ code: 1 })
})
