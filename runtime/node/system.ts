import type { System } from "../../src/runtime.ts"
import type { ProcessStdio } from "./stdio.ts"

/** How long the end waits for a client that no longer reads. */
const LAST_WORDS_MS = 1000

/** The folder we were started in may be gone, and matters to some commands only: those say so. */
function cwdOr(name: string): string {
  try {
    return process.cwd()
  } catch {
    return name
  }
}

export function processSystem(stdio: ProcessStdio): System {
  const os = () => process.getBuiltinModule("node:os") // on first use: Deno takes 3 ms to load it
  return {
    os: process.platform === "win32" ? "windows" : process.platform === "darwin" ? "mac" : "linux",
    get home() {
      return os().homedir()
    },
    get temp() {
      return os().tmpdir()
    },
    cwd: cwdOr(process.env["PWD"] ?? "/"),
    args: process.argv.slice(2),
    pid: process.pid,
    env: () => ({ ...process.env }) as Record<string, string>,
    async exit(code) {
      await Promise.race([stdio.flushed(), new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))])
      process.exit(code)
    },
    onStop(callback) {
      let isAsked = false
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
        process.on(signal, () => {
          if (isAsked) process.exit(128 + os().constants.signals[signal]) // who asks again is not made to wait
          isAsked = true
          callback()
        })
      }
    },
  }
}
