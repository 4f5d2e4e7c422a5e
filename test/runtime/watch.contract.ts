import assert from "node:assert/strict"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Suite, until } from "./suite.ts"

export function watchContract({ test, runtime }: Suite): void {
  const { files } = runtime

  function watching(folders: string[]) {
    const stop = new AbortController()
    const batches: string[][] = []
    const ended = (async () => {
      for await (const paths of files.watch(folders, stop.signal)) batches.push([...paths])
    })()
    const seen = () => new Set(batches.flat())
    return {
      batches,
      sees: (path: string) => until(() => seen().has(path), path),
      forget: () => void batches.splice(0),
      async stop() {
        stop.abort()
        await ended
      },
    }
  }

  test("files: watch() yields what appears, changes and vanishes, in subfolders too, and ends with the signal", async (folder) => {
    await mkdir(join(folder, "sub"))
    await writeFile(join(folder, "sub/old"), "1")
    const watch = watching([folder])
    for (const name of ["new", "sub/new", "sub/old"]) {
      await writeFile(join(folder, name), "22")
      await watch.sees(join(folder, name))
    }
    watch.forget()
    await rm(join(folder, "sub/old"))
    await watch.sees(join(folder, "sub/old"))
    await watch.stop()
  })

  test("files: watch() keeps seeing a file that is saved by a rename", async (folder) => {
    const path = join(folder, "a.md")
    await writeFile(path, "0")
    const watch = watching([folder])
    for (let i = 1; i <= 3; i++) {
      await writeFile(join(folder, ".draft"), `${i}`)
      await rename(join(folder, ".draft"), path)
      await watch.sees(path)
      watch.forget()
      await writeFile(path, `in place ${i}`)
      await watch.sees(path)
      watch.forget()
    }
    await rm(path)
    await watch.sees(path)
    await watch.stop()
  })

  test("files: watch() waits for folders that do not exist, and follows one that is replaced", async (folder) => {
    const wanted = join(folder, ".koda/agents")
    const watch = watching([wanted])
    await mkdir(wanted, { recursive: true })
    await writeFile(join(wanted, "a.md"), "1")
    await watch.sees(join(wanted, "a.md"))

    await mkdir(join(folder, "other"))
    await writeFile(join(folder, "other/b.md"), "1")
    await rename(wanted, join(folder, "away"))
    await rename(join(folder, "other"), wanted)
    await watch.sees(join(wanted, "b.md"))

    await rm(join(folder, ".koda"), { recursive: true })
    watch.forget()
    await mkdir(join(wanted, "deep"), { recursive: true })
    await writeFile(join(wanted, "deep/c.md"), "1")
    await watch.sees(join(wanted, "deep/c.md"))
    await watch.stop()
  })

  test("files: watch() misses nothing that happens between its call and its first batch", async (folder) => {
    const stop = new AbortController()
    const changes = files.watch([folder], stop.signal)
    await writeFile(join(folder, "a"), "")
    for await (const paths of changes) {
      assert.deepEqual(paths, [join(folder, "a")])
      stop.abort()
    }
  })

  test("files: watch() tells of a burst at once", async (folder) => {
    const watch = watching([folder])
    for (let i = 0; i < 50; i++) await writeFile(join(folder, `${i}`), "")
    await watch.sees(join(folder, "49"))
    assert.ok(watch.batches.length < 25, `${watch.batches.length} batches`)
    await watch.stop()
  })

  test("files: watch() yields only what lies under its folders, and nothing for a signal that has aborted", async (folder) => {
    await mkdir(join(folder, "in"))
    const watch = watching([join(folder, "in")])
    await writeFile(join(folder, "out"), "")
    await writeFile(join(folder, "in/a"), "")
    await watch.sees(join(folder, "in/a"))
    assert.deepEqual(watch.batches.flat(), [join(folder, "in/a")])
    await watch.stop()
    for await (const _ of files.watch([folder], AbortSignal.abort())) assert.fail()
  })
}
