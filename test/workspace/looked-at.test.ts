import { expect, test } from "vitest"
import { lookedAt } from "../../src/workspace/looked-at.ts"
import { temporaryFolder, testRuntime } from "../support/runtime.ts"

test("what was looked at is the same until it changes, appears or goes", async () => {
  const { files } = await testRuntime()
  const folder = await temporaryFolder()
  await files.write(`${folder}/a.md`, "one")
  const looked = lookedAt(files)
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
