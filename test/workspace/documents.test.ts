import { rm, writeFile } from "node:fs/promises"
import { expect, test, vi } from "vitest"
import { editFiles } from "../../src/tools/edit-files.ts"
import { replace } from "../../src/tools/replace.ts"
import { writeFile as write } from "../../src/tools/write-file.ts"
import type { Editor } from "../../src/workspace/editor.ts"
import { createDocuments } from "../../src/workspace/open-documents.ts"
import { type Bench, benchOf, bytesOf, NEVER } from "../support/editing.ts"
import { codeCompanion, type FakeEditor, refusing, silent, toad, zed } from "../support/editors.ts"
import type { Tree } from "../support/folder.ts"

const CONFLICT =
  "a.txt was not changed: it has unsaved changes in the editor and has changed on disk. " +
  "Ask the user to save the file or to discard what is not saved."

/** A bench with an editor that keeps buffers. */
async function inZed(tree: Tree, saves?: "does not save"): Promise<Bench & { editor: FakeEditor }> {
  let editor: FakeEditor | undefined
  const bench = await benchOf(tree, (cwd) => (editor = zed(cwd, saves)))
  return { ...bench, editor: editor! }
}

const edit = ({ call }: Bench, old_string: string, new_string: string) =>
  call(replace, { path: "a.txt", old_string, new_string })

test("R-109 what the user has typed and not saved is what is read, and the edit goes into it", async () => {
  const bench = await inZed({ "a.txt": "one\ntwo\n" })
  bench.editor.type("a.txt", "one\ntwo\nthree\n")
  expect(await bench.workspace.documents.read(bench.path("a.txt"), NEVER)).toMatchObject({
    text: "one\ntwo\nthree\n",
    source: "buffer",
  })
  expect(await edit(bench, "three", "3")).toBe(
    "Replaced 1 occurrence in a.txt (line 3).\n@@ line 1 @@\n one\n two\n-three\n+3",
  )
  expect(bench.editor.asked.filter((request) => request.startsWith("write"))).toEqual(["write a.txt"])
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["one\ntwo\n3\n", "one\ntwo\n3\n"])
})

test("R-111 a file whose buffer is as the disk is written on disk, not by the editor", async () => {
  const bench = await inZed({ "a.txt": "one\n" })
  await edit(bench, "one", "two")
  expect(bench.editor.asked.filter((request) => request.startsWith("write"))).toEqual([])
  expect(await bench.text("a.txt")).toBe("two\n")
})

test("R-107 an editor that can't read is not asked, and one that can't write is not written to", async () => {
  const asked: string[] = []
  const onlyWrites = await benchOf({ "a.txt": "one\n" }, () => ({
    writeText: async (path) => void asked.push(path),
  }))
  await edit(onlyWrites, "one", "two")
  expect([asked, await onlyWrites.text("a.txt")]).toEqual([[], "two\n"])

  const onlyReads = await benchOf({ "a.txt": "one\n" }, () => ({ readText: async () => "unsaved\n" }))
  expect(await edit(onlyReads, "unsaved", "two")).toBe(
    "a.txt was not changed: it has unsaved changes in the editor. Ask the user to save it.",
  )
  expect(await onlyReads.text("a.txt")).toBe("one\n")
})

test("ED-15 a buffer that has not noticed our own write is late: the disk counts", async () => {
  const bench = await inZed({ "a.txt": "one\ntwo\n" })
  await bench.read("a.txt")
  await edit(bench, "one", "1")
  await edit(bench, "two", "2")
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["1\n2\n", "one\ntwo\n"])
  expect(await bench.read("a.txt")).toBe("1\n2\n")
})

test("ED-15 a buffer that has not noticed what a command did is late: the disk counts", async () => {
  const bench = await inZed({ "a.txt": "one\ntwo\n" })
  await bench.read("a.txt")
  await writeFile(bench.path("a.txt"), "ONE\ntwo\n") // as `sed -i` does
  bench.workspace.documents.touched()
  expect(await bench.read("a.txt")).toBe("ONE\ntwo\n")
  await edit(bench, "two", "2")
  expect(await bench.text("a.txt")).toBe("ONE\n2\n")
})

test("ED-15 a buffer first seen after a command changed the file is late as well", async () => {
  const bench = await inZed({ "a.txt": "one\n" })
  bench.editor.type("a.txt", "one\n")
  await writeFile(bench.path("a.txt"), "ONE\n")
  bench.workspace.documents.touched()
  expect(await bench.read("a.txt")).toBe("ONE\n")
})

test("ED-15 a command that did not touch the file does not make what is unsaved late", async () => {
  const bench = await inZed({ "a.txt": "one\n" })
  bench.editor.type("a.txt", "one and more\n")
  bench.workspace.documents.touched(Date.now() + 60_000)
  expect(await bench.read("a.txt")).toBe("one and more\n")
  bench.workspace.documents.touched()
  expect(await bench.read("a.txt")).toBe("one and more\n")
})

test("ED-15 an editor that has noticed counts again", async () => {
  const bench = await inZed({ "a.txt": "one\ntwo\n" })
  await edit(bench, "one", "1")
  bench.editor.type("a.txt", "1\ntwo\n")
  await bench.read("a.txt")
  bench.editor.type("a.txt", "1\ntwo\nthree\n")
  await edit(bench, "three", "3")
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["1\ntwo\n3\n", "1\ntwo\n3\n"])
})

test("ED-15 an edit is refused when the disk was changed and the user has typed since", async () => {
  const bench = await inZed({ "a.txt": "one\ntwo\n" })
  await bench.read("a.txt")
  await writeFile(bench.path("a.txt"), "ONE\ntwo\n")
  bench.workspace.documents.touched()
  bench.editor.type("a.txt", "one\ntwo\nthree\n")
  expect(await edit(bench, "two", "2")).toBe(CONFLICT)
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["ONE\ntwo\n", "one\ntwo\nthree\n"])
  await writeFile(bench.path("a.txt"), "one\ntwo\nthree\n") // the user saves
  await edit(bench, "two", "2")
  expect(await bench.text("a.txt")).toBe("one\n2\nthree\n")
})

test("ED-15 an edit is refused when somebody else changed the disk under what is unsaved", async () => {
  const bench = await inZed({ "a.txt": "one\n" })
  bench.editor.type("a.txt", "one and more\n")
  await bench.read("a.txt")
  await writeFile(bench.path("a.txt"), "theirs\n")
  expect(await edit(bench, "one", "1")).toBe(CONFLICT)
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["theirs\n", "one and more\n"])
})

test("ED-10 a file that is not there is not there, though the editor says it is empty", async () => {
  const bench = await benchOf({}, codeCompanion)
  await expect(bench.read("a.txt")).rejects.toMatchObject({ name: "FileError", code: "not_found" })
  expect(await edit(bench, "a", "b")).toBe("There is no file a.txt. To create it, use write_file.")
  expect(await bench.call(write, { path: "a.txt", content: "one\n" })).toBe("Created a.txt (1 line).")
})

test("ED-10 a file that an editor can't read is read from the disk", async () => {
  const emptied = await benchOf({ "a.txt": "one\n" }, () => ({ readText: async () => "", writeText: async () => {} }))
  const refused = await benchOf({ "a.txt": "one\n" }, () => refusing)
  expect([await emptied.read("a.txt"), await refused.read("a.txt")]).toEqual(["one\n", "one\n"])
  await edit(refused, "one", "two")
  expect(await refused.text("a.txt")).toBe("two\n")
})

test("ED-10 a file that is not UTF-8 is never written from what an editor made of it", async () => {
  const bench = await benchOf({ "a.txt": bytesOf("caf\xe9 one\n"), "b.bin": bytesOf("a\0\xff") }, toad)
  await edit(bench, "one", "two")
  expect(await bench.bytes("a.txt")).toBe("caf\xe9 two\n")
  expect(await bench.call(write, { path: "b.bin", content: "x" })).toContain("is a binary file")
  expect(await bench.bytes("b.bin")).toBe("a\0\xff")
})

test("a new file that is only in the editor is read and edited there", async () => {
  const bench = await inZed({})
  bench.editor.type("a.txt", "draft\n")
  expect(await bench.read("a.txt")).toBe("draft\n")
  await edit(bench, "draft", "done")
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["done\n", "done\n"])
})

test("a file that a command removed is gone, though the editor has it still", async () => {
  const bench = await inZed({ "a.txt": "one\n" })
  await bench.read("a.txt")
  await rm(bench.path("a.txt"))
  bench.workspace.documents.touched()
  await expect(bench.read("a.txt")).rejects.toMatchObject({ code: "not_found" })
})

test("ED-11 line ends that an editor drops when it writes are put back on disk", async () => {
  const bench = await benchOf({ "a.txt": "one\r\ntwo\nthree" }, (cwd) =>
    codeCompanion(cwd, { "a.txt": "one\ntwo\nthree\nfour" }),
  )
  await edit(bench, "four", "4")
  expect(await bench.bytes("a.txt")).toBe("one\r\ntwo\nthree\n4")
})

test("ED-11 an editor that keeps line ends is left to it, and what is not near a line stays", async () => {
  const bench = await inZed({ "a.txt": "one\r\ntwo\fthree\u2028four\r\n" })
  bench.editor.type("a.txt", "one\ntwo\fthree\u2028four\nfive\n")
  await edit(bench, "five", "5")
  expect(await bench.text("a.txt")).toBe("one\r\ntwo\fthree\u2028four\r\n5\r\n")
})

test("ED-11 what the editor makes of the text when it saves is said and shown", async () => {
  const formats = (cwd: string): Editor => {
    const inner = zed(cwd)
    inner.type("a.txt", "let a=1\nlet b=2\n")
    return {
      readText: inner.readText,
      writeText: (path, text, signal) => inner.writeText(path, text.replaceAll("=", " = "), signal),
    }
  }
  const bench = await benchOf({ "a.txt": "let a=1\n" }, formats)
  const { content, display } = await bench.outcome(replace, { path: "a.txt", old_string: "b=2", new_string: "b=3" })
  expect(content).toEqual([
    {
      type: "text",
      text:
        "Replaced 1 occurrence in a.txt (line 2).\n" +
        "a.txt: The editor changed the text when it saved it (a formatter, perhaps).\n" +
        "@@ line 1 @@\n-let a=1\n-let b=2\n+let a = 1\n+let b = 3",
    },
  ])
  expect(display).toEqual([
    { type: "diff", path: bench.path("a.txt"), oldText: "let a=1\nlet b=2\n", newText: "let a = 1\nlet b = 3\n" },
  ])
})

test("ED-11 an editor that does not save is left to its buffer, which is said", async () => {
  const bench = await inZed({ "a.txt": "one\n" }, "does not save")
  bench.editor.type("a.txt", "one\ntwo\n")
  expect(await edit(bench, "two", "2")).toContain(
    "a.txt: The change is in the editor and not saved yet; the file on disk is as it was.",
  )
  await edit(bench, "one", "1")
  expect([await bench.text("a.txt"), bench.editor.buffer("a.txt")]).toEqual(["one\n", "1\n2\n"])
})

test("an editor that refuses to write an unsaved buffer is not gone around", async () => {
  const bench = await benchOf({ "a.txt": "one\n" }, () => ({ ...refusing, readText: async () => "one\ntwo\n" }))
  expect(await edit(bench, "two", "2")).toBe(
    "a.txt has unsaved changes in the editor, and the editor refused to write it: not now",
  )
  expect(await bench.text("a.txt")).toBe("one\n")
})

test("ED-14 where an editor refuses one of several files, none is changed, and that is said", async () => {
  const bench = await benchOf({ "a.txt": "one\n", "b.txt": "one\n" }, (cwd) => ({
    ...refusing,
    readText: async (path) => (path === `${cwd}/b.txt` ? "one\ntwo\n" : Promise.reject(new Error("not open"))),
  }))
  const change = (path: string, old_string: string) => ({ path, old_string, new_string: "2" })
  const edits = [change("a.txt", "one"), { path: "n.txt", old_string: "", new_string: "new" }, change("b.txt", "two")]
  expect(await bench.call(editFiles, { edits })).toBe(
    "b.txt has unsaved changes in the editor, and the editor refused to write it: not now. " +
      "None of the 3 files was changed.",
  )
  expect([await bench.text("a.txt"), await bench.text("b.txt")]).toEqual(["one\n", "one\n"])
  await expect(bench.text("n.txt")).rejects.toThrow("ENOENT")
})

test("an editor that takes no notice of a write has the text put on disk", async () => {
  const bench = await benchOf({ "a.txt": "one\n" }, () => ({
    readText: async () => "one\ntwo\n",
    writeText: async () => {},
  }))
  expect(await edit(bench, "two", "2")).toContain("The editor did not take the change, so the file was written on disk")
  expect(await bench.text("a.txt")).toBe("one\n2\n")
  await edit(bench, "one", "1")
  expect(await bench.text("a.txt")).toBe("1\n2\n")
})

test("an editor that does not answer in 3 seconds is not asked again before the next turn", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const asked: string[] = []
    const bench = await benchOf({ "a.txt": "one\n", "b.txt": "two\n" }, () => silent(asked))
    const first = bench.read("a.txt")
    await vi.waitUntil(() => asked.length === 1)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await first).toBe("one\n")
    expect([await bench.read("b.txt"), asked]).toEqual(["two\n", [bench.path("a.txt")]])

    bench.workspace.documents.newTurn()
    const next = bench.read("b.txt")
    await vi.waitUntil(() => asked.length === 2)
    await vi.advanceTimersByTimeAsync(3_000)
    expect([await next, asked]).toEqual(["two\n", [bench.path("a.txt"), bench.path("b.txt")]])
  } finally {
    vi.useRealTimers()
  }
})

test("a cancelled turn does not wait for the editor", async () => {
  const bench = await benchOf({ "a.txt": "one\n" }, () => silent())
  const turn = new AbortController()
  const reading = bench.workspace.documents.read(bench.path("a.txt"), turn.signal)
  turn.abort(new Error("cancelled"))
  await expect(reading).rejects.toThrow("cancelled")
})

test("what an edit throws leaves every file untouched, and the lock is given back", async () => {
  const bench = await benchOf({ "a.txt": "one\n" })
  const { documents } = bench.workspace
  const refuse = () => {
    throw new Error("no")
  }
  await expect(documents.change([bench.path("a.txt")], refuse, NEVER)).rejects.toThrow("no")
  await edit(bench, "one", "two")
  expect(await bench.text("a.txt")).toBe("two\n")
})

test("MS-15 sessions of one process wait for each other, whatever name they have for a file", async () => {
  const bench = await benchOf({ "a.txt": "0", "link.txt": { link: "a.txt" } })
  const one = createDocuments(bench.workspace.files)
  const other = createDocuments(bench.workspace.files)
  const count = (documents: typeof one, name: string) =>
    documents.change(
      [bench.path(name)],
      (texts) => new Map([...texts].map(([path, current]) => [path, String(Number(current?.text) + 1)])),
      NEVER,
    )
  await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? count(one, "a.txt") : count(other, "link.txt"))))
  expect(await bench.text("a.txt")).toBe("10")
})
