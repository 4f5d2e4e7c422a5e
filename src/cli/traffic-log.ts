import type { Runtime } from "../runtime.ts"
import { SECRET, secretsIn } from "../text/mask.ts"

/** Writes each line of the connection to a file, with its time and direction, and without secrets. */
export function trafficLog(
  { files, system, stdio }: Runtime,
  path: string,
): { tap(direction: "in" | "out", line: string): void; written(): Promise<void> } {
  const file = path.startsWith("/") || /^[A-Za-z]:/.test(path) ? path : `${system.cwd}/${path}`
  const values = secretsIn(system.env())
  let waiting: string[] = []
  let last: Promise<void> = Promise.resolve()
  let isBroken = false

  async function write(): Promise<void> {
    const rows = waiting.join("")
    waiting = []
    if (rows === "" || isBroken) return
    await files.append(file, rows, { mode: 0o600 }).catch((error: unknown) => {
      isBroken = true
      stdio.log(`koda: the traffic log ${file} can't be written: ${error instanceof Error ? error.message : error}`)
    })
  }

  return {
    tap(direction, line) {
      const message = without(values, line)
      waiting.push(`{"at":"${new Date().toISOString()}","direction":"${direction}","message":${message}}\n`)
      if (waiting.length === 1) last = last.then(write)
    },
    async written() {
      await last
    },
  }
}

/** A line as JSON, its secrets replaced. A line that is none becomes a string. */
function without(secrets: readonly string[], line: string): string {
  let text: string
  try {
    text = JSON.stringify(JSON.parse(line, masked))
  } catch {
    text = JSON.stringify(line)
  }
  for (const secret of secrets) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), "***")
  return text
}

/** Texts that are called so, and all that programs and servers are given as variables and headers. */
function masked(name: string, value: unknown): unknown {
  if (typeof value === "string") return SECRET.test(name) ? "***" : value // counts of tokens are none
  if ((name !== "env" && name !== "headers") || typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, "***"]))
  return value.map((pair) => (typeof pair === "object" ? { ...pair, value: "***" } : "***"))
}
