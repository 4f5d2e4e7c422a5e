import { expect, test } from "vitest"
import { fromClient, fromSettings } from "../../src/mcp/config.ts"

test("MC-03 every shape of an entry means the same", () => {
  const reach = { type: "http", url: "https://a.example/mcp", headers: { A: "1" } }
  const url = "https://a.example/mcp"
  const entries = [
    { type: "http", url, headers: [{ name: "A", value: "1" }] },
    { type: "streamable-http", url, headers: { A: 1 } },
    { type: "HTTP", url, headers: { A: "1" } },
    { httpUrl: url, headers: { A: "1" } },
  ].map((entry, at) => ({ name: `s${at}`, ...entry }))
  const { servers, wrong } = fromClient(entries)
  expect(servers.map(({ reach }) => reach)).toEqual([reach, reach, reach, reach])
  expect(wrong).toEqual([])
})

const variable = (name: string) => `$\{${name}}`

test("MC-11 the user's own settings may name variables, and nobody else's words can reach them", () => {
  const entry = {
    url: `https://a.example/${variable("WHERE:-mcp")}`,
    headers: { Authorization: `Bearer ${variable("TOKEN")}` },
  }
  expect(fromSettings("s", { ...entry }, { env: { TOKEN: "t" } })).toMatchObject({
    reach: { headers: { Authorization: "Bearer t" } },
  })
  expect(fromSettings("s", entry, { env: {} })).toBe("The environment has no TOKEN")
  expect(fromSettings("s", entry, { env: undefined })).toMatchObject({
    reach: { headers: { Authorization: `Bearer ${variable("TOKEN")}` } },
  })
  expect(fromClient([{ name: "s", ...entry }]).servers[0]?.reach).toMatchObject({
    headers: { Authorization: `Bearer ${variable("TOKEN")}` },
  })
})

test("settings say what is trusted, how long a call may take, which tools there are, and that a server is off", () => {
  const more = { trust: true, timeout: 5, includeTools: ["a"], excludeTools: ["b"] }
  expect(fromSettings("s", { command: "x", ...more }, { env: {} })).toEqual({
    name: "s",
    reach: { type: "stdio", command: "x", args: [], env: {} },
    trusted: true,
    timeoutMs: 5,
    includeTools: ["a"],
    excludeTools: ["b"],
  })
  expect(fromSettings("s", { command: "x", disabled: true }, { env: {} })).toBeUndefined()
  expect(fromClient([{ name: "s", command: "x", trust: true }]).servers[0]?.trusted).toBe(false)
})
