import { expect, test } from "vitest"
import { answerIn } from "../../src/session/hook-run.ts"
import { matches } from "../../src/session/hooks.ts"

test.each([
  [undefined, "read_file", true],
  ["", "read_file", true],
  ["read_file", "read_file", true],
  ["read_file", "read_many_files", false],
  ["bash", "run_shell_command", true],
  ["edit | write_file", "replace", true],
  ["edit|write_file", "glob", false],
  ["*", "anything", true],
  ["mcp__*", "mcp__files__read", true],
  ["mcp__*__read", "mcp__files__read", true],
  ["mcp__*_x_*__read", "mcp__files__read", false],
  ["read*file", "readfile", true],
  ["read*dfile", "readfile", false],
])("the matcher %j and the tool %s: %s", (matcher, tool, matched) => {
  expect(matches(matcher === undefined ? {} : { matcher }, tool)).toBe(matched)
})

test.each([
  ["", {}],
  ["\n", {}],
  ["some words", { context: "some words" }],
  ["{}", {}],
  ['{"decision":"allow"}', {}],
  ['{"decision":"deny","reason":"not on Fridays"}', { denied: "not on Fridays" }],
  ['{"decision":"deny","context":"more"}', { denied: "a hook said no", context: "more" }],
  ['{"context":"more"}', { context: "more" }],
  ['{"decision":"block"}', { failed: '"decision" must be "allow" or "deny", not "block"' }],
  ["{oops", { failed: "its answer is not JSON: {oops" }],
])("what a hook prints is read as its answer: %j", (output, answer) => {
  expect(answerIn(output)).toEqual(answer)
})
