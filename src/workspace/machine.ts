import { type Clock, systemClock } from "../clock.ts"
import type { Files, Processes, Runtime, System } from "../runtime.ts"
import { completePath } from "./login-path.ts"
import { findShell } from "./shell.ts"
import type { Shell } from "./windows-shell.ts"

/** The computer that commands run on. One for the whole program; what it has to look up, it looks up once. */
export interface Machine {
  readonly processes: Processes
  readonly files: Files
  readonly system: System
  readonly clock: Clock
  /** What runs our commands. */
  shell(): Promise<Shell>
  /** The PATH of what we start, completed from the user's login shell; undefined if there is none. */
  path(): Promise<string | undefined>
}

export function machineOf(
  { processes, files, system }: Pick<Runtime, "processes" | "files" | "system">,
  clock: Clock = systemClock,
): Machine {
  let shell: Promise<Shell> | undefined
  return {
    processes,
    files,
    system,
    clock,
    shell: () => (shell ??= findShell(files, system)),
    path: completePath(processes, system, clock),
  }
}
