import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import { type Clock, systemClock } from "../../src/clock.ts"
import { Commands, type CommandsParts } from "../../src/workspace/commands.ts"
import type { CommandProgress } from "../../src/workspace/live-output.ts"
import { type Machine, machineOf } from "../../src/workspace/machine.ts"

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "koda-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** This machine, with more in its environment; the user's profile is not asked. */
export function thisMachine(env: Record<string, string> = {}, clock: Clock = systemClock): Machine {
  const { processes, files, system } = nodeRuntime()
  const whole = { ...system.env(), ...env }
  return machineOf({ processes, files, system: { ...system, env: () => ({ ...whole, SHELL: "" }) } }, clock)
}

export interface Rig {
  commands: Commands
  folder: string
  outputFolder: string
  /** Ends the session. */
  end(): Promise<void>
  touched(): number
}

/** The commands of a session in a folder of its own, on this machine. */
export async function commandsHere(parts: Partial<CommandsParts> = {}): Promise<Rig> {
  const folder = await temporaryFolder()
  const outputFolder = join(folder, "output")
  const session = new AbortController()
  let touched = 0
  const documents = { touched: () => void touched++ }
  const commands = new Commands(
    { machine: thisMachine(), documents, terminals: () => undefined, roots: [folder], outputFolder, ...parts },
    session.signal,
  )
  const end = () => {
    session.abort()
    return commands.closed()
  }
  onTestFinished(end)
  return { commands, folder, outputFolder, end, touched: () => touched }
}

/** Runs one command here, and answers with what the model would read of it. */
export async function run(
  { commands, folder: own }: Rig,
  command: string,
  options: {
    timeoutMs?: number
    report?: (progress: CommandProgress) => void
    signal?: AbortSignal
    input?: string
    folder?: string
    repositories?: readonly string[]
  } = {},
): Promise<Awaited<ReturnType<Commands["run"]>>> {
  const { timeoutMs = 60_000, report = () => {}, signal = new AbortController().signal, input } = options
  const { folder = own, repositories } = options
  const shell = { command, folder, ...(input !== undefined && { input }), ...(repositories && { repositories }) }
  return await commands.run(shell, { timeoutMs }, report, signal)
}

/** Resolves once it is true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
