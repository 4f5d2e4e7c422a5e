import { type Clock, within } from "../clock.ts"
import type { CommandOutput } from "./command-output.ts"
import { UNATTENDED } from "./environment.ts"
import { type Ending, type Execution, type ShellCommand, stopOf } from "./execution.ts"
import { argumentFor } from "./shell.ts"

/** The client's terminals. What it answers with an error, or not at all, rejects. */
export interface Terminals {
  /** Answers with the terminal's id. */
  create(request: TerminalRequest): Promise<string>
  output(terminalId: string): Promise<{ output: string; truncated: boolean }>
  waitForExit(terminalId: string, signal: AbortSignal): Promise<{ exitCode: number | null; signal: string | null }>
  kill(terminalId: string): Promise<void>
  release(terminalId: string): Promise<void>
}

/** The parameters of `terminal/create`, less the session. */
export interface TerminalRequest {
  command: string
  args: readonly string[]
  env: readonly { name: string; value: string }[]
  cwd: string
  outputByteLimit: number
}

const OUTPUT_LIMIT = 512 * 1024

/** A client that is asked for output, or to kill, and says nothing is not waited for longer. */
const PATIENCE_MS = 5_000

/**
 * Starts a command in a terminal of the client's. Undefined if the client refuses; an ending if the signal aborts before
 * the client has answered. The terminal is released in every case.
 */
export async function startInTerminal(
  terminals: Terminals,
  { command, folder }: ShellCommand,
  env: Readonly<Record<string, string>>,
  output: CommandOutput,
  clock: Clock,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  const created = terminals.create({
    command: "/bin/bash",
    args: ["-lc", argumentFor(command)],
    // What leads `cd` elsewhere may be in the client's environment.
    env: Object.entries({ ...UNATTENDED, CDPATH: "", PWD: folder, ...env }).map(([name, value]) => ({ name, value })),
    cwd: folder,
    outputByteLimit: OUTPUT_LIMIT,
  })
  const stopped = stopOf(signal)
  const terminalId = await Promise.race([created.catch(() => undefined), stopped])
  if (terminalId === undefined && !signal.aborted) return undefined
  if (typeof terminalId !== "string") {
    created.then(
      (late) => end(terminals, late, "kill"),
      () => {},
    )
    return { output, ended: stopped.then(unanswered), gone: Promise.resolve() }
  }
  const ended = follow(terminals, terminalId, output, clock, stopped, signal)
  return { terminalId, output, ended, gone: ended.then(() => {}) }
}

/** Nobody knows whether it has run. */
function unanswered(ending: Ending): Ending {
  if (ending.type !== "timed_out") return ending
  const reason = `The client opened no terminal for it in ${ending.afterMs / 1000} s, so that it may not have run at all`
  return { type: "failed", reason }
}

async function follow(
  terminals: Terminals,
  terminalId: string,
  output: CommandOutput,
  clock: Clock,
  stopped: Promise<Ending>,
  signal: AbortSignal,
): Promise<Ending> {
  const exit = terminals.waitForExit(terminalId, signal).then(
    (exit): Ending => ({ type: "exited", code: exit.exitCode, signal: exit.signal, leftovers: false }),
    (error): Ending => ({
      type: "failed",
      reason: `The client's terminal failed: ${error instanceof Error ? error.message : error}`,
    }),
  )
  const ending = await Promise.race([stopped, exit])
  if (ending.type === "stopped") {
    end(terminals, terminalId, "kill")
    return ending
  }
  if (ending.type !== "exited") await within(terminals.kill(terminalId), PATIENCE_MS, clock)
  const printed = await within(terminals.output(terminalId), PATIENCE_MS, clock)
  if (printed?.truncated) output.lost("The client's terminal kept only the last 512 KB of the output.")
  if (printed === undefined) output.lost("The client did not give the output of its terminal.")
  else await output.add(printed.output)
  end(terminals, terminalId, "release")
  return ending
}

/** Nobody waits for these, and a client that fails at them can't be helped. */
function end(terminals: Terminals, terminalId: string, how: "kill" | "release"): void {
  if (how === "kill") terminals.kill(terminalId).catch(() => {})
  terminals.release(terminalId).catch(() => {})
}
