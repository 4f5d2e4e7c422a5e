import { type Clock, throttle } from "../clock.ts"
import { type CommandOutput, endOf } from "./command-output.ts"
import type { Ending } from "./execution.ts"

/** What a command has come to, for who watches it. */
export interface CommandProgress {
  /** The client's terminal that shows it; then there is nothing else to show. */
  terminalId?: string
  /** The last of its output, as plain text. */
  end: string
  /** What it has printed since the last time, as it printed it. */
  printed: string
  /** How it ended; in the last report. */
  exit?: { code: number | null; signal: string | null }
}

/** Ten times a second looks alive, and costs little. */
const INTERVAL_MS = 100

/** Characters of output that are shown while it runs. */
const SHOWN = 8_000

/** Characters of one report for clients that append; what a flood leaves out is in the result or its file. */
const PRINTED = 16_000

export interface LiveOutput {
  /** The command has printed something. */
  add(printed: string): void
  /** Reports how it ended, with what has not been reported, and then nothing more. */
  finish(ending: Ending): void
  /** Reports nothing more. */
  stop(): void
}

/** Reports the output of a running command, not too often and not too much at once. */
export function liveOutput(
  output: CommandOutput,
  report: (progress: CommandProgress) => void,
  clock: Clock,
): LiveOutput {
  let waiting = ""
  let leftOut = 0
  function trim(): void {
    const kept = endOf(waiting, PRINTED)
    leftOut += waiting.length - kept.length
    waiting = kept
  }
  function tell(exit?: CommandProgress["exit"]): void {
    trim()
    const note = leftOut > 0 ? `\r\n[… ${leftOut} characters are left out …]\r\n` : ""
    const progress = { end: output.end(SHOWN), printed: note + waiting, ...(exit && { exit }) }
    waiting = ""
    leftOut = 0
    report(progress)
  }
  const reports = throttle(() => tell(), INTERVAL_MS, clock)
  return {
    add(printed) {
      waiting += printed
      if (waiting.length > 2 * PRINTED) trim()
      reports.poke()
    },
    finish(ending) {
      reports.stop()
      const { code, signal } = ending.type === "exited" ? ending : { code: null, signal: "SIGKILL" }
      tell({ code, signal })
    },
    stop: reports.stop,
  }
}
