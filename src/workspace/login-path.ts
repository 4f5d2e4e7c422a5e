import type { Clock } from "../clock.ts"
import type { Processes, System } from "../runtime.ts"
import { childEnvironment } from "./environment.ts"

/** A user's profile may do anything; we do not wait for it longer. */
const PATIENCE_MS = 2_000

/** The longest PATH that is believed. */
const LONGEST = 65_536

/**
 * Our PATH, completed from the user's login shell, since editors that are started from a desktop often have a poor one.
 * The shell is asked once, when it is first needed; if it can't tell, the PATH stays as it is.
 */
export function completePath(processes: Processes, system: System, clock: Clock): () => Promise<string | undefined> {
  let answer: Promise<string | undefined> | undefined
  return () => (answer ??= askShell(processes, system, clock))
}

async function askShell(processes: Processes, system: System, clock: Clock): Promise<string | undefined> {
  const env = system.env()
  const shell = env["SHELL"]
  if (system.os === "windows" || !shell?.startsWith("/") || /\/(nologin|false)$/.test(shell)) return env["PATH"]
  const mark = `koda-${crypto.randomUUID()}`
  const stop = new AbortController()
  const forget = clock.after(PATIENCE_MS, () => stop.abort())
  try {
    const child = processes.spawn([shell, "-i", "-l", "-c", `echo ${mark}; printenv PATH; echo ${mark}`], {
      cwd: system.home,
      env: { ...childEnvironment(env), TERM: "dumb" },
      signal: stop.signal,
    })
    child.exited.catch(() => {})
    const ended = new Promise<undefined>((resolve) => stop.signal.addEventListener("abort", () => resolve(undefined)))
    const found = await Promise.race([between(child.output, mark), ended])
    return found === undefined ? env["PATH"] : joined(env["PATH"] ?? "", found)
  } catch {
    return env["PATH"] // no shell, or not a usable one: ours has to do
  } finally {
    forget()
    stop.abort()
  }
}

/** What stands between two lines with the mark, however noisy the profile is around it. */
async function between(
  output: ReadableStream<{ from: "stdout" | "stderr"; bytes: Uint8Array }>,
  mark: string,
): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const { from, bytes } of output) {
    if (from === "stderr") continue
    text = (text + decoder.decode(bytes, { stream: true })).slice(-LONGEST)
    const [, found, after] = text.split(`${mark}\n`)
    if (after !== undefined) return found?.trim() || undefined
  }
  return undefined
}

function joined(ours: string, theirs: string): string {
  const folders = [...ours.split(":"), ...theirs.split(":")].filter(Boolean)
  return [...new Set(folders)].join(":")
}
