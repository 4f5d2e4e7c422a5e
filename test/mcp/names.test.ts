import { assert, property, string, tuple, uniqueArray } from "fast-check"
import { expect, test } from "vitest"
import { toolName, toolNames } from "../../src/mcp/names.ts"

test("MC-05 a name that every model takes is left as it is", () => {
  expect(toolName("git-hub", "create_issue")).toBe("mcp__git-hub__create_issue")
})

test("MC-05 other names are made fit, each in its own way and always the same", () => {
  const names = [
    ["s", "a.b/c"],
    ["s", "a.b_c"],
    ["s", "a_b/c"],
    ["s", ""],
    ["", "t"],
    ["сервер", "поиск"],
    ["a__b", "c"],
    ["a", "b__c"],
    ["s", "x".repeat(80)],
    ["s", `${"x".repeat(79)}y`],
  ].map(([server, tool]) => toolName(server as string, tool as string))
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/)
  expect(toolName("s", "a.b/c")).toBe("mcp__s__a_b_c_0b3f450339bd")
})

test("MC-05 whatever servers call their tools, no two names are the same", async () => {
  const tools = uniqueArray(tuple(string({ maxLength: 5 }), string({ maxLength: 90 })), {
    selector: ([server, tool]) => JSON.stringify([server, tool]),
  })
  await assert(
    property(tools, (all) => {
      const names = toolNames(all.map(([server, tool]) => ({ server, tool })))
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    }),
  )
})
