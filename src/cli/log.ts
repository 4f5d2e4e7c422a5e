import type { Launch } from "../acp/launch.ts"
import type { Runtime } from "../runtime.ts"
import { kodaHome } from "../settings/home.ts"

const LEVELS = ["error", "info", "debug"] as const

/** A log has so many bytes before it is put aside, and so many are kept. */
const MAX_BYTES = 10 * 1024 * 1024
const KEPT = 3

/**
 * Where what is no message goes. Errors go to standard error, which editors show to the user; they and, where it is asked
 * for, more go to a file in Koda home.
 */
export function logFor(runtime: Runtime, level = "error"): NonNullable<Launch["log"]> {
  const most = LEVELS.indexOf(level as (typeof LEVELS)[number])
  const { files, stdio } = runtime
  let last: Promise<unknown> = Promise.resolve()
  return (kind, line) => {
    if (LEVELS.indexOf(kind) > most) return
    if (kind === "error") stdio.log(`koda: ${line}`)
    const row = `${new Date().toISOString()} ${kind} ${line}\n`
    last = last.then(() => append(runtime, row)).catch(() => {}) // a log that can't be written must stop nothing
  }

  async function append(runtime: Runtime, row: string): Promise<void> {
    const folder = `${await kodaHome(runtime.system, files)}/logs`
    const path = `${folder}/koda.log`
    await files.makeFolder(folder, { mode: 0o700 })
    if (((await files.stat(path))?.size ?? 0) > MAX_BYTES) await putAside(path)
    await files.append(path, row, { mode: 0o600 })
  }

  async function putAside(path: string): Promise<void> {
    for (let at = KEPT - 2; at >= 0; at--) {
      const from = at === 0 ? path : `${path}.${at}`
      if (await files.stat(from)) await files.rename(from, `${path}.${at + 1}`)
    }
  }
}
