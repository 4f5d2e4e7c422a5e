import type { Bounds } from "./bubblewrap.ts"

/** How macOS starts a program that can write only in these folders, and read no keys. */
export function seatbelted(
  { writable, temp, hidden, network }: Bounds,
  program: readonly string[],
): readonly [string, ...string[]] {
  const subpath = (path: string) => `(subpath ${JSON.stringify(path)})`
  const folders = [...writable, ...(temp === undefined ? [] : [temp])].map(subpath)
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${folders.join(" ")})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    // the last word counts: a folder one works in may lie in one that is hidden
    ...hidden.map(({ path }) => `(deny file-read* file-write* ${subpath(path)})`),
    ...(hidden.length > 0 ? writable.map((path) => `(allow file-read* file-write* ${subpath(path)})`) : []),
    ...(network ? [] : ["(deny network*)"]),
  ].join("\n")
  return [SEATBELT, "-p", profile, ...program]
}

/** Part of the system; one that PATH names could be another. */
export const SEATBELT = "/usr/bin/sandbox-exec"
