import type { System } from "../../src/runtime.ts"
import type { ProcessStdio } from "./stdio.ts"

/** How long the end waits for a client that no longer reads. */
const LAST_WORDS_MS = 1000

export function processSystem(stdio: ProcessStdio): System {
  const os = process.getBuiltinModule("node:os")
  return {
    os: process.platform === "win32" ? "windows" : process.platform === "darwin" ? "mac" : "linux",
    home: os.homedir(),
    temp: os.tmpdir(),
    cwd: process.cwd(),
    args: process.argv.slice(2),
    pid: process.pid,
    env: () => ({ ...process.env }) as Record<string, string>,
    async exit(code) {
      await Promise.race([stdio.flushed(), new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))])
      process.exit(code)
    },
    onStop(callback) {
      const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const
      const stop = () => {
        for (const signal of signals) process.off(signal, stop) // asked a second time, the process ends at once
        callback()
      }
      for (const signal of signals) process.on(signal, stop)
    },
  }
}
