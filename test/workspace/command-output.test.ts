import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { nodeRuntime } from "../../runtime/node/runtime.ts"
import type { Files } from "../../src/runtime.ts"
import { CommandOutput } from "../../src/workspace/command-output.ts"
import { OutputFile } from "../../src/workspace/output-file.ts"
import { temporaryFolder } from "./this-machine.ts"

/** So many numbered lines of ten characters. */
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${String(from + index).padStart(9, "0")}\n`).join("")

async function outputIn(folder: string, files: Files = nodeRuntime().files): Promise<CommandOutput> {
  return new CommandOutput(new OutputFile(files, folder, "log"))
}

test("what fits is shown whole, the unfinished line with it, and nothing is written to disk", async () => {
  const folder = await temporaryFolder()
  const output = await outputIn(folder)
  await output.add(lines(0, 2_999))
  await output.add("prompt> ")
  expect((await output.text()) === `${lines(0, 2_999)}prompt> `).toBe(true)
  await expect(readFile(join(folder, "log"))).rejects.toThrow("ENOENT")
})

test("what does not fit loses its middle between two lines, and all of it is on disk in the order in which it came", async () => {
  const folder = await temporaryFolder()
  const output = await outputIn(folder)
  for (let from = 0; from < 10_000; from += 100) await output.add(lines(from, from + 100))
  const [head, note, tail] = (await output.text()).split(/^(\[….*\]\n)/m)
  expect([head === lines(0, 800), note, tail === lines(7_801, 10_000)]).toEqual([
    true,
    `[… 70,010 characters are left out here; all of it is in ${join(folder, "log")} …]\n`,
    true,
  ])
  expect((await readFile(join(folder, "log"), "utf8")) === lines(0, 10_000)).toBe(true)
})

test("what was read is not read again, and an unfinished line is read on where it was left", async () => {
  const output = await outputIn("/unused")
  const reads: [boolean, string][] = []
  const read = async () => reads.push([output.hasFresh, await output.fresh()])
  await read()
  await output.add("one\ntw")
  await read()
  await read()
  await output.add("o\nthree\n")
  await read()
  await output.add("10%")
  await read()
  await output.add("\r20%")
  await read()
  expect(reads).toEqual([
    [false, ""],
    [true, "one\ntw"],
    [false, ""],
    [true, "o\nthree\n"],
    [true, "10%"],
    [true, "20%"],
  ])
})

test("a disk that takes nothing costs the whole output, and nothing else", async () => {
  const refuse = async () => Promise.reject(new Error("disk full"))
  for (const broken of [{ makeFolder: refuse }, { append: refuse }]) {
    const output = await outputIn(await temporaryFolder(), { ...nodeRuntime().files, ...broken })
    await output.add(lines(0, 10_000))
    const text = await output.text()
    expect([text.includes("characters are left out here …]"), text.endsWith(lines(9_990, 10_000))]).toEqual([
      true,
      true,
    ])
  }
})
