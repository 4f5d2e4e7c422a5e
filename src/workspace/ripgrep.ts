import type { Exit, Processes } from "../runtime.ts"
import type { LineMatcher } from "../text/line-matcher.ts"
import { programFolders, separatorIn } from "./program-folders.ts"

/**
 * Which of these files (absolute) may have a line that matches; some that have none may be among them. Undefined when there
 * is no telling.
 */
export type Sieve = (
  files: readonly string[],
  matcher: LineMatcher,
  signal: AbortSignal,
) => Promise<ReadonlySet<string> | undefined>

/**
 * Sieves files with the user's own ripgrep, as long as it works. It decides nothing: what is found in the files it names,
 * and what is not, is for us to say, so that results are the same without it.
 */
export function ripgrep(
  processes: Processes,
  env: Readonly<Record<string, string>>,
  folder: string,
  home: string,
): Sieve {
  const all = env["PATH"] ?? env["Path"] ?? ""
  const path = programFolders(all, [folder], home).join(separatorIn(all))
  let works = path !== ""
  return async (files, matcher, signal) => {
    if (!works || files.length === 0) return undefined
    const pieces: Uint8Array[] = []
    const command: [string, ...string[]] = ["rg", ...FLAGS, ...patternFlags(matcher), "--", ...files]
    const child = processes.spawn(command, { cwd: folder, env: { ...kept(env), PATH: path }, signal })
    const exited = child.exited.catch(() => FAILED)
    for await (const { from, bytes } of child.output) if (from === "stdout") pieces.push(bytes)
    const { code } = await exited
    signal.throwIfAborted()
    if (code === 2) return undefined // this pattern, or a file: not a reason never to ask again
    works = code === 0 || code === 1
    return works ? namesIn(pieces) : undefined
  }
}

const FLAGS = [
  "--no-config",
  "--files-with-matches",
  "--null",
  "--no-messages",
  "--no-ignore",
  "--hidden",
  "--crlf",
  "--no-heading",
]

const FAILED: Exit = { code: null, signal: null, leftovers: false }

/** Texts that are not UTF-8 can't be judged by it: whatever has such bytes may match. */
const NOT_UTF8 = "(?-u:[\\xC0-\\xFF](?:[^\\x80-\\xBF]|$)|(?:^|[\\x00-\\x7F])[\\x80-\\xBF])"

function patternFlags({ source, literal, ignoreCase }: LineMatcher): string[] {
  const pattern = literal ? source.replaceAll(/[\^$\\.*+?()[\]{}|]/g, "\\$&") : source
  return [ignoreCase ? "--ignore-case" : "--case-sensitive", "-e", pattern, "-e", NOT_UTF8]
}

function namesIn(pieces: readonly Uint8Array[]): ReadonlySet<string> {
  const decoder = new TextDecoder()
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("")
  return new Set(text.split("\0").filter((name) => name !== ""))
}

function kept(env: Readonly<Record<string, string>>): Record<string, string> {
  const names = ["SYSTEMROOT", "SystemRoot", "PATHEXT", "TMPDIR", "LANG"]
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
