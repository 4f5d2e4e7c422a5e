import type { Stats } from "node:fs"
import { FileError, type FileInfo, type Files, type FolderEntry } from "../../src/runtime.ts"
import { isDraft } from "./drafts.ts"
import { codeOf, fileError } from "./file-error.ts"
import { makeFolders } from "./folders.ts"
import { watchFolders } from "./watch.ts"
import { makeFile, replaceFile } from "./write.ts"

export function nodeFiles(): Files {
  return {
    read,
    async readText(path, signal) {
      return new TextDecoder().decode(await read(path, signal))
    },
    write: (path, data, options) => about(path, replaceFile(path, data, options?.mode)),
    makeFile: (path, data) => about(path, makeFile(path, data)),
    append: (path, data, options) => about(path, append(path, data, options?.mode)),
    stat: (path) => about(path, stat(path)),
    list: (folder) => about(folder, list(folder)),
    realPath: (path) => about(path, fs().realpath(path)),
    readLink: (path) => about(path, readLink(path)),
    makeFolder: (path, options) => about(path, makeFolder(path, options?.mode)),
    remove: (path) => about(path, fs().rm(path, { recursive: true, force: true })),
    rename: (from, to) => about(from, fs().rename(from, to)),
    watch: watchFolders,
  }
}

const fs = () => process.getBuiltinModule("node:fs/promises")

/** Failures as the interface promises them. */
async function about<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw fileError(error, path)
  }
}

async function read(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted()
  try {
    return await readWhole(path, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw fileError(error, path)
  }
}

/** With callbacks: what `initialize` reads must not wait for Node to load its promises, which take 5 ms. */
function readWhole(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  const { readFile, stat, constants } = process.getBuiltinModule("node:fs")
  // a named pipe in the workspace is read as empty, and so is a link to a device that never ends: they must not hold us
  const flag = (constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) as unknown as string // a number, whatever its type says
  return new Promise((resolve, reject) => {
    stat(path, (_, stats) => {
      if (stats?.isCharacterDevice()) return resolve(new Uint8Array())
      readFile(path, { flag, ...(signal && { signal }) }, (error, bytes) => (error ? reject(error) : resolve(bytes)))
    })
  })
}

async function append(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const write = () => fs().appendFile(path, data, mode === undefined ? {} : { mode })
  try {
    await write()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    await makeFolder(process.getBuiltinModule("node:path").dirname(path))
    await write()
  }
}

async function stat(path: string): Promise<FileInfo | undefined> {
  const { stat } = process.getBuiltinModule("node:fs")
  const stats = await found<Stats>(["ENOENT", "ENOTDIR", "ELOOP"], (done) => stat(path, done))
  return stats && { kind: kindOf(stats), size: stats.size, mode: stats.mode & 0o7777, changed: stats.mtimeMs }
}

function readLink(path: string): Promise<string | undefined> {
  const { readlink } = process.getBuiltinModule("node:fs")
  return found<string>(["EINVAL", "ENOENT", "ENOTDIR", "UNKNOWN"], (done) => readlink(path, done))
}

/**
 * What the system answers; undefined if it is one of these errors. With callbacks: before each prompt and each call we
 * look at a dozen places, most of which are not there, and in Node a promise that is rejected costs half as much again.
 */
function found<Value>(
  nothing: readonly string[],
  look: (done: (error: Error | null, value: Value) => void) => void,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    look((error, value) => {
      if (!error) resolve(value)
      else if (nothing.includes(codeOf(error))) resolve(undefined)
      else reject(error)
    })
  })
}

async function list(folder: string): Promise<FolderEntry[]> {
  const entries = await fs().readdir(folder, { withFileTypes: true })
  return entries
    .filter(({ name }) => !isDraft(name))
    .map((entry): FolderEntry => ({ name: entry.name, kind: entry.isSymbolicLink() ? "link" : kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeFolders(path, mode)
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new FileError("exists", `"${path}" exists already and is no folder`)
    throw error
  }
}

function kindOf(of: Pick<Stats, "isFile" | "isDirectory">): FileInfo["kind"] {
  return of.isFile() ? "file" : of.isDirectory() ? "folder" : "other"
}
