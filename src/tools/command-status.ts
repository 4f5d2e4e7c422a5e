import * as v from "valibot"
import { type Outcome, type Tool, textOutcome } from "../agent/tool.ts"
import { inlineCode } from "../text/fence.ts"
import type { Commands, News } from "../workspace/commands.ts"
import { endingWords } from "../workspace/execution.ts"
import { defineTool } from "./define.ts"

/** Longer than this a model should not sleep without looking. */
const LONGEST_WAIT_MS = 60_000

/** Reads, waits for and stops the commands that run in the background. */
export const commandStatus = (commands: Commands): Tool =>
  defineTool({
    name: "command_status",
    kind: "read",
    description:
      "Reads what a background command has printed since it was read last, and whether it still runs. `wait_ms` (at most 60000) " +
      "waits for new output or the end; `stop` kills it. Without `command_id`, lists the background commands.",
    input: v.object({
      command_id: v.optional(v.string()),
      wait_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
      stop: v.optional(v.boolean()),
    }),
    spellings: {
      id: "command_id",
      bash_id: "command_id",
      shell_id: "command_id",
      wait: "wait_ms",
      timeout: "wait_ms",
      kill: "stop",
    },
    prepare({ command_id: id, wait_ms = 0, stop }) {
      const known = commands.list().find((one) => one.id === id)
      const what = known ? inlineCode(known.command.split("\n", 1)[0] ?? "") : "background commands"
      return {
        title: stop ? `Stop ${what}` : `Check ${what}`,
        reach: { type: "nothing" },
        async run({ signal }) {
          if (id === undefined) return textOutcome(listOf(commands))
          const wait = Math.min(wait_ms, LONGEST_WAIT_MS)
          return told(stop ? await commands.stop(id) : await commands.read(id, wait, signal))
        },
      }
    },
  })

function told({ id, text, ending }: News): Outcome {
  const state = `${id} ${ending ? `has ended: ${endingWords(ending)}` : "is running"}`
  const nothing = text.trim() === ""
  return textOutcome(nothing ? `(no new output)\n${state}` : `${text}${text.endsWith("\n") ? "" : "\n"}${state}`)
}

function listOf(commands: Commands): string {
  const lines = commands
    .list()
    .map(({ id, command, ending }) => `${id}: ${command}\n  ${ending ? `ended: ${endingWords(ending)}` : "running"}`)
  return lines.length > 0 ? lines.join("\n") : "No command was started in the background."
}
