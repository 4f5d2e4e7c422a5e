import { expect, test } from "vitest"
import { clientOf } from "../../src/acp/client.ts"
import { updatesOf } from "../../src/acp/updates.ts"
import type { Display, ResultStatus } from "../../src/agent/message.ts"

const CLIENT = clientOf(
  {
    protocolVersion: 1,
    clientInfo: { name: "shows-terminals" },
    clientCapabilities: { _meta: { terminal_output: true } },
  },
  "standard",
)
const TERMINAL = { type: "terminal", terminalId: "call-1" }
const text = (text: string) => ({ type: "text" as const, text })

function endOf(status: ResultStatus, said: string, display: readonly Display[]) {
  const shown = { title: "`make`", kind: "execute" as const, locations: [], display }
  const result = {
    role: "result" as const,
    id: "call-1",
    name: "run_shell_command",
    status,
    content: [text(said)],
    shown,
  }
  return updatesOf({ type: "call_ended", result }, CLIENT)[0]?.["content"]
}

test("SH-13 what a command printed stands in the client's terminal, and is not said twice", () => {
  expect(endOf("ok", "done\nexit code 0", [text("```\ndone\n```\nexit code 0")])).toEqual([TERMINAL])
  expect(endOf("failed", "no rule\nexit code 2", [text("```\nno rule\n```\nexit code 2")])).toEqual([TERMINAL])
})

test("what kept a command from running is said, since no terminal shows it", () => {
  const refused = "make is not allowed here."
  expect(endOf("denied", refused, [text("```sh\nmake\n```"), text(refused)])).toEqual([
    TERMINAL,
    { type: "content", content: text(refused) },
  ])
})
