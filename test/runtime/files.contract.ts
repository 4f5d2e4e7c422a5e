import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { FileError } from "../../src/runtime.ts"
import { bytesOf, type Suite } from "./suite.ts"

export function failsWith(code: FileError["code"], mentions: string) {
  return (error: unknown) => {
    assert.ok(error instanceof FileError, String(error))
    assert.equal(error.code, code)
    assert.ok(error.message.includes(mentions), error.message)
    return true
  }
}

export function filesContract({ test, runtime }: Suite): void {
  const { files } = runtime

  test("files: read() gives the bytes, readText() the text, without a byte order mark and with what is no UTF-8 replaced", async (folder) => {
    const path = join(folder, "a.txt")
    await writeFile(path, Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3, 0xa9]))
    assert.deepEqual([...(await files.read(path))], [0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3, 0xa9])
    assert.equal(await files.readText(path), "a\ufffdé")
  })

  test("files: what can't be read says which file, and why", async (folder) => {
    await writeFile(join(folder, "file"), "")
    const missing = join(folder, "missing")
    await assert.rejects(files.read(missing), failsWith("not_found", `"${missing}"`))
    await assert.rejects(files.readText(missing), failsWith("not_found", `"${missing}"`))
    await assert.rejects(files.read(folder), failsWith("is_folder", folder))
    await assert.rejects(files.read(join(folder, "file/below")), failsWith("not_folder", "file/below"))
    await assert.rejects(files.list(missing), failsWith("not_found", missing))
    await assert.rejects(files.list(join(folder, "file")), failsWith("not_folder", "file"))
    await assert.rejects(files.realPath(missing), failsWith("not_found", missing))
    await assert.rejects(files.rename(missing, join(folder, "b")), failsWith("not_found", missing))
    await assert.rejects(files.makeFolder(join(folder, "file")), failsWith("exists", "file"))
    await assert.rejects(files.read(join(folder, "x".repeat(300))), failsWith("other", "x".repeat(300)))
  })

  test("files: a read that is aborted rejects with the reason", async (folder) => {
    const reason = new Error("enough")
    await assert.rejects(files.read(join(folder, "a"), AbortSignal.abort(reason)), reason)
    const stop = new AbortController()
    await writeFile(join(folder, "big"), Buffer.alloc(50_000_000))
    const reading = files.read(join(folder, "big"), stop.signal)
    stop.abort(reason)
    await assert.rejects(reading, reason)
  })

  test("files: a named pipe, and a device without an end, do not hold the reader", async (folder) => {
    if (spawnSync("mkfifo", [join(folder, "pipe")]).status !== 0) return
    assert.equal((await files.read(join(folder, "pipe"))).byteLength, 0)
    await symlink("/dev/zero", join(folder, "zero"))
    assert.equal((await files.read(join(folder, "zero"))).byteLength, 0)
  })

  test("files: append() adds to the end, and makes the file and its folders", async (folder) => {
    const path = join(folder, "a/b/log")
    await files.append(path, "one\n", { mode: 0o600 })
    await files.append(path, bytesOf("two\n"))
    assert.equal(await readFile(path, "utf8"), "one\ntwo\n")
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  test("files: stat() tells of what a link leads to, and is undefined if there is nothing", async (folder) => {
    await writeFile(join(folder, "file"), "12345")
    await chmod(join(folder, "file"), 0o640)
    await symlink("file", join(folder, "link"))
    await symlink("nowhere", join(folder, "dangling"))
    const { mtimeMs } = await stat(join(folder, "file"))
    const file = { kind: "file", size: 5, mode: 0o640, changed: mtimeMs }
    assert.deepEqual(await files.stat(join(folder, "file")), file)
    assert.deepEqual(await files.stat(join(folder, "link")), file)
    assert.equal((await files.stat(folder))?.kind, "folder")
    assert.equal((await files.stat("/dev/null"))?.kind, "other")
    for (const nothing of ["missing", "dangling", "file/below"]) {
      assert.equal(await files.stat(join(folder, nothing)), undefined)
    }
  })

  test("files: list() is sorted, and a link is a link wherever it leads", async (folder) => {
    await mkdir(join(folder, "b"))
    await writeFile(join(folder, "c"), "")
    await writeFile(join(folder, "B"), "")
    await symlink("b", join(folder, "a"))
    await symlink("nowhere", join(folder, "d"))
    if (spawnSync("mkfifo", [join(folder, "e")]).status !== 0) return
    assert.deepEqual(await files.list(folder), [
      { name: "B", kind: "file" },
      { name: "a", kind: "link" },
      { name: "b", kind: "folder" },
      { name: "c", kind: "file" },
      { name: "d", kind: "link" },
      { name: "e", kind: "other" },
    ])
  })

  test("files: realPath() resolves every link, readLink() one", async (folder) => {
    await mkdir(join(folder, "real"))
    await writeFile(join(folder, "real/file"), "")
    await symlink("real", join(folder, "way"))
    await symlink("../way/file", join(folder, "real/link"))
    assert.equal(await files.realPath(join(folder, "way/link")), join(folder, "real/file"))
    assert.equal(await files.readLink(join(folder, "way/link")), "../way/file")
    assert.equal(await files.readLink(join(folder, "real/file")), undefined)
    assert.equal(await files.readLink(join(folder, "missing")), undefined)
  })

  test("files: makeFolder() fails where the system makes none", async () => {
    if ((await files.stat("/proc"))?.kind !== "folder") return
    await assert.rejects(files.makeFolder("/proc/none/below"), failsWith("not_found", "/proc/none"))
  })

  test("files: makeFolder() makes the folders on the way, with a mode, and minds none that are there", async (folder) => {
    const path = join(folder, "a/b")
    await files.makeFolder(path, { mode: 0o700 })
    await files.makeFolder(path)
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  test("files: remove() takes a folder with all that is in it, a link but not what it leads to, and nothing without failure", async (folder) => {
    await mkdir(join(folder, "kept"))
    await writeFile(join(folder, "kept/file"), "")
    await mkdir(join(folder, "gone/deep"), { recursive: true })
    await symlink("../kept", join(folder, "gone/link"))
    await symlink("kept", join(folder, "link"))
    for (const name of ["gone", "link", "missing"]) await files.remove(join(folder, name))
    assert.deepEqual(await files.list(folder), [{ name: "kept", kind: "folder" }])
    assert.deepEqual(await files.list(join(folder, "kept")), [{ name: "file", kind: "file" }])
  })

  test("files: rename() moves over what is there", async (folder) => {
    await writeFile(join(folder, "a"), "new")
    await writeFile(join(folder, "b"), "old")
    await files.rename(join(folder, "a"), join(folder, "b"))
    assert.equal(await files.readText(join(folder, "b")), "new")
    assert.equal(await files.stat(join(folder, "a")), undefined)
  })
}
