import { type Clock, systemClock } from "../clock.ts"

/** The client's own view of files, as far as it offers one. Asked anew each time what it can. */
export interface Editor {
  /** The whole text of an open buffer, or of the file. Rejects when the client refuses. */
  readonly readText?: ((path: string, signal: AbortSignal) => Promise<string>) | undefined
  /** Rejects when the client refuses. */
  readonly writeText?: ((path: string, text: string, signal: AbortSignal) => Promise<void>) | undefined
}

/** An editor that is not waited for for ever. */
export interface Patient {
  /** Undefined when there is no telling: it can't, it refused, it did not answer. */
  read(path: string, signal: AbortSignal): Promise<string | undefined>
  /** Whether a buffer can be written at all. */
  readonly canWrite: boolean
  /** "silent": it did not answer, and may or may not write. Rejects when it refuses. */
  write(path: string, text: string, signal: AbortSignal): Promise<"written" | "silent">
  /** It may be asked again. */
  newTurn(): void
}

/** How long an editor is waited for, once in a turn, in milliseconds. Then the disk alone counts. */
const PATIENCE = 3_000

const SILENT: unique symbol = Symbol("silent")

/** Asks the editor until it leaves one request unanswered; then not again before the next turn. */
export function patient(editor: Editor = {}, clock: Clock = systemClock): Patient {
  let silent = false

  async function ask<T>(request: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | typeof SILENT> {
    if (silent) return SILENT
    const given = new AbortController()
    const late = Promise.withResolvers<typeof SILENT>()
    const leave = () => late.reject(signal.reason)
    signal.addEventListener("abort", leave, { once: true })
    const forget = clock.after(PATIENCE, () => {
      silent = true
      late.resolve(SILENT)
      given.abort(new Error("The editor did not answer"))
    })
    try {
      signal.throwIfAborted()
      return await Promise.race([request(AbortSignal.any([signal, given.signal])), late.promise])
    } finally {
      forget()
      signal.removeEventListener("abort", leave)
    }
  }

  return {
    async read(path, signal) {
      const { readText } = editor
      if (!readText) return undefined
      try {
        const text = await ask((signal) => readText(path, signal), signal)
        return text === SILENT ? undefined : text
      } catch {
        signal.throwIfAborted() // a refusal tells nothing of the file: the disk counts
        return undefined
      }
    },
    get canWrite() {
      return editor.writeText !== undefined
    },
    async write(path, text, signal) {
      const { writeText } = editor
      if (!writeText) throw new Error("The editor can't write")
      return (await ask((signal) => writeText(path, text, signal), signal)) === SILENT ? "silent" : "written"
    },
    newTurn() {
      silent = false
    },
  }
}
