/** What went wrong with the sessions on disk, said so that a person can mend it. */
export class StoreError extends Error {
  override readonly name = "StoreError"
  /**
   * "taken_over": another process has loaded the session since; "newer": a later koda wrote the file; "unusable": it
   * can't be opened, read or written.
   */
  readonly code: "taken_over" | "deleted" | "newer" | "full" | "busy" | "damaged" | "unusable" | "bad_cursor"

  constructor(code: StoreError["code"], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** SQLite's own words, which are the same on every platform; its numbers are not handed on everywhere. */
const WORDS: readonly [RegExp, StoreError["code"], (where: string, words: string) => string][] = [
  [/database or disk is full/, "full", (where) => `The disk that holds "${where}" is full; make room and try again`],
  [/is locked|is busy/, "busy", (where) => `Another program holds "${where}"; try again when it is done`],
  [
    /malformed|not a database/,
    "damaged",
    (where, words) => `"${where}" is damaged (${words}); move it away, and koda begins a new one`,
  ],
  [
    /readonly|unable to open|disk I\/O error/,
    "unusable",
    (where, words) =>
      `"${where}" can't be used (${words}); check that the disk has room, and that the folder may be written to`,
  ],
]

/** The same failure in words that help, where it is one that a person can do something about. */
export function explained(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error
  const known = WORDS.find(([words]) => words.test(error.message))
  if (!known) return error
  const [, code, say] = known
  return new StoreError(code, say(where, error.message), { cause: error })
}

/** The folder for the sessions is not there, and can't be made. */
export function noFolder(error: unknown, folder: string): StoreError {
  const why = error instanceof Error ? error.message : String(error)
  const mend = "Name another folder in KODA_ACP_SESSION_STORE_DIR or with --session-store"
  return new StoreError("unusable", `Sessions can't be kept in "${folder}": ${why}. ${mend}`, { cause: error })
}
