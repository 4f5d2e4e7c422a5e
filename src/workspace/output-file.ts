import type { Files } from "../runtime.ts"
import { joinPath } from "./paths.ts"

/** Bytes of a file that keeps the whole output of a command; what comes after is not kept. */
const LARGEST = 20 * 1024 * 1024

/** Characters that are gathered before they are written. */
const BATCH = 256 * 1024

/** Keeps all that a command printed, once it is too much to show. A disk that is full loses it, and nothing else. */
export class OutputFile {
  readonly #files: Files
  readonly #folder: string
  readonly #path: string
  #state: "unused" | "open" | "full" | "broken" = "unused"
  #waiting = ""
  #size = 0

  constructor(files: Files, folder: string, name: string) {
    this.#files = files
    this.#folder = folder
    this.#path = joinPath(folder, name)
  }

  async add(text: string): Promise<void> {
    if (this.#state === "unused") await this.#open()
    if (this.#state !== "open") return
    this.#waiting += text
    if (this.#waiting.length >= BATCH) await this.save()
  }

  /** Puts on disk what was gathered. */
  async save(): Promise<void> {
    const bytes = new TextEncoder().encode(this.#waiting)
    this.#waiting = ""
    if (bytes.length === 0) return
    const room = LARGEST - this.#size
    this.#size += bytes.length
    try {
      await this.#files.append(this.#path, bytes.subarray(0, room), { mode: 0o600 })
      if (bytes.length >= room) this.#state = "full"
    } catch {
      this.#state = "broken"
    }
  }

  async #open(): Promise<void> {
    this.#state = "open"
    await this.#files.makeFolder(this.#folder, { mode: 0o700 }).catch(() => {
      this.#state = "broken" // the command goes on; its output is then only what is shown
    })
  }

  /** Where the output is, for the model. */
  get where(): string | undefined {
    if (this.#state === "full") return `the first 20 MB are in ${this.#path}`
    return this.#state === "open" ? `all of it is in ${this.#path}` : undefined
  }
}
