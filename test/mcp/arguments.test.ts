import { expect, test } from "vitest"
import { program, serversWith } from "./servers.ts"

test.each<[string, unknown, unknown]>([
  ["numbers and booleans as strings", { count: "3", sure: "True" }, { count: 3, sure: true }],
  ["JSON in a string", { names: '["a", "b"]', where: '{"line": "4"}' }, { names: ["a", "b"], where: { line: 4 } }],
  ["all of it in a string", '{"count": "3"}', { count: 3 }],
  ["a single item for a list", { names: "a" }, { names: ["a"] }],
  ["null for what is absent", { count: null, note: null }, {}],
  ["null where it is allowed", { hint: null, anything: null }, { hint: null, anything: null }],
  ["null within a reference", { where: { line: 1, mark: null } }, { where: { line: 1, mark: null } }],
  ["null of what the schema does not name", { count: 1, more: null }, { count: 1, more: null }],
  ["what has no type", { anything: '["5"]', ring: { count: "3" } }, { anything: '["5"]', ring: { count: "3" } }],
  ["what can't be put right, for the server to refuse", { count: "three" }, { count: "three" }],
  ["nothing", null, {}],
  ["no words", "", {}],
])("R-359 arguments of a server's tools are put right as those of ours: %s", async (_, written, meant) => {
  const { servers, until, call } = await serversWith([program("s", "takes")])
  servers.start()
  await until("s connected 1")
  const { content } = await call("mcp__s__given", written)
  expect(content.map((part) => part.type === "text" && JSON.parse(part.text))).toEqual([meant])
})

test("what is no object of arguments is not sent", async () => {
  const { servers, until, call } = await serversWith([program("s", "takes")])
  servers.start()
  await until("s connected 1")
  await expect(call("mcp__s__given", ["a"])).rejects.toThrow('mcp__s__given takes an object of arguments, not ["a"]')
})
