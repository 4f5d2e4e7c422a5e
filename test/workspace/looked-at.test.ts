import { expect, test } from "vitest"
import { lookedAt, shared } from "../../src/workspace/looked-at.ts"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"

test("what was looked at is the same until it changes, appears or goes", async () => {
  const { files } = await testRuntime()
  const folder = await temporaryFolder()
  await files.write(`${folder}/a.md`, "one")
  const looked = lookedAt(files, () => Date.now() + 1000)
  const story: boolean[] = []
  const look = async () => {
    looked.forget()
    await looked.files.readText(`${folder}/a.md`).catch(() => {})
    await looked.files.stat(`${folder}/b.md`)
    await looked.files.list(`${folder}/sub`).catch(() => {})
  }
  await look()
  story.push(await looked.hasChanged())
  await files.write(`${folder}/a.md`, "another")
  story.push(await looked.hasChanged())
  await look()
  await files.write(`${folder}/b.md`, "new")
  story.push(await looked.hasChanged())
  await look()
  await files.makeFolder(`${folder}/sub`)
  story.push(await looked.hasChanged())
  await look()
  await files.remove(`${folder}/a.md`)
  story.push(await looked.hasChanged())
  await look()
  story.push(await looked.hasChanged())
  expect(story).toEqual([false, true, true, true, true, false])
})

test("a file that has just been written is looked at again, as the next change may leave its size and time", async () => {
  const { files } = await testRuntime()
  const path = `${await temporaryFolder()}/a.md`
  await files.write(path, "one")
  const { changed = 0 } = (await files.stat(path)) ?? {}
  let now = changed + 1
  const looked = lookedAt(files, () => now)
  await looked.files.readText(path)
  const story = [await looked.hasChanged()] // in the same moment
  now += 1000
  story.push(await looked.hasChanged())
  looked.forget()
  await looked.files.readText(path)
  story.push(await looked.hasChanged())
  expect(story).toEqual([true, true, false])
})

test("who asks for a look while one is taken shares the next with all who ask until it begins", async () => {
  const looks: PromiseWithResolvers<number>[] = []
  const look = shared(() => {
    looks.push(Promise.withResolvers())
    return looks.at(-1)!.promise
  })
  const first = look()
  await Promise.resolve()
  const others = [look(), look()]
  const begun = [looks.length]
  looks[0]?.resolve(1)
  await first
  await Promise.resolve()
  begun.push(looks.length)
  looks[1]?.reject(new Error("gone"))
  const ends = await Promise.allSettled(others)
  const after = look()
  await Promise.resolve()
  looks[2]?.resolve(3)
  expect([begun, ends.map(({ status }) => status), await first, await after]).toEqual([
    [1, 2],
    ["rejected", "rejected"],
    1,
    3,
  ])
})
