import type { CommandOutput } from "./command-output.ts"

/** A shell command to run. */
export interface ShellCommand {
  command: string
  /** Absolute; where it starts. */
  folder: string
  /** What it may read; without it an empty input. */
  input?: string
  /** It runs unasked, because it only reads: the folders in which it has git work. */
  repositories?: readonly string[]
}

/** A command that has been started: by us, or in a terminal of the client's. */
export interface Execution {
  /** The client's terminal that shows it. */
  readonly terminalId?: string
  readonly output: CommandOutput
  /** Settles when it has ended and its output is in; never rejects. */
  readonly ended: Promise<Ending>
  /** Settles when nothing of it is at work any more; never rejects. Later than `ended` if it is killed. */
  readonly gone: Promise<void>
}

/** How a command ended. */
export type Ending =
  | { type: "exited"; code: number | null; signal: string | null; leftovers: boolean }
  | { type: "timed_out"; afterMs: number }
  | { type: "stopped" }
  | { type: "failed"; reason: string }

/** How a command ended, in words for the model and for the user. */
export function endingWords(ending: Ending): string {
  switch (ending.type) {
    case "exited": {
      const left = ending.leftovers
        ? "\nA process that it started in the background still runs. It will be stopped when the session ends."
        : ""
      return exitWords(ending.code, ending.signal) + left
    }
    case "timed_out":
      return `timed out after ${ending.afterMs / 1000} s; it was killed, with all it had started`
    case "stopped":
      return "stopped; all it had started was killed"
    case "failed":
      return ending.reason
  }
}

/** What was printed and how it ended, where one of them may be nothing. */
export function withEnding(text: string, ending: Ending): string {
  if (text.trim() === "") return `(no output) ${endingWords(ending)}`
  return `${text}${text.endsWith("\n") ? "" : "\n"}${endingWords(ending)}`
}

/** The ending that stops a command: the reason with which its signal aborts. */
export function stopOf(signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener("abort", () => resolve(signal.reason), { once: true })
  })
}

export function succeeded(ending: Ending): boolean {
  return ending.type === "exited" && ending.code === 0
}

function exitWords(code: number | null, signal: string | null): string {
  if (signal !== null) return `killed by signal ${signal}`
  return code === null ? "ended without an exit code" : `exit code ${code}`
}
