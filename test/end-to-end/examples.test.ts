import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

test("the example of a program that embeds the agent runs as the documentation says", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["docs/examples/embed.mjs"], { cwd: ROOT })
  expect(stdout).toMatch(/^→ Open issues with the label bug\n/)
  expect(stdout).toContain("#31 Say what a widget is")
  expect(stdout).toMatch(/\nThe turn ended: end_turn\n$/)
})
