import type { Clock } from "../clock.ts"
import type { Child, Exit, SpawnOptions } from "../runtime.ts"
import type { CommandOutput } from "./command-output.ts"
import { type Ending, type Execution, stopOf } from "./execution.ts"
import type { Machine } from "./machine.ts"

/** Bytes after which output counts as a flood: the program is made to wait, so that others of ours get their turn. */
const FLOOD = 64 * 1024 * 1024
const FLOOD_STEP = 1024 * 1024
const FLOOD_REST_MS = 20

/**
 * Starts a program of ours. When the signal aborts it is killed, and has ended with the signal's reason, whatever the
 * program does.
 */
export function runOurs(
  { processes, clock }: Pick<Machine, "processes" | "clock">,
  program: readonly [string, ...string[]],
  place: Omit<SpawnOptions, "signal" | "input"> & { input?: string },
  output: CommandOutput,
  printed: (text: string) => void,
  signal: AbortSignal,
): Execution {
  const { input, ...options } = place
  const child = processes.spawn(program, { ...options, signal, ...(input !== undefined && { input: "pipe" }) })
  if (input !== undefined) void feed(child, input)
  const follow = followOutput(child, clock, output, (text) => {
    if (!signal.aborted) printed(text)
  })
  const done = Promise.all([child.exited, follow]).then(([exit]) => exited(exit), failed(program[0]))
  return { output, ended: Promise.race([done, stopOf(signal)]), gone: done.then(() => {}) }
}

async function followOutput(
  child: Child,
  clock: Clock,
  output: CommandOutput,
  printed: (text: string) => void,
): Promise<void> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  let left = FLOOD
  async function take(text: string): Promise<void> {
    if (text === "") return
    await output.add(text)
    printed(text)
  }
  for await (const { from, bytes } of child.output) {
    await take(decoders[from].decode(bytes, { stream: true }))
    left -= bytes.length
    if (left > 0) continue
    left = FLOOD_STEP
    await new Promise<void>((resolve) => clock.after(FLOOD_REST_MS, resolve))
  }
  for (const decoder of Object.values(decoders)) await take(decoder.decode())
}

/** A program may end without having read all of its input. */
async function feed(child: Child, input: string): Promise<void> {
  const writer = child.input?.getWriter()
  await writer?.write(new TextEncoder().encode(input)).catch(() => {})
  await writer?.close().catch(() => {})
}

function exited(exit: Exit): Ending {
  return { type: "exited", code: exit.code, signal: exit.signal, leftovers: exit.leftovers }
}

function failed(program: string): (error: unknown) => Ending {
  return (error) => ({
    type: "failed",
    reason: `${program} could not be started: ${error instanceof Error ? error.message : error}`,
  })
}
