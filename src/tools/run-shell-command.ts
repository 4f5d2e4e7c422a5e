import * as v from "valibot"
import { type Display, textContent } from "../agent/message.ts"
import type { CallContext, Outcome, Tool } from "../agent/tool.ts"
import { fenced, inlineCode } from "../text/fence.ts"
import { visibleLines } from "../text/visible.ts"
import type { Commands, News } from "../workspace/commands.ts"
import { endingWords, type ShellCommand, succeeded, withEnding } from "../workspace/execution.ts"
import type { CommandProgress } from "../workspace/live-output.ts"
import { resolvePath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"

/** Long enough for a build or a test run that is not unusual. */
const TIMEOUT_MS = 120_000
const LONGEST_MS = 600_000

/** Characters of a command that fit in a title. */
const TITLE = 160

/**
 * Runs shell commands. `repositories` tells where git works for those that only read, and nothing for others: they run
 * without a question, and so git must start nothing of a repository's own choice for them.
 */
export const runShellCommand = (
  commands: Commands,
  workspace: Pick<Workspace, "cwd" | "home" | "files">,
  repositories: (command: string, folder: string) => Promise<readonly string[] | undefined>,
): Tool =>
  defineTool({
    name: "run_shell_command",
    kind: "execute",
    description:
      "Runs a shell command in the workspace folder or `directory`; no state is kept between commands, and nobody answers prompts. " +
      "Long output is cut in the middle. Killed after `timeout_ms` (default 120000, at most 600000). " +
      "Use `background` for servers and watchers: it answers at once, and command_status reads or stops them.",
    input: v.object({
      command: v.pipe(v.string(), v.regex(/\S/, "say which command to run")),
      description: v.optional(v.pipe(v.string(), v.description("What it does, in a few words, for the user"))),
      directory: v.optional(v.string()),
      timeout_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      background: v.optional(v.boolean()),
    }),
    spellings: {
      cmd: "command",
      script: "command",
      dir: "directory",
      dir_path: "directory",
      cwd: "directory",
      workdir: "directory",
      working_directory: "directory",
      timeout: "timeout_ms",
      is_background: "background",
      run_in_background: "background",
    },
    async prepare({ command, description, directory, timeout_ms, background }) {
      const folder = resolvePath(workspace.cwd, directory ?? ".", workspace.home)
      if (directory !== undefined && (await workspace.files.stat(folder))?.kind !== "folder") {
        throw new Error(
          `There is no folder "${directory}"; leave "directory" out to run the command in ${workspace.cwd}`,
        )
      }
      const title = titleOf(command)
      const whole: Display = { type: "text", text: fenced(visibleLines(command), "sh") }
      return {
        title,
        reach: { type: "command", command, folder },
        display: [...(description ? textContent(description) : []), whole],
        async run(context) {
          const gits = await repositories(command, folder)
          const shell: ShellCommand = { command, folder, ...(gits && { repositories: gits }) }
          if (background) return started(await commands.start(shell, context.signal))
          const above = title === inlineCode(command) ? [] : [whole] // what the title says in full is not said twice
          return await ran(commands, shell, Math.min(timeout_ms ?? TIMEOUT_MS, LONGEST_MS), above, context)
        },
      }
    },
  })

async function ran(
  commands: Commands,
  shell: ShellCommand,
  timeoutMs: number,
  above: readonly Display[],
  { report, signal }: CallContext,
): Promise<Outcome> {
  const show = (progress: CommandProgress) => report(shownWhileRunning(progress, above))
  const { ending, text, terminalId } = await commands.run(shell, { timeoutMs }, show, signal)
  const advice = ending.type === "timed_out" ? ". Give it more `timeout_ms`, or run it in the `background`" : ""
  const display: Display[] =
    terminalId === undefined ? [...above, ...output(text, endingWords(ending))] : [{ type: "terminal", terminalId }]
  return {
    content: textContent(withEnding(text, ending) + advice),
    display,
    ...(!succeeded(ending) && { failed: true }),
  }
}

function shownWhileRunning(
  { terminalId, end, printed, exit }: CommandProgress,
  above: readonly Display[],
): Parameters<CallContext["report"]>[0] {
  if (terminalId !== undefined) return { display: [{ type: "terminal", terminalId }] }
  return { display: [...above, ...output(end)], printed, ...(exit && { exit }) }
}

function started({ id, command, text, ending }: News): Outcome {
  if (ending) {
    return {
      content: textContent(withEnding(text, ending)),
      display: output(text, endingWords(ending)),
      ...(!succeeded(ending) && { failed: true }),
    }
  }
  const state = `It runs in the background as ${id}.`
  const how = `Read its new output with command_status {"command_id": "${id}"}; add "stop": true to stop it.`
  const printed = text.trim() === "" ? "(no output yet)" : text
  return {
    content: textContent(`${printed}${printed.endsWith("\n") ? "" : "\n"}${state} ${how}`),
    display: output(text, `${inlineCode(command)} runs in the background.`),
  }
}

/** Output in a block of its own, with a line under it. */
function output(text: string, line?: string): Display[] {
  if (text.trim() === "") return line === undefined ? [] : textContent(`(no output) ${line}`)
  return textContent(line === undefined ? fenced(text) : `${fenced(text)}\n${line}`)
}

/** The command itself; of a long one the beginning. */
function titleOf(command: string): string {
  const [first = "", ...more] = command.trim().split("\n")
  const cut = first.length > TITLE || more.length > 0
  return inlineCode(cut ? `${first.slice(0, TITLE).trimEnd()} …` : first)
}
