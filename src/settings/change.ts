import { FileError, type Files } from "../runtime.ts"
import { type JsonObject, lineAt, parseJsonc } from "../text/jsonc.ts"
import { changeJsonc, same } from "../text/jsonc-edit.ts"
import { SettingsError } from "./settings-error.ts"

/** How often we begin again because another process has written the file meanwhile. */
const TRIES = 5

const lines = new Map<string, Promise<unknown>>()

/**
 * Changes a settings file: what `change` does not touch stays as it is, comments and unknown keys too. The file is
 * replaced whole; a new one is the user's alone, unless another mode is given. A file that can't be read is refused with
 * a SettingsError, and not touched.
 */
export async function changeSettings(
  files: Files,
  path: string,
  change: (old: JsonObject) => JsonObject,
  mode = 0o600,
): Promise<void> {
  const before = lines.get(path) ?? Promise.resolve()
  const mine = before.then(() => changeNow(files, path, change, mode))
  const line = mine.catch(() => {}) // the next one has its own file to look at
  lines.set(path, line)
  void line.then(() => lines.get(path) === line && lines.delete(path))
  await mine
}

async function changeNow(
  files: Files,
  path: string,
  change: (old: JsonObject) => JsonObject,
  mode: number,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const text = await textOf(files, path)
    const old = objectIn(path, text ?? "")
    const value = change(old)
    if (same(old, value)) return
    const isUntouched = (await textOf(files, path)) === text
    if (!isUntouched && tries < TRIES) continue
    if (text === undefined && mode === 0o600)
      await files.makeFolder(path.slice(0, path.lastIndexOf("/")), { mode: 0o700 })
    return await files.write(path, changeJsonc(text ?? "", value), { mode })
  }
}

function objectIn(path: string, text: string): JsonObject {
  const { node, fault } = parseJsonc(text)
  if (fault) throw new SettingsError(path, lineAt(text, fault.offset), `${fault.message}; mend it first`)
  if (!node) return {}
  if (!node.properties) throw new SettingsError(path, 1, "settings must be an object; mend it first")
  return node.value as JsonObject
}

async function textOf(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.readText(path)
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return undefined
    throw error
  }
}
