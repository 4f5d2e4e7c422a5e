import { FileError } from "../../src/runtime.ts"

/** Turns what the platform says into a sentence about the path. */
export function fileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error
  const code = codeOf(error)
  const [kind, says] = KINDS[code] ?? ["other", undefined]
  const message = says ? says(path) : error instanceof Error ? error.message : String(error)
  return new FileError(kind, message, { cause: error })
}

/** "ENOENT" and so on; empty if it is no error of the system. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : ""
}

const denied = (path: string) => `"${path}" can't be opened: permission denied`
const full = (path: string) => `"${path}" can't be written: no space is left on the disk`

const KINDS: Record<string, [FileError["code"], (path: string) => string]> = {
  ENOENT: ["not_found", (path) => `"${path}" does not exist`],
  EACCES: ["not_allowed", denied],
  EPERM: ["not_allowed", denied],
  EROFS: ["not_allowed", (path) => `"${path}" can't be written: the file system is read-only`],
  EISDIR: ["is_folder", (path) => `"${path}" is a folder`],
  ENOTDIR: ["not_folder", (path) => `"${path}" does not lead through folders only, or is none`],
  EEXIST: ["exists", (path) => `"${path}" exists already`],
  ENOTEMPTY: ["exists", (path) => `"${path}" exists already, and is not empty`],
  ENAMETOOLONG: ["other", (path) => `"${path}" is too long a name`],
  ENOSPC: ["full", full],
  EDQUOT: ["full", full],
}
