import { within } from "../clock.ts"
import { Background } from "./background.ts"
import { CommandOutput } from "./command-output.ts"
import type { Documents } from "./documents.ts"
import type { Ending, Execution, ShellCommand } from "./execution.ts"
import { type Confine, launch } from "./launch.ts"
import { type CommandProgress, liveOutput } from "./live-output.ts"
import type { Machine } from "./machine.ts"
import { OutputFile } from "./output-file.ts"
import type { Terminals } from "./terminal-command.ts"

/** What the commands of a session need. */
export interface CommandsParts {
  machine: Machine
  documents: Pick<Documents, "touched">
  /** The client's terminals, while a client that has them is there. */
  terminals(): Terminals | undefined
  /** The folders that the session works in. */
  roots: readonly string[]
  /** Puts a program into the sandbox; then none runs in the client's terminals. */
  confine?: Confine
  /** A folder of this session alone, for output that is too long to show. Removed with the session. */
  outputFolder: string
}

export interface Limits {
  timeoutMs: number
  /** Never in a terminal of the client's: hooks, lint. */
  place?: "ours"
}

/** A command that was run to its end. */
export interface Finished {
  ending: Ending
  /** What it printed, as plain text; long output without its middle. */
  text: string
  terminalId?: string
}

/** What is new of a background command. */
export interface News {
  id: string
  command: string
  text: string
  /** Undefined while it runs. */
  ending?: Ending
}

/** How long a background command is watched before its start is answered. */
const FIRST_LOOK_MS = 1_000

/** Ended background commands that are remembered. */
const REMEMBERED = 50

/** A program that is killed should be gone by then. */
const KILL_MS = 5_000

/** The commands of one session. All of them, and what they have left running, end with it. */
export class Commands {
  readonly #parts: CommandsParts
  readonly #session: AbortSignal
  readonly #stops = new Set<AbortController>()
  readonly #running = new Set<Promise<unknown>>()
  readonly #background = new Map<string, Background>()
  #count = 0
  #closed = Promise.withResolvers<void>()

  constructor(parts: CommandsParts, session: AbortSignal) {
    this.#parts = parts
    this.#session = session
    session.addEventListener("abort", () => this.#close(), { once: true })
  }

  /**
   * Runs a command to its end, or for as long as it may take, and reports what it prints. Rejects with the signal's
   * reason when that aborts; the command has then been killed.
   */
  async run(
    command: ShellCommand,
    { timeoutMs, place }: Limits,
    report: (progress: CommandProgress) => void,
    signal: AbortSignal,
  ): Promise<Finished> {
    signal.throwIfAborted()
    const { clock } = this.#parts.machine
    const stop = this.#newStop()
    const since = Date.now()
    // Not AbortSignal.any: once the command has ended, what it left behind belongs to the session and not to the turn.
    const cancel = () => stop.abort({ type: "stopped" } satisfies Ending)
    signal.addEventListener("abort", cancel, { once: true })
    const forget = clock.after(timeoutMs, () => stop.abort({ type: "timed_out", afterMs: timeoutMs } satisfies Ending))
    const output = this.#newOutput(this.#newId())
    const live = liveOutput(output, report, clock)
    try {
      const execution = await this.#launch(command, place, output, live.add, stop.signal)
      const { terminalId } = execution
      if (terminalId !== undefined && !signal.aborted) report({ terminalId, end: "", printed: "" })
      const ending = await execution.ended
      signal.throwIfAborted()
      if (terminalId === undefined) live.finish(ending)
      return { ending, text: await output.text(), ...(terminalId !== undefined && { terminalId }) }
    } finally {
      live.stop()
      forget()
      signal.removeEventListener("abort", cancel)
      if (command.repositories === undefined) this.#touched(since)
    }
  }

  /** Starts a command that goes on by itself, and tells what there is of it after a moment. */
  async start(command: ShellCommand, signal: AbortSignal): Promise<News> {
    signal.throwIfAborted()
    const stop = this.#newStop()
    const id = this.#newId()
    const since = Date.now()
    let background: Background | undefined
    const printed = () => background?.stir()
    const execution = await this.#launch(command, "ours", this.#newOutput(id), printed, stop.signal)
    background = new Background(id, command.command, execution, stop, since)
    this.#remember(background)
    void execution.ended.then(() => this.#touched(since))
    await this.#wait(background.ended(), FIRST_LOOK_MS, signal)
    return await this.#newsOf(background)
  }

  /** What a background command has printed since it was read last. Waits so long for something new. */
  async read(id: string, waitMs: number, signal: AbortSignal): Promise<News> {
    const background = this.#find(id)
    if (!background.hasNews && !background.ending) await this.#wait(background.stirred(), waitMs, signal)
    signal.throwIfAborted()
    return await this.#newsOf(background)
  }

  /** Kills a background command with all it started. */
  async stop(id: string): Promise<News> {
    const background = this.#find(id)
    await background.stop()
    return await this.#newsOf(background)
  }

  /** The background commands of this session, the oldest first. */
  list(): readonly Pick<News, "id" | "command" | "ending">[] {
    return Array.from(this.#background.values(), stateOf)
  }

  /** Resolves when the session has ended, all commands are gone and their files are removed. */
  closed(): Promise<void> {
    return this.#closed.promise
  }

  async #launch(
    command: ShellCommand,
    place: Limits["place"],
    output: CommandOutput,
    printed: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Execution> {
    const { machine, roots, confine, terminals } = this.#parts
    const places = { machine, roots, confine, terminals: place === "ours" || confine ? undefined : terminals() }
    const execution = await launch(places, command, output, printed, signal)
    this.#running.add(execution.gone)
    void execution.gone.then(() => this.#running.delete(execution.gone))
    return execution
  }

  #newOutput(id: string): CommandOutput {
    const { machine, outputFolder } = this.#parts
    return new CommandOutput(new OutputFile(machine.files, outputFolder, `${id}.log`))
  }

  #newId(): string {
    this.#count++
    return `command-${this.#count}`
  }

  #newStop(): AbortController {
    if (this.#session.aborted) throw new Error("The session has ended; no command can be run in it.")
    const stop = new AbortController()
    this.#stops.add(stop)
    return stop
  }

  #find(id: string): Background {
    const background = this.#background.get(id)
    if (background) return background
    const known = [...this.#background.keys()].join(", ")
    throw new Error(`There is no background command "${id}". ${known ? `There are: ${known}.` : "None was started."}`)
  }

  #remember(background: Background): void {
    this.#background.set(background.id, background)
    const ended = [...this.#background.values()].filter(({ ending }) => ending)
    for (const { id } of ended.slice(0, -REMEMBERED)) this.#background.delete(id)
  }

  async #newsOf(background: Background): Promise<News> {
    this.#touched(background.since)
    const state = stateOf(background)
    return { ...state, text: await background.news() }
  }

  /** What was changed since then may be the work of a command, or of one in the background that began earlier. */
  #touched(since: number): void {
    const running = [...this.#background.values()].filter(({ ending }) => !ending)
    this.#parts.documents.touched(Math.min(since, ...running.map(({ since }) => since)))
  }

  async #wait(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
    if (!signal.aborted) await within(Promise.race([promise, aborted]), ms, this.#parts.machine.clock)
  }

  #close(): void {
    for (const stop of this.#stops) stop.abort({ type: "stopped" } satisfies Ending)
    const { machine, outputFolder } = this.#parts
    const gone = within(Promise.all(this.#running), KILL_MS, machine.clock)
    void gone.then(() => machine.files.remove(outputFolder).catch(() => {})).then(() => this.#closed.resolve())
  }
}

function stateOf({ id, command, ending }: Background): Omit<News, "text"> {
  return { id, command, ...(ending && { ending }) }
}
