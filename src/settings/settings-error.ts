/** A settings file says something that can't be used. The rest of it is. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"
  readonly path: string
  /** From 1. */
  readonly line: number

  /** `what` says what is wrong, and what to write instead. */
  constructor(path: string, line: number, what: string) {
    super(`${path}:${line}: ${what}`)
    this.path = path
    this.line = line
  }
}
