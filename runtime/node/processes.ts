import type { ChildProcess } from "node:child_process"
import { type Child, type Exit, FileError, type Output, type Processes, type SpawnOptions } from "../../src/runtime.ts"
import { type ChildOutput, childOutput } from "./child-output.ts"
import { codeOf, fileError } from "./file-error.ts"
import { endGroup, groupEnds } from "./groups.ts"
import { lifeline, MARK } from "./lifeline.ts"

/** How long what a program started may take to end after it, before it counts as left behind. */
const STRAGGLE_MS = 100
/** How often we look whether what was left behind has ended. */
const LEFTOVER_MS = 5000

/** What one signal ends: the groups that run, and the mark of all that was started under it. */
interface Brood {
  mark: string
  groups: Set<number>
}

const line = lifeline()
const broods = new WeakMap<AbortSignal, Brood>()

export function nodeProcesses(): Processes {
  return {
    spawn(command, options) {
      const child = attempt(command, options)
      child.exited.catch(() => {}) // whoever waits for it is told, though it reads the output first
      return child
    },
  }
}

function attempt(command: readonly [string, ...string[]], options: SpawnOptions): Child {
  if (options.signal.aborted) return notStarted(Promise.resolve(options.signal.reason))
  try {
    return start(command, options)
  } catch (error) {
    return notStarted(reason(error, command[0], options.cwd))
  }
}

function start(command: readonly [string, ...string[]], options: SpawnOptions): Child {
  const brood = broodOf(options.signal)
  line.start()
  const child = spawnMarked(command, options, brood.mark)
  const { pid } = child
  if (pid !== undefined) {
    brood.groups.add(pid)
    line.add(pid)
  }
  const output = childOutput({ stdout: child.stdout!, stderr: child.stderr! })
  return {
    input: options.input ? inputOf(child) : undefined,
    output: output.stream,
    exited: exitOf(child, output, () => brood.groups.delete(pid!)).catch(async (error) => {
      output.close()
      throw await reason(error, command[0], options.cwd)
    }),
  }
}

function spawnMarked(
  [program, ...args]: readonly [string, ...string[]],
  options: SpawnOptions,
  mark: string,
): ChildProcess {
  const { spawn } = process.getBuiltinModule("node:child_process")
  const { cwd, env, input } = options
  return spawn(program, args, {
    cwd,
    // marks add up: what ends us by our mark ends what we start, too
    env: { ...env, [MARK]: (process.env[MARK] ?? "") + mark },
    stdio: [input ?? "ignore", "pipe", "pipe"],
    detached: process.platform !== "win32", // a group of its own
    windowsHide: true,
  })
}

/** One for each signal, so that a signal has one listener however many programs it ends. */
function broodOf(signal: AbortSignal): Brood {
  const known = broods.get(signal)
  if (known) return known
  const brood = { mark: line.mark(), groups: new Set<number>() }
  broods.set(signal, brood)
  signal.addEventListener("abort", () => void end(brood), { once: true })
  return brood
}

async function end({ groups, mark }: Brood): Promise<void> {
  await Promise.all([...groups].map(endGroup))
  line.end(mark)
}

function exitOf(child: ChildProcess, output: ChildOutput, forget: () => void): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()))
    void closed.then(() => output.close())
    child.once("error", reject)
    child.once("exit", async (code, signal) => {
      output.ended()
      const leader = child.pid!
      const isGone = await groupEnds(leader, STRAGGLE_MS)
      if (isGone) dropGroup(leader, forget)
      else void dropLater(leader, forget)
      const isHeld = isGone && !(await within(closed, STRAGGLE_MS)) && output.isHeld()
      resolve({ code, signal, leftovers: !isGone || isHeld })
    })
  })
}

async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** A number that is free again may become another's group. */
function dropGroup(leader: number, forget: () => void): void {
  line.drop(leader)
  forget()
}

async function dropLater(leader: number, forget: () => void): Promise<void> {
  const isGone = await groupEnds(leader, 0)
  if (isGone) return dropGroup(leader, forget)
  setTimeout(() => void dropLater(leader, forget), LEFTOVER_MS).unref()
}

function inputOf(child: ChildProcess): WritableStream<Uint8Array> {
  const stdin = child.stdin!
  stdin.on("error", () => {}) // the write that fails tells
  return new WritableStream({
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        stdin.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => new Promise<void>((resolve) => void stdin.end(() => resolve())),
    abort: () => void stdin.destroy(),
  })
}

/** Why a program did not start: the platform blames the program for a folder that is not there. */
async function reason(error: unknown, program: string, cwd: string): Promise<FileError> {
  const folder = await process
    .getBuiltinModule("node:fs/promises")
    .stat(cwd)
    .catch(() => undefined)
  if (!folder) return new FileError("not_found", `the folder "${cwd}" does not exist`, { cause: error })
  if (!folder.isDirectory()) return new FileError("not_folder", `"${cwd}" is no folder`, { cause: error })
  switch (codeOf(error)) {
    case "ENOENT":
      return new FileError("not_found", `there is no program "${program}"`, { cause: error })
    case "EACCES":
    case "EPERM":
      return new FileError("not_allowed", `"${program}" can't be run: permission denied`, { cause: error })
    default:
      return fileError(error, program)
  }
}

function notStarted(why: Promise<unknown>): Child {
  const exited = why.then((error) => {
    throw error
  })
  return {
    input: new WritableStream({ write: () => exited }),
    output: new ReadableStream<Output>({ start: (controller) => controller.close() }),
    exited,
  }
}
