/**
 * All that the core asks of a platform beyond what the web standards give on every
 * runtime (streams, AbortSignal, URL, timers, crypto, TextDecoder).
 *
 * @module
 */

/** A platform to run on. Made once, by the entry point, and passed down. */
export interface Runtime {
  /** For logs; never branched on. */
  readonly name: "node" | "bun" | "deno"
  readonly stdio: Stdio
  readonly files: Files
  readonly processes: Processes
  readonly system: System
  /**
   * Fetches as the web's does, but with no time limit of its own. Honours the proxy variables and extra CAs of the
   * environment. Never follows a redirect: a 3xx is an answer like any other.
   */
  fetch(url: string | URL, init: FetchInit): Promise<Response>
  /** Opens a SQLite database, creating the file if there is none. */
  openDatabase(path: string): Promise<Database>
}

export interface FetchInit {
  method?: "GET" | "POST" | "DELETE"
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal: AbortSignal
  /** Is shown the addresses a host name has before any of them is connected to; throws to refuse. */
  check?(addresses: readonly string[]): void
}

/** The two streams a client talks through. Nothing else may write to them. */
export interface Stdio {
  readonly input: ReadableStream<Uint8Array>
  /** A write resolves when the bytes have left the process, and rejects when nobody reads any more. */
  readonly output: WritableStream<Uint8Array>
  /** Writes one line where no protocol runs. Never blocks, and never throws. */
  log(line: string): void
  /** Whether a person sits at the other end of the input. */
  readonly isTerminal: boolean
}

/** Absolute paths only. Failures are {@link FileError}s. */
export interface Files {
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>
  /** UTF-8; bytes that are not are replaced, and a byte order mark is left out. */
  readText(path: string, signal?: AbortSignal): Promise<string>
  /**
   * Replaces the file whole or not at all, making missing folders, which are the user's alone if the file is to be
   * (0o600). Links are written through. The file keeps its mode; a new one gets `mode` (0o666 less the umask if not given). A file with several hard links, another owner, or in a
   * folder where nothing can be renamed is rewritten in place, with a copy kept beside it until it is whole. Removes
   * what a killed process of ours has left half written in the folder.
   */
  write(path: string, data: string | Uint8Array, options?: { mode?: number }): Promise<void>
  /** Makes a file whole, with missing folders. Fails with "exists" if anything has its name, whoever was first. */
  makeFile(path: string, data: string): Promise<void>
  /** Adds to the end, making the file and its folders if there are none. */
  append(path: string, data: string | Uint8Array, options?: { mode?: number }): Promise<void>
  /** Of what a link leads to. Undefined if there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>
  /** The names in a folder, sorted, but for files half written; a link is a link, wherever it leads. */
  list(folder: string): Promise<readonly FolderEntry[]>
  /** With every link on the way resolved. Fails with "not_found" if there is nothing. */
  realPath(path: string): Promise<string>
  /** Where a link leads, as it is written in it; undefined if it is no link. */
  readLink(path: string): Promise<string | undefined>
  makeFolder(path: string, options?: { mode?: number }): Promise<void>
  /** A file, or a folder with all that is in it. Nothing there is no failure. */
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /**
   * Yields the files that appear, change or vanish under these folders until the signal aborts; the folders need not
   * exist yet. Also sees files that are replaced by a rename.
   */
  watch(folders: readonly string[], signal: AbortSignal): AsyncIterable<readonly string[]>
}

export interface FileInfo {
  kind: "file" | "folder" | "other"
  /** Bytes. */
  size: number
  /** Permission bits. */
  mode: number
  /** Milliseconds since 1970. */
  changed: number
}

export interface FolderEntry {
  name: string
  kind: "file" | "folder" | "link" | "other"
}

export class FileError extends Error {
  override readonly name = "FileError"
  readonly code: "not_found" | "not_allowed" | "is_folder" | "not_folder" | "exists" | "full" | "other"

  constructor(code: FileError["code"], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface Processes {
  /**
   * Starts a program in a group of its own. It and all it started are killed when the signal aborts, and when our own
   * process ends in any way, `kill -9` included. Never throws: a program that can't be started rejects `exited`.
   */
  spawn(command: readonly [string, ...string[]], options: SpawnOptions): Child
}

export interface SpawnOptions {
  cwd: string
  /** The whole environment of the program; nothing is added but a mark, by which what it started is found again. */
  env: Record<string, string>
  signal: AbortSignal
  /** Without it the program reads an empty input. */
  input?: "pipe"
}

export interface Child {
  readonly input: WritableStream<Uint8Array> | undefined
  /** Standard output and standard error as they come. Ends shortly after the program does, also if a child of it lives on. */
  readonly output: ReadableStream<Output>
  readonly exited: Promise<Exit>
}

export interface Output {
  from: "stdout" | "stderr"
  bytes: Uint8Array
}

export interface Exit {
  code: number | null
  /** "SIGKILL" and so on, when a signal ended it. */
  signal: string | null
  /** Something it started still runs: in its group, or holding its output. */
  leftovers: boolean
}

export interface System {
  readonly os: "linux" | "mac" | "windows"
  /** The user's home folder. */
  readonly home: string
  /** For temporary files. */
  readonly temp: string
  /** Where the program was started. */
  readonly cwd: string
  readonly args: readonly string[]
  readonly pid: number
  /** A snapshot of the environment. */
  env(): Record<string, string>
  /** Ends the process, once what was written to the output has left, or nobody has read it for a second. */
  exit(code: number): Promise<never>
  /** Calls back once, when the process is asked to end (SIGTERM, SIGINT, SIGHUP). Asked again, it ends at once. */
  onStop(callback: () => void): void
}

/** Synchronous, as SQLite is. */
export interface Database {
  /** Without values it may be several statements. */
  run(sql: string, ...values: SqlValue[]): void
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  /** Does all of it or none, also within another. */
  transaction(work: () => void): void
  close(): void
}

export type SqlValue = string | number | bigint | Uint8Array | null
