import { expect, test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { CommandOutput } from "../../src/workspace/command-output.ts"
import { type CommandProgress, liveOutput } from "../../src/workspace/live-output.ts"
import { OutputFile } from "../../src/workspace/output-file.ts"
import { handClock } from "../support/clock.ts"

test("SH-13 JR-04 a flood of output is told in reports that are few and small", async () => {
  const clock = handClock()
  const output = new CommandOutput(new OutputFile(nodeRuntime().files, "/no/such/place", "log"))
  const reports: CommandProgress[] = []
  const live = liveOutput(output, (progress) => void reports.push(progress), clock)
  for (let at = 0; at < 100; at++) {
    const text = `${String(at).padStart(3)}${"é".repeat(995)}\n`.repeat(10)
    await output.add(text)
    live.add(text)
  }
  clock.pass(100)
  clock.pass(100)
  live.finish({ type: "exited", code: 0, signal: null, leftovers: false })
  expect(reports.map(({ end, printed }) => [end.length < 8_100, printed.length < 17_000])).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ])
  expect(reports[0]?.printed.slice(0, 5)).toBe("  0éé")
  expect(reports[1]?.printed.slice(0, 60)).toMatch(/^\r\n\[… \d+ characters are left out …\]/)
  expect(reports[2]).toEqual({ end: reports[1]?.end, printed: "", exit: { code: 0, signal: null } })
})
