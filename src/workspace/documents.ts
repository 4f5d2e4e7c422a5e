/** The text files of a workspace, as the user sees them: on disk, or not saved yet in the editor. */
export interface Documents {
  /** What counts now: the editor's unsaved buffer, or the disk. Fails with a FileError, or an Error that says why it is no text. */
  read(path: string, signal: AbortSignal): Promise<Document>
  /**
   * Changes files, all of them or none. `edit` is given each text as it is now (undefined if there is no file) and
   * answers with the new one; what it throws leaves every file untouched. Each path stays locked from read to write, for
   * all agents of the process.
   */
  change(
    paths: readonly string[],
    edit: (texts: ReadonlyMap<string, Document | undefined>) => ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<readonly Change[]>
  /** Something else may have written files: a command of ours has run. */
  touched(): void
}

export interface Document {
  /** With the file's own line ends; without its byte order mark. */
  readonly text: string
  readonly source: "disk" | "buffer"
  /** Changes whenever the file on disk does. */
  readonly version: string
}

export interface Change {
  path: string
  /** Null if there was no file. */
  before: string | null
  after: string
}
