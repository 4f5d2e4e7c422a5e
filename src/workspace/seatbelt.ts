import type { Bounds } from "./bubblewrap.ts"

/** How macOS starts a program that can write only in these folders. */
export function seatbelted({ writable, network }: Bounds, program: readonly string[]): readonly [string, ...string[]] {
  const folders = writable.map((path) => `(subpath ${JSON.stringify(path)})`)
  const profile = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${folders.join(" ")})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...(network ? [] : ["(deny network*)"]),
  ].join("\n")
  return [SEATBELT, "-p", profile, ...program]
}

/** Part of the system; one that PATH names could be another. */
export const SEATBELT = "/usr/bin/sandbox-exec"
