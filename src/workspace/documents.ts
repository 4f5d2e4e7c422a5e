/** The text files of a workspace, as the user sees them: on disk, or not saved yet in the editor. One for each session. */
export interface Documents {
  /**
   * What counts now: the editor's unsaved buffer, or the disk. Counts as read by the agent. Fails with a FileError, or an
   * Error that says why it is no text.
   */
  read(path: string, signal: AbortSignal): Promise<Document>
  /** The same, without counting as read. Undefined if there is no file. */
  peek(path: string, signal: AbortSignal): Promise<Current | undefined>
  /**
   * Changes files, all of them or none. `edit` is given each text as it is now (undefined if there is no file) and
   * answers with the new one; what it throws leaves every file untouched. Each path stays locked from read to write, for
   * all agents of the process.
   */
  change(paths: readonly string[], edit: Edit, signal: AbortSignal): Promise<readonly Change[]>
  /**
   * Something else may have written files: a command of ours has run, which started at `since` (milliseconds since
   * 1970; if not given, after the turn began and the command before it had run).
   */
  touched(since?: number): void
  /** A turn begins: an editor that did not answer is asked again. */
  newTurn(): void
}

/** From the texts there are to those there shall be; what is not answered stays as it is. */
export type Edit = (
  texts: ReadonlyMap<string, Current | undefined>,
) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>

export interface Document {
  /** With the file's own line ends; without its byte order mark. What `read` gives shows bytes that are no text as U+FFFD. */
  readonly text: string
  /** "conflict": of the disk, while the editor holds other changes; then nothing of it can be edited. */
  readonly source: "disk" | "buffer" | "conflict"
}

/** A document about to be edited. In its text, a byte that is no text is a lone surrogate, and so is kept. */
export interface Current extends Document {
  /** Whether the agent has read it, or written it whole, and whether it is still as it was then. */
  readonly seen: "never" | "current" | "changed"
}

export interface Change {
  path: string
  /** Null if there was no file. */
  before: string | null
  /** What is there now; not always what was asked for, when an editor had to be asked to write. */
  after: string
  /** What the agent should know of how it was written. */
  note?: string
}
