import type { CommandOutput } from "./command-output.ts"
import { commandEnvironment, readingEnvironment } from "./environment.ts"
import type { Execution, ShellCommand } from "./execution.ts"
import type { Machine } from "./machine.ts"
import { runOurs } from "./own-command.ts"
import { quietGit } from "./quiet-git.ts"
import { startInTerminal, type Terminals } from "./terminal-command.ts"

/** Where a command may run. */
export interface Places {
  machine: Machine
  /** The folders that are worked in. */
  roots: readonly string[]
  /** The client's terminals, if it may run there. */
  terminals: Terminals | undefined
  /** Puts a program into the sandbox. */
  confine?: Confine | undefined
}

/** Throws where there is no sandbox: then the program is not started. */
export type Confine = (
  program: readonly [string, ...string[]],
  folder: string,
) => readonly [string, ...string[]] | Promise<readonly [string, ...string[]]>

/** Starts a command: in the client's terminal where there is one, else as a program of ours. */
export async function launch(
  { machine, roots, terminals, confine }: Places,
  command: ShellCommand,
  output: CommandOutput,
  printed: (text: string) => void,
  signal: AbortSignal,
): Promise<Execution> {
  const { system, clock } = machine
  const asks = command.repositories === undefined
  const all = commandEnvironment(system.env(), await machine.path())
  const env = asks ? all : readingEnvironment(all, roots, system.home)
  const shell = await machine.shell()
  const quiet = command.repositories?.length ? await quietGit(machine, command.repositories, env, signal) : {}
  if (signal.aborted) return { output, ended: Promise.resolve(signal.reason), gone: Promise.resolve() }

  const theirs = terminals && (await startInTerminal(terminals, command, quiet, output, clock, signal))
  if (theirs) return theirs

  const bare = shell.oneStream(command.command)
  const program = confine ? await confine(bare, command.folder) : bare
  const place = {
    cwd: command.folder,
    env: { ...env, ...quiet, PWD: command.folder }, // by which `cd ..` goes, where links lead to the folder
    ...(command.input !== undefined && { input: command.input }),
  }
  return runOurs(machine, program, place, output, printed, signal)
}
