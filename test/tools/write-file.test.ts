import { writeFile as put } from "node:fs/promises"
import { expect, test } from "vitest"
import { replace } from "../../src/tools/replace.ts"
import { writeFile } from "../../src/tools/write-file.ts"
import { benchOf, bytesOf, contextOf, NEVER } from "../support/editing.ts"
import { type FakeEditor, zed } from "../support/editors.ts"

test("a new file is written as it is said, with its folders, and without a byte order mark", async () => {
  const { outcome, path, bytes } = await benchOf({})
  const done = await outcome(writeFile, { path: "src/deep/a.ts", content: "\uFEFFone\ntwo" })
  expect(done).toEqual({
    content: [{ type: "text", text: "Created src/deep/a.ts (2 lines)." }],
    display: [{ type: "diff", path: path("src/deep/a.ts"), oldText: null, newText: "one\ntwo" }],
    locations: [{ path: path("src/deep/a.ts"), line: 1 }],
  })
  expect(await bytes("src/deep/a.ts")).toBe("one\ntwo")
})

test("ED-07 a file that exists is written whole only by an agent that has read it as it is", async () => {
  const { call, read, path, text } = await benchOf({ "a.txt": "one\n" })
  const write = () => call(writeFile, { path: "a.txt", content: "mine\n" })
  const unread = await write()
  await read("a.txt")
  await put(path("a.txt"), "the user's\n")
  const stale = await write()
  await read("a.txt")
  const fresh = await write()
  expect([unread, stale, fresh]).toEqual([
    "a.txt exists and has not been read. Read it first, or change a part of it with replace.",
    "a.txt has changed since it was read. Read it again before it is written whole.",
    "Wrote a.txt (1 line).\n@@ line 1 @@\n-the user's\n+mine",
  ])
  expect(await text("a.txt")).toBe("mine\n")
})

test("ED-07 what changes while the user is asked is not written over", async () => {
  const { workspace, read, path, text } = await benchOf({ "a.txt": "one\n" })
  await read("a.txt")
  const action = await writeFile(workspace).prepare({ path: "a.txt", content: "mine\n" }, NEVER)
  await put(path("a.txt"), "the user's\n")
  await expect(action.run(contextOf({}))).rejects.toThrow("a.txt has changed since it was read.")
  expect(await text("a.txt")).toBe("the user's\n")
})

test("ED-07 what the user typed and did not save is not written over either", async () => {
  let editor: FakeEditor | undefined
  const { call, read, text } = await benchOf({ "a.txt": "one\n" }, (cwd) => (editor = zed(cwd)))
  await read("a.txt")
  editor?.type("a.txt", "one and more\n")
  expect(await call(writeFile, { path: "a.txt", content: "mine\n" })).toBe(
    "a.txt has changed since it was read. Read it again before it is written whole.",
  )
  expect([await text("a.txt"), editor?.buffer("a.txt")]).toEqual(["one\n", "one and more\n"])
})

test("ED-07 what the agent wrote or edited itself it need not read again", async () => {
  const { call, read, text } = await benchOf({ "a.txt": "one\n" })
  await call(writeFile, { path: "n.txt", content: "first\n" })
  await call(writeFile, { path: "n.txt", content: "second\n" })
  await read("a.txt")
  await call(replace, { path: "a.txt", old_string: "one", new_string: "two" })
  await call(writeFile, { path: "a.txt", content: "three\n" })
  expect([await text("n.txt"), await text("a.txt")]).toEqual(["second\n", "three\n"])
})

test("ED-07 an edit of a file that was never read does not make it known", async () => {
  const { call, text } = await benchOf({ "a.txt": "one\ntwo\n" })
  await call(replace, { path: "a.txt", old_string: "one", new_string: "1" })
  expect(await call(writeFile, { path: "a.txt", content: "three\n" })).toContain("has not been read")
  expect(await text("a.txt")).toBe("1\ntwo\n")
})

test("ED-01 ED-02 ED-03 a file written whole keeps its mark, its line ends and its encoding", async () => {
  const { call, read, bytes } = await benchOf({
    "a.txt": bytesOf("\xef\xbb\xbfa\r\nb\r\n"),
    "utf16.txt": bytesOf("\xff\xfea\0\n\0"),
    "latin.txt": bytesOf("caf\xe9\n"),
    "mixed.txt": "a\nb\r\nc\n",
  })
  for (const name of ["a.txt", "utf16.txt", "latin.txt", "mixed.txt"]) await read(name)
  await call(writeFile, { path: "a.txt", content: "a\nnew\nb\n" })
  await call(writeFile, { path: "utf16.txt", content: "é\n" })
  await call(writeFile, { path: "latin.txt", content: "thé\n" })
  await call(writeFile, { path: "mixed.txt", content: "a\nb\nC\n" })
  expect(await Promise.all(["a.txt", "utf16.txt", "latin.txt", "mixed.txt"].map(bytes))).toEqual([
    "\xef\xbb\xbfa\r\nnew\r\nb\r\n",
    "\xff\xfe\xe9\0\n\0",
    "th\xe9\n",
    "a\nb\r\nC\n",
  ])
})

test("ED-03 what can't be written in the file's encoding is refused", async () => {
  const { call, read, bytes } = await benchOf({ "broken.txt": bytesOf("\xc3\xa9\xc3\xa8 \xff\n") })
  expect(await read("broken.txt")).toBe("éè \uFFFD\n")
  expect(await call(writeFile, { path: "broken.txt", content: "éè \uFFFD!\n" })).toBe(
    "broken.txt was not changed: the file has bytes that are not UTF-8; where they show as U+FFFD the text can't be replaced",
  )
  expect(await bytes("broken.txt")).toBe("\xc3\xa9\xc3\xa8 \xff\n")
})

test("line ends that the content says plainly are taken as they are", async () => {
  const { call, read, bytes } = await benchOf({ "a.bat": "one\ntwo\n" })
  await read("a.bat")
  await call(writeFile, { path: "a.bat", content: "one\r\ntwo\r\n" })
  await call(writeFile, { path: "n.bat", content: "one\r\n" })
  expect([await bytes("a.bat"), await bytes("n.bat")]).toEqual(["one\r\ntwo\r\n", "one\r\n"])
})

test("content that is there already is left alone, and an empty file may be filled unread", async () => {
  const { call, text } = await benchOf({ "a.txt": "one\n", "empty.txt": "" })
  expect([
    await call(writeFile, { path: "a.txt", content: "one\n" }),
    await call(writeFile, { path: "empty.txt", content: "one\n" }),
  ]).toEqual(["a.txt has exactly this content already.", "Wrote empty.txt (1 line).\n@@ line 1 @@\n+one"])
  expect(await text("empty.txt")).toBe("one\n")
})

test("a folder is not a file", async () => {
  const { call } = await benchOf({ "src/a.ts": "" })
  expect(await call(writeFile, { path: "src", content: "x" })).toBe("src is a folder, not a file")
})

test("PE-07 a link to nothing is written through, and a link out of the workspace leads where it leads", async () => {
  const { call, text } = await benchOf({ "dangling.txt": { link: "deep/real.txt" } })
  await call(writeFile, { path: "dangling.txt", content: "one\n" })
  expect(await text("deep/real.txt")).toBe("one\n")
})
