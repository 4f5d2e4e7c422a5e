import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandsHere, until } from "./this-machine.ts"

const never = new AbortController().signal

test("SH-11 a background command is named, read bit by bit, and stopped", async () => {
  const { commands, folder } = await commandsHere()
  const command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; sleep 600"
  expect(await commands.start({ command, folder }, never)).toEqual({ id: "command-1", command, text: "one\n" })
  expect(await commands.read("command-1", 0, never)).toEqual({ id: "command-1", command, text: "" })
  const next = commands.read("command-1", 60_000, never)
  await writeFile(join(folder, "go"), "")
  expect(await next).toEqual({ id: "command-1", command, text: "two\n" })
  expect(await commands.stop("command-1")).toEqual({ id: "command-1", command, text: "", ending: { type: "stopped" } })
  expect(commands.list()).toEqual([{ id: "command-1", command, ending: { type: "stopped" } }])
})

test("SH-11 a background command that ends at once says so at once", async () => {
  const { commands, folder } = await commandsHere()
  expect(await commands.start({ command: "echo port in use; exit 1", folder }, never)).toEqual({
    id: "command-1",
    command: "echo port in use; exit 1",
    text: "port in use\n",
    ending: { type: "exited", code: 1, signal: null, leftovers: false },
  })
})

test("SH-11 who waits for a background command is told of its end", async () => {
  const { commands, folder } = await commandsHere()
  const command = "while [ ! -e go ]; do sleep 0.02; done"
  await commands.start({ command, folder }, never)
  const end = commands.read("command-1", 60_000, never)
  await writeFile(join(folder, "go"), "")
  expect((await end).ending).toEqual({ type: "exited", code: 0, signal: null, leftovers: false })
})

test("waiting for a background command can be cancelled, and leaves it running", async () => {
  const { commands, folder } = await commandsHere()
  await commands.start({ command: "sleep 600", folder }, never)
  const turn = new AbortController()
  const waiting = commands.read("command-1", 60_000, turn.signal)
  turn.abort(new Error("cancelled"))
  await expect(waiting).rejects.toThrow("cancelled")
  expect(commands.list()[0]?.ending).toBe(undefined)
})

test("SH-11 an unknown background command is answered with those there are", async () => {
  const { commands, folder } = await commandsHere()
  await expect(commands.read("x", 0, never)).rejects.toThrow('There is no background command "x". None was started.')
  await commands.start({ command: "true", folder }, never)
  await commands.start({ command: "true", folder }, never)
  await expect(commands.stop("x")).rejects.toThrow("There are: command-1, command-2.")
})

test("SH-11 background commands die with the session", async () => {
  const { commands, folder, end } = await commandsHere()
  const { text } = await commands.start({ command: "echo $$; sleep 600", folder }, never)
  await end()
  await until(() => {
    try {
      return !process.kill(Number(text), 0)
    } catch {
      return true
    }
  })
})

test("what a background command printed while nobody looked is cut, and kept on disk", async () => {
  const { commands, folder, outputFolder } = await commandsHere()
  await commands.start({ command: "echo first; while [ ! -e go ]; do sleep 0.02; done; seq 1 50000", folder }, never)
  await writeFile(join(folder, "go"), "")
  await until(() => commands.list()[0]?.ending !== undefined)
  const { text } = await commands.read("command-1", 0, never)
  expect(text).toMatch(/^\[… [\d,]+ characters are left out here; all of it is in (.*) …\]\n\d+\n/)
  expect(text).toContain(`${outputFolder}/command-1.log`)
  expect(text.endsWith("49999\n50000\n")).toBe(true)
})
