import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { type ToolCall, textOf } from "../../src/agent/message.ts"
import type { Action, Outcome, Progress } from "../../src/agent/tool.ts"
import { commandStatus } from "../../src/tools/command-status.ts"
import { runShellCommand } from "../../src/tools/run-shell-command.ts"
import type { CommandsParts } from "../../src/workspace/commands.ts"
import { handClock } from "../support/clock.ts"
import { commandsHere, thisMachine } from "../workspace/this-machine.ts"

const never = new AbortController().signal

/** The two tools over the commands of a session. */
async function tools(parts: Partial<CommandsParts> = {}) {
  const rig = await commandsHere(parts)
  const workspace = { cwd: rig.folder, home: "/home/me", files: nodeRuntime().files }
  const shell = runShellCommand(rig.commands, workspace, async (command, folder) =>
    command.startsWith("git ") ? [folder] : undefined,
  )
  return { ...rig, shell, status: commandStatus(rig.commands) }
}

async function done(action: Action, report: (progress: Progress) => void = () => {}): Promise<Outcome> {
  const call: ToolCall = { id: "call-1", name: "x", input: {} }
  return await action.run({ call, signal: never, report })
}

test("PE-12 before it runs, the user is shown the command in full, and its title is the command", async () => {
  const { shell, folder } = await tools()
  const { title, reach, display } = await shell.prepare({ command: "npm test", description: "Run the tests" }, never)
  expect({ title, reach, display }).toEqual({
    title: "`npm test`",
    reach: { type: "command", command: "npm test", folder },
    display: [
      { type: "text", text: "Run the tests" },
      { type: "text", text: "```sh\nnpm test\n```" },
    ],
  })
})

test("PE-12 a long command has a short title, and is shown in full all the time", async () => {
  const { shell } = await tools()
  const command = `cat <<'END'\n\`\`\`md\n# x\n\`\`\`\nEND\nfalse`
  const action = await shell.prepare({ command }, never)
  const whole = { type: "text", text: `\`\`\`\`sh\n${command}\n\`\`\`\`` }
  expect({ title: action.title, display: action.display }).toEqual({ title: "`cat <<'END' …`", display: [whole] })
  const { display, content } = await done(action)
  expect(display).toEqual([whole, { type: "text", text: "````\n```md\n# x\n```\n````\nexit code 1" }])
  expect(textOf(content)).toBe("```md\n# x\n```\nexit code 1")
})

test("PE-12 nothing of a command is hidden from who must agree to it", async () => {
  const { shell } = await tools()
  const { title, display } = await shell.prepare({ command: "ls \x1b[8m; rm x\u202e" }, never)
  expect({ title, display }).toEqual({
    title: "`ls \\x1b[8m; rm x\\u202e`",
    display: [{ type: "text", text: "```sh\nls \\x1b[8m; rm x\\u202e\n```" }],
  })
})

test("SH-07 a command that exits with another code than 0 has failed", async () => {
  const { shell } = await tools()
  expect(await done(await shell.prepare({ command: "exit 42" }, never))).toEqual({
    content: [{ type: "text", text: "(no output) exit code 42" }],
    display: [{ type: "text", text: "(no output) exit code 42" }],
    failed: true,
  })
  expect(await done(await shell.prepare({ command: "echo ok" }, never))).toEqual({
    content: [{ type: "text", text: "ok\nexit code 0" }],
    display: [{ type: "text", text: "```\nok\n```\nexit code 0" }],
  })
})

test("SH-13 while it runs the user sees the end of the output, and clients that append get each piece", async () => {
  const { shell, folder } = await tools()
  const reports: Progress[] = []
  const command = "echo 1; while [ ! -e seen ]; do sleep 0.02; done"
  await done(await shell.prepare({ command }, never), (progress) => {
    reports.push(progress)
    void writeFile(join(folder, "seen"), "")
  })
  expect(reports).toEqual([
    { display: [{ type: "text", text: "```\n1\n```" }], printed: "1\n" },
    { display: [{ type: "text", text: "```\n1\n```" }], printed: "", exit: { code: 0, signal: null } },
  ])
})

test("R-113 in the client's terminal, the terminal is what is shown from the start to the end", async () => {
  const { shell } = await tools({
    terminals: () => ({
      create: async () => "terminal-1",
      output: async () => ({ output: "ok\n", truncated: false }),
      waitForExit: async () => ({ exitCode: 0, signal: null }),
      kill: async () => {},
      release: async () => {},
    }),
  })
  const reports: Progress[] = []
  const outcome = await done(
    await shell.prepare({ command: "npm test" }, never),
    (progress) => void reports.push(progress),
  )
  const display = [{ type: "terminal", terminalId: "terminal-1" }]
  expect({ reports, outcome }).toEqual({
    reports: [{ display }],
    outcome: { content: [{ type: "text", text: "ok\nexit code 0" }], display },
  })
})

test("SH-02 a command may be given less time, and the model is told what to do about it", async () => {
  const clock = handClock()
  const { shell } = await tools({ machine: thisMachine({}, clock) })
  const action = await shell.prepare({ command: "echo a; sleep 600", timeout: "300" }, never)
  const { content, failed } = await done(action, () => clock.pass(300))
  expect({ text: textOf(content), failed }).toEqual({
    text: "a\ntimed out after 0.3 s; it was killed, with all it had started. Give it more `timeout_ms`, or run it in the `background`",
    failed: true,
  })
})

test("a command runs in the folder that is asked for, by whatever name it is asked", async () => {
  const { shell, folder } = await tools()
  await mkdir(join(folder, "sub"))
  for (const name of ["directory", "dir", "cwd", "working_directory"]) {
    const action = await shell.prepare({ cmd: "pwd", [name]: "sub" }, never)
    expect(action.reach).toEqual({ type: "command", command: "pwd", folder: join(folder, "sub") })
    expect(textOf((await done(action)).content)).toBe(`${join(folder, "sub")}\nexit code 0`)
  }
  await expect(shell.prepare({ command: "pwd", directory: "nowhere" }, never)).rejects.toThrow(
    `There is no folder "nowhere"; leave "directory" out to run the command in ${folder}`,
  )
})

test("an empty command is refused before anybody is asked", async () => {
  const { shell } = await tools()
  await expect(shell.prepare({ command: "  " }, never)).rejects.toThrow("say which command to run")
})

test("SH-11 a background command is answered with its name, and is read and stopped by it", async () => {
  const { shell, status } = await tools()
  const command = "echo ready; sleep 600"
  expect(await done(await shell.prepare({ command, background: true }, never))).toEqual({
    content: [
      {
        type: "text",
        text: 'ready\nIt runs in the background as command-1. Read its new output with command_status {"command_id": "command-1"}; add "stop": true to stop it.',
      },
    ],
    display: [{ type: "text", text: "```\nready\n```\n`echo ready; sleep 600` runs in the background." }],
  })
  const action = await status.prepare({ command_id: "command-1" }, never)
  expect([action.title, action.reach, textOf((await done(action)).content)]).toEqual([
    "Check `echo ready; sleep 600`",
    { type: "nothing" },
    "(no new output)\ncommand-1 is running",
  ])
  const stop = await status.prepare({ command_id: "command-1", stop: true }, never)
  expect([stop.title, textOf((await done(stop)).content)]).toEqual([
    "Stop `echo ready; sleep 600`",
    "(no new output)\ncommand-1 has ended: stopped; all it had started was killed",
  ])
})

test("SH-11 command_status lists the background commands, and says when there are none", async () => {
  const { shell, status } = await tools()
  const list = async () => textOf((await done(await status.prepare({}, never))).content)
  expect(await list()).toBe("No command was started in the background.")
  await done(await shell.prepare({ command: "exit 3", background: true }, never))
  expect(await list()).toBe("command-1: exit 3\n  ended: exit code 3")
  await expect(done(await status.prepare({ command_id: "7" }, never))).rejects.toThrow(
    'There is no background command "7". There are: command-1.',
  )
})

test("the descriptions are short: the model reads them with every request", async () => {
  const { shell, status } = await tools()
  const bytes = [shell, status].map(({ description }) => new TextEncoder().encode(description).length)
  expect(bytes.map((length) => length <= 350)).toEqual([true, true])
})
