import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises"
import { join } from "node:path"
import { failsWith } from "./files.contract.ts"
import { bytesOf, type Suite } from "./suite.ts"

export function writeContract({ test, runtime }: Suite): void {
  const { files } = runtime
  const isRoot = process.getuid?.() === 0
  const can = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

  test("files: write() makes the file and its folders, and replaces what is there", async (folder) => {
    const path = join(folder, "a/b/c.txt")
    await files.write(path, "one")
    await files.write(path, bytesOf("two"))
    assert.equal(await readFile(path, "utf8"), "two")
    assert.deepEqual(await readdir(join(folder, "a/b")), ["c.txt"])
  })

  test("files: makeFile() makes a file and its folders, and of many at once one; what is there stays, links too", async (folder) => {
    const path = join(folder, "a/b.txt")
    const made = await Promise.allSettled(["1", "2", "3"].map((text) => files.makeFile(path, text)))
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1)
    const before = await readFile(path, "utf8")
    await symlink("nowhere", join(folder, "a/link"))
    await assert.rejects(files.makeFile(path, "4"), failsWith("exists", path))
    await assert.rejects(files.makeFile(join(folder, "a/link"), "4"), failsWith("exists", "a/link"))
    assert.equal(await readFile(path, "utf8"), before)
    assert.deepEqual(await readdir(join(folder, "a")), ["b.txt", "link"])
    assert.equal((await stat(path)).mode & 0o777, 0o666 & ~process.umask())
  })

  test("files: write() makes the folders of a file that is the user's alone for the user alone", async (folder) => {
    await files.write(join(folder, "home/keys/key"), "1", { mode: 0o600 })
    const modes = ["home", "home/keys"].map(async (name) => (await stat(join(folder, name))).mode & 0o777)
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700])
  })

  test("files: write() keeps the mode; a new file gets the one that is asked for", async (folder) => {
    const path = join(folder, "key")
    await files.write(path, "1", { mode: 0o600 })
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    await files.write(path, "2", { mode: 0o644 })
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    await chmod(path, 0o755)
    await files.write(path, "3")
    assert.equal((await stat(path)).mode & 0o777, 0o755)
    await files.write(join(folder, "plain"), "")
    assert.equal((await stat(join(folder, "plain"))).mode & 0o777, 0o666 & ~process.umask())
  })

  test("files: write() replaces the file whole: who has it open goes on reading the old one", async (folder) => {
    const path = join(folder, "a")
    await writeFile(path, "old")
    const before = (await stat(path)).ino
    await files.write(path, "new")
    assert.notEqual((await stat(path)).ino, before)
  })

  test("files: write() goes through links, also one that leads to nothing yet", async (folder) => {
    await mkdir(join(folder, "real"))
    await writeFile(join(folder, "real/a"), "old")
    await symlink("real", join(folder, "way"))
    await symlink("../way/a", join(folder, "real/link"))
    await symlink("real/later", join(folder, "dangling"))
    await files.write(join(folder, "way/link"), "new")
    await files.write(join(folder, "dangling"), "first")
    assert.equal(await readlink(join(folder, "real/link")), "../way/a")
    assert.equal(await readFile(join(folder, "real/a"), "utf8"), "new")
    assert.equal(await readlink(join(folder, "dangling")), "real/later")
    assert.equal(await readFile(join(folder, "real/later"), "utf8"), "first")
  })

  test("files: write() does not run in circles with links", async (folder) => {
    await symlink("b", join(folder, "a"))
    await symlink("a", join(folder, "b"))
    await assert.rejects(files.write(join(folder, "a"), ""), failsWith("other", join(folder, "a")))
  })

  test("files: write() to a file with several names changes it under all of them, longer or shorter", async (folder) => {
    await writeFile(join(folder, "a"), "old")
    await link(join(folder, "a"), join(folder, "b"))
    await files.write(join(folder, "a"), "much longer")
    assert.equal(await readFile(join(folder, "b"), "utf8"), "much longer")
    await files.write(join(folder, "b"), "s")
    assert.equal(await readFile(join(folder, "a"), "utf8"), "s")
    assert.deepEqual((await readdir(folder)).sort(), ["a", "b"])
  })

  test("files: write() leaves a file to its owner", async (folder) => {
    if (!isRoot) return
    const path = join(folder, "a")
    await writeFile(path, "old")
    await chown(path, 12345, 54321)
    await files.write(path, "new")
    const { uid, gid } = await stat(path)
    assert.deepEqual([uid, gid, await readFile(path, "utf8"), await readdir(folder)], [12345, 54321, "new", ["a"]])
  })

  test("files: write() keeps the group", async (folder) => {
    if (!isRoot) return
    await writeFile(join(folder, "a"), "old")
    await chown(join(folder, "a"), 0, 54321)
    await files.write(join(folder, "a"), "new")
    assert.equal((await stat(join(folder, "a"))).gid, 54321)
  })

  test("files: write() reaches a file that can't be renamed over", async (folder) => {
    const path = join(folder, "mounted")
    await writeFile(path, "old")
    await writeFile(join(folder, "source"), "old")
    if (!isRoot || !can("mount", "--bind", join(folder, "source"), path)) return
    try {
      await files.write(path, "new")
      assert.equal(await readFile(join(folder, "source"), "utf8"), "new")
    } finally {
      can("umount", path)
    }
    assert.deepEqual((await readdir(folder)).sort(), ["mounted", "source"])
  })

  test("files: what a killed process left half written is never listed, and goes with the next write there", async (folder) => {
    const dead = spawnSync(process.execPath, ["--version"]).pid
    const uuid = crypto.randomUUID()
    const stale = [`.koda-${dead}-abc-${uuid}.tmp`, `.koda-${process.pid}-abc-${uuid}.tmp`]
    const young = `.koda-${dead}-def-${uuid}.tmp`
    const alive = `.koda-${process.ppid}-abc-${uuid}.tmp`
    const others = [".koda-1-x.tmp", `.koda-${uuid}.tmp`, `x.koda-${dead}-abc-${uuid}.tmp`]
    for (const name of [...stale, young, alive, ...others]) {
      await writeFile(join(folder, name), "")
      if (name !== young) await utimes(join(folder, name), 1000, 1000)
    }
    assert.deepEqual((await files.list(folder)).map(({ name }) => name).sort(), [...others].sort())
    await files.write(join(folder, "a"), "new")
    assert.deepEqual((await readdir(folder)).sort(), [young, alive, "a", ...others].sort())
  })

  test("files: what write() has half written is not listed", async (folder) => {
    const seen = new Set<string>()
    while (seen.size === 0) {
      let done = false
      const write = files.write(join(folder, "a"), new Uint8Array(8_000_000)).finally(() => (done = true))
      while (!done) for (const name of await readdir(folder)) if (name !== "a") seen.add(name)
      await write
    }
    for (const name of seen) {
      assert.match(name, new RegExp(`^\\.koda-${process.pid}-`))
      await writeFile(join(folder, name), "")
    }
    assert.deepEqual(
      (await files.list(folder)).map(({ name }) => name),
      ["a"],
    )
  })

  test("files: write() to a folder is refused", async (folder) => {
    await assert.rejects(files.write(folder, "x"), failsWith("is_folder", folder))
    await writeFile(join(folder, "a"), "")
    await assert.rejects(files.write(join(folder, "a/b"), "x"), failsWith("not_folder", join(folder, "a/b")))
  })

  test('files: write() to a full disk fails with "full", and leaves the file as it was', async (folder) => {
    if (!isRoot || !can("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder)) return
    try {
      const path = join(folder, "a")
      await writeFile(path, "old")
      await assert.rejects(files.write(path, new Uint8Array(1_000_000)), failsWith("full", path))
      await link(path, join(folder, "b"))
      await assert.rejects(files.write(path, new Uint8Array(1_000_000)), failsWith("full", path))
      assert.equal(await readFile(path, "utf8"), "old")
      assert.deepEqual((await readdir(folder)).sort(), ["a", "b"])
    } finally {
      can("umount", folder)
    }
  })
}
