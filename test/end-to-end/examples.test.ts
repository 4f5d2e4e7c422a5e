import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

test("the example of a program that embeds the agent runs as the documentation says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["docs/examples/embed.mjs"], { cwd: ROOT })
  expect(stdout).toMatch(/^→ Open issues with the label bug\n/)
  expect(stdout).toContain("#31 Say what a widget is")
  expect(stdout).toMatch(/\nThe turn ended: end_turn\n$/)
})

test("the example of a program with a model of its own runs as the documentation says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["docs/examples/own-model.mjs", "docs"], { cwd: ROOT })
  expect(stdout).toMatch(
    /^It holds \d+ things\.\nWhat is here\? -> end_turn\n\nNow fail -> The butler has the day off\.\n$/,
  )
})

test("the example of an editor's side runs as the documentation says", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["docs/examples/host.mjs"], { cwd: ROOT })
  inOrder(stdout.split("\n"), [
    "menu Model: koda-offline [koda-scenario]",
    "plan: Look around (completed), Change a file (in_progress), Say goodbye (pending)",
    "Create koda-was-here.txt? [Allow all edits in this session] [Allow] [Reject] -> Allow",
    "  in terminal-1: Hello from a scenario.",
    "`cat koda-was-here.txt`: completed",
    "koda ended with 0",
  ])
  expect(stderr).toBe("")
})

describe("the examples of subagents run as the documentation says", () => {
  test("two in parallel, for whom the model waits, and one in the background", async () => {
    const shown = await watch("two-subagents")
    inOrder(shown, [
      'turn: waiting for "Where totals are summed" and "What the tests cover"',
      "task: Where totals are summed: completed",
      "turn: resumed",
      "task: What the tests cover: its report is read by the model",
      "Totals are summed in totals.js, and an empty list is not tested.",
      "turn: ended with end_turn",
      'turn: started for "Look whether an empty list is summed right"',
      "An empty list is summed to 0, as it should be.",
      "turn: finished",
      "reports delivered: 3",
    ])
    expect(shown).toContain("task: What the tests cover: Find **/*.test.js, completed")
  })

  test("a change that is handed over, of which the client approves one edit and refuses another", async () => {
    inOrder(await watch("delegation"), [
      "question: implement: Edit totals.js -> Allow",
      "question: implement: Edit notes.md -> Reject",
      "`total` refuses what is no list now. You did not want the notes to be changed, so they are as they were.",
      "turn: ended with end_turn",
      '  if (!Array.isArray(prices)) throw new TypeError("prices must be a list")',
      "notes.md:",
      "# Notes",
      "",
    ])
  })

  test("three researchers in the background, whose reports come one by one", async () => {
    inOrder(await watch("researchers"), [
      "turn: ended with end_turn",
      'turn: started for "Look at the code"',
      "The first: the code has one function.",
      'turn: started for "Look at the tests"',
      "The second: there is one test.",
      'turn: started for "Look at the notes"',
      "The third: the notes are empty. That was all of them.",
      "turn: finished",
      "reports delivered: 3",
    ])
  })
})

async function watch(scenario: string): Promise<string[]> {
  const program = ["docs/examples/watch-subagents.mjs", scenario]
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT })
  return stdout.split("\n")
}

/** Each of these lines is there, after the one before it. */
function inOrder(shown: readonly string[], lines: readonly string[]): void {
  let at = -1
  const found = lines.filter((line) => {
    const next = shown.indexOf(line, at + 1)
    if (next >= 0) at = next
    return next >= 0
  })
  expect(found, shown.join("\n")).toEqual(lines)
}
