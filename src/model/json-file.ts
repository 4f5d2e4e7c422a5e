import { FileError, type Files } from "../runtime.ts"

type Fields = Record<string, unknown>

/** What a JSON file holds; an empty object if there is no file. Throws what a person can mend. */
export async function readJson(files: Pick<Files, "readText">, path: string): Promise<Fields> {
  let text: string
  try {
    text = await files.readText(path)
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return {}
    throw error
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {
    // said below, in our words: the parser's may quote a key
  }
  throw new Error(`${path} is not a JSON object; mend or remove it`)
}

/** Writes a JSON file whole, readable to its owner only. */
export async function writeJson(files: Pick<Files, "write">, path: string, value: Fields): Promise<void> {
  await files.write(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A text that says something. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() ? value.trim() : undefined
}
