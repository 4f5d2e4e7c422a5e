import type { FileHandle } from "node:fs/promises"
import { FileError } from "../../src/runtime.ts"
import { draftOf, removeStaleDrafts } from "./drafts.ts"
import { codeOf, fileError } from "./file-error.ts"
import { makeFolders } from "./folders.ts"

const fs = () => process.getBuiltinModule("node:fs/promises")
const paths = () => process.getBuiltinModule("node:path")

/** Replaces a file whole or not at all. */
export async function replaceFile(path: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data
  const target = await behindLinks(path)
  const old = await statOf(target)
  if (!old) {
    await makeFolders(paths().dirname(target), mode === 0o600 ? 0o700 : undefined)
    return await replaceByRename(target, bytes, (draft) => (mode === undefined ? undefined : draft.chmod(mode)))
  }
  if (old.isDirectory()) throw new FileError("is_folder", `"${path}" is a folder`)
  if (!old.isFile()) return await fs().writeFile(target, bytes) // a device or a pipe: there is nothing to keep
  await mayBeWritten(target)

  const isShared = old.nlink > 1 || (process.getuid !== undefined && old.uid !== process.getuid())
  if (isShared) return await rewriteInPlace(target, bytes)
  try {
    await replaceByRename(target, bytes, async (draft) => {
      if ((await draft.stat()).gid !== old.gid) await draft.chown(-1, old.gid)
      await draft.chmod(old.mode & 0o7777)
    })
  } catch (error) {
    if (!NO_RENAME.includes(codeOf(error))) throw error
    await rewriteInPlace(target, bytes)
  }
}

/** Makes a file, whole, where there is nothing. */
export async function makeFile(path: string, data: string): Promise<void> {
  await makeFolders(paths().dirname(path))
  const draft = draftOf(path)
  try {
    await writeNew(draft, new TextEncoder().encode(data), () => undefined)
    await fs().link(draft, path)
  } catch (error) {
    if (!NO_LINK.includes(codeOf(error))) throw error
    if (await statOf(path)) throw new FileError("exists", `"${path}" exists already`)
    await fs().rename(draft, path)
  } finally {
    await fs().rm(draft, { force: true })
  }
}

/** How a file system says that a file can't have two names. */
const NO_LINK = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"]

/** A rename would also replace what may not be written. Opened, as Deno's `access` looks at the mode alone. */
async function mayBeWritten(path: string): Promise<void> {
  try {
    await (await fs().open(path, "r+")).close()
  } catch (error) {
    if (codeOf(error) !== "ETXTBSY") throw error // a program that runs can be replaced, though not rewritten
  }
}

/** How a folder says that nothing can be made or renamed in it, or a file that it is mounted. */
const NO_RENAME = ["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "EINVAL", "ENAMETOOLONG", "ENOTSUP"]

async function replaceByRename(
  target: string,
  bytes: Uint8Array,
  prepare: (draft: FileHandle) => Promise<void> | undefined,
): Promise<void> {
  const draft = draftOf(target)
  try {
    await writeNew(draft, bytes, prepare)
    await fs().rename(draft, target)
  } catch (error) {
    await fs().rm(draft, { force: true })
    throw error
  }
  await removeStaleDrafts(paths().dirname(target))
}

async function writeNew(
  path: string,
  bytes: Uint8Array,
  prepare: (file: FileHandle) => Promise<void> | undefined,
): Promise<void> {
  const file = await fs().open(path, "wx")
  try {
    await prepare(file)
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Keeps what the file was in a copy until the file is whole again. */
async function rewriteInPlace(target: string, bytes: Uint8Array): Promise<void> {
  const before = await fs().readFile(target)
  const copy = await keepCopy(target, before)
  try {
    await overwrite(target, bytes)
  } catch (error) {
    await overwrite(target, before).catch(() => {
      const { code, message } = fileError(error, target)
      throw new FileError(code, `${message}. What it held before is in "${copy}"`, { cause: error })
    })
    await fs().rm(copy, { force: true })
    throw error
  }
  await fs().rm(copy, { force: true })
}

/** Beside the file; where nothing can be made there, among the temporary files. */
async function keepCopy(target: string, bytes: Uint8Array): Promise<string> {
  const name = `.koda-${crypto.randomUUID()}.copy`
  const isPrivate = (file: FileHandle) => file.chmod(0o600)
  const beside = paths().join(paths().dirname(target), name)
  try {
    await writeNew(beside, bytes, isPrivate)
    return beside
  } catch (error) {
    await fs().rm(beside, { force: true })
    if (!NO_RENAME.includes(codeOf(error))) throw error
    const elsewhere = paths().join(process.getBuiltinModule("node:os").tmpdir(), name)
    await writeNew(elsewhere, bytes, isPrivate)
    return elsewhere
  }
}

/** Without cutting it first: what a full disk refuses can then be written back. */
async function overwrite(target: string, bytes: Uint8Array): Promise<void> {
  const file = await fs().open(target, "r+")
  try {
    for (let at = 0; at < bytes.byteLength; ) {
      at += (await file.write(bytes, at, bytes.byteLength - at, at)).bytesWritten
    }
    await file.truncate(bytes.byteLength)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Where the links end, though there may be nothing yet. */
async function behindLinks(path: string): Promise<string> {
  let target = path
  for (let links = 0; links < 40; links++) {
    const next = await fs()
      .readlink(target)
      .catch(() => undefined)
    if (next === undefined) return target
    const folder = await fs()
      .realpath(paths().dirname(target))
      .catch(() => paths().dirname(target))
    target = paths().resolve(folder, next)
  }
  throw new FileError("other", `"${path}" is a link that leads to itself`)
}

async function statOf(path: string) {
  return await fs()
    .stat(path)
    .catch((error) => {
      if (codeOf(error) === "ENOENT") return undefined
      throw error
    })
}
