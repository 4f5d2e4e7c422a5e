import { chmod, link, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { editFiles } from "../../src/tools/edit-files.ts"
import { replace } from "../../src/tools/replace.ts"
import { benchOf, bytesOf, contextOf, NEVER } from "../support/editing.ts"

test("ED-01 a text with LF matches one with CRLF, and the lines that are put in end as those around them", async () => {
  const { call, bytes } = await benchOf({ "a.txt": "a\r\nb\r\nc\r\n", "b.txt": "a\r\nb\r\nc\r\n" })
  await call(replace, { path: "a.txt", old_string: "a\nb", new_string: "x\ny\nz" })
  await call(replace, { path: "b.txt", old_string: "a\r\nb", new_string: "x\r\ny" })
  expect(await bytes("a.txt")).toBe("x\r\ny\r\nz\r\nc\r\n")
  expect(await bytes("b.txt")).toBe("x\r\ny\r\nc\r\n")
})

test("ED-01 a file with mixed line ends stays mixed, and one with lone CR keeps them", async () => {
  const { call, bytes } = await benchOf({ "mixed.txt": "a\nb\r\nc\nd\r\n", "mac.txt": "a\rb\rc\r" })
  await call(replace, { path: "mixed.txt", old_string: "b\nc\nd", new_string: "b\nC\nnew\nd" })
  await call(replace, { path: "mac.txt", old_string: "a\nb", new_string: "a\nx\nb" })
  expect(await bytes("mixed.txt")).toBe("a\nb\r\nC\nnew\nd\r\n")
  expect(await bytes("mac.txt")).toBe("a\rx\rb\rc\r")
})

test("ED-02 a byte order mark stays where it is, and the text behind it is at the file's beginning", async () => {
  const { call, bytes } = await benchOf({ "a.txt": bytesOf("\xef\xbb\xbfhello\n") })
  await call(replace, { path: "a.txt", old_string: "hello", new_string: "bye" })
  expect(await bytes("a.txt")).toBe("\xef\xbb\xbfbye\n")
})

test("ED-03 a file that is not UTF-8 keeps every byte outside the edit", async () => {
  const files = {
    "latin.txt": "caf\xe9 one\n",
    "gbk.txt": "\xd6\xd0\xce\xc4 one\n",
    "cp1251.txt": "\xcf\xf0\xe8\xe2\xe5\xf2 one\n",
    "broken.txt": "\xc3\xa9\xc3\xa8 \xff one\n",
    "utf16.txt": "\xff\xfeo\0n\0e\0\n\0",
    "utf16be.txt": "\xfe\xff\0o\0n\0e\0\n",
  }
  const { call, bytes } = await benchOf(Object.fromEntries(Object.entries(files).map(([n, b]) => [n, bytesOf(b)])))
  for (const name of Object.keys(files)) await call(replace, { path: name, old_string: "one", new_string: "two" })
  const after = Object.fromEntries(await Promise.all(Object.keys(files).map(async (name) => [name, await bytes(name)])))
  expect(after).toEqual({
    "latin.txt": "caf\xe9 two\n",
    "gbk.txt": "\xd6\xd0\xce\xc4 two\n",
    "cp1251.txt": "\xcf\xf0\xe8\xe2\xe5\xf2 two\n",
    "broken.txt": "\xc3\xa9\xc3\xa8 \xff two\n",
    "utf16.txt": "\xff\xfet\0w\0o\0\n\0",
    "utf16be.txt": "\xfe\xff\0t\0w\0o\0\n",
  })
})

test("ED-03 letters that the file's encoding has are put in, in that encoding; others are refused with the reason", async () => {
  const { call, bytes } = await benchOf({
    "latin.txt": bytesOf("caf\xe9 one\n"),
    "cp1251.txt": bytesOf("\xcf\xf0\xe8\xe2\xe5\xf2 one\n"),
    "gbk.txt": bytesOf("\xd6\xd0\xce\xc4 one\n"),
    "binary.bin": bytesOf("one\0two"),
  })
  await call(replace, { path: "latin.txt", old_string: "café one", new_string: "thé" })
  await call(replace, { path: "cp1251.txt", old_string: "Привет", new_string: "Пока" })
  expect(await bytes("latin.txt")).toBe("th\xe9\n")
  expect(await bytes("cp1251.txt")).toBe("\xcf\xee\xea\xe0 one\n")
  const refused = [
    await call(replace, { path: "latin.txt", old_string: "thé", new_string: "茶" }),
    await call(replace, { path: "gbk.txt", old_string: "one", new_string: "茶" }),
    await call(replace, { path: "binary.bin", old_string: "one", new_string: "two" }),
  ]
  expect(refused).toEqual([
    'latin.txt was not changed: the file is not UTF-8 but windows-1252, which has no "茶"',
    "gbk.txt was not changed: the file is not UTF-8 and its encoding is unknown, so that only ASCII can be put into it",
    "binary.bin is a binary file, which can't be read or edited as text",
  ])
  expect([await bytes("latin.txt"), await bytes("gbk.txt"), await bytes("binary.bin")]).toEqual([
    "th\xe9\n",
    "\xd6\xd0\xce\xc4 one\n",
    "one\0two",
  ])
})

test("ED-04 a dollar in the new text means nothing", async () => {
  const dollars = "$& $$ $` $' $1 $<n>"
  const { call, text } = await benchOf({ "a.txt": "x y x\n" })
  await call(replace, { path: "a.txt", old_string: "y", new_string: dollars })
  await call(replace, { path: "a.txt", old_string: "x", new_string: dollars, replace_all: true })
  expect(await text("a.txt")).toBe(`${dollars} ${dollars} ${dollars}\n`)
})

test("ED-05 what can't be meant is refused with what to do instead, and the file stays as it is", async () => {
  const { call, text } = await benchOf({ "a.txt": "a\nb\na\n" })
  const edit = (old_string: string, new_string: string) => call(replace, { path: "a.txt", old_string, new_string })
  expect([await edit("a", "x"), await edit("zzz", "x"), await edit("", "x"), await edit("b", "b")]).toEqual([
    "old_string occurs 2 times in a.txt, on lines 1 and 3. Add the lines around the one that is meant, or set replace_all.",
    "old_string is not in a.txt, nor anything like it. Read the file and copy the text as it is.",
    "old_string is empty, and a.txt exists. Give the text to replace.",
    "old_string and new_string are the same; there is nothing to change.",
  ])
  expect(await text("a.txt")).toBe("a\nb\na\n")
})

test("ED-05 an edit sent twice says that it is applied already", async () => {
  const { call, text } = await benchOf({ "a.txt": "one\ntwo\n" })
  const input = { path: "a.txt", old_string: "two", new_string: "three" }
  await call(replace, input)
  expect(await call(replace, input)).toBe(
    "old_string is not in a.txt, but new_string is, on line 2: the edit seems to be applied already.",
  )
  expect(await text("a.txt")).toBe("one\nthree\n")
})

test("ED-05 a text that is nearly there is shown as it really is", async () => {
  const { call } = await benchOf({ "a.ts": "function a() {\n\treturn 1\n}\n\nfunction total(list) {\n  return 2\n}\n" })
  expect([
    await call(replace, { path: "a.ts", old_string: "function a() {\n  return 1\n}", new_string: "x" }),
    await call(replace, { path: "a.ts", old_string: "function total(items) {", new_string: "x" }),
  ]).toEqual([
    "old_string is not in a.ts. Lines 1–3 are the nearest, different only in spaces, tabs or empty lines:\nfunction a() {\n\treturn 1\n}",
    "old_string is not in a.ts. Line 5 is the nearest:\nfunction total(list) {",
  ])
})

test("ED-05 a new text that stands somewhere by chance is not taken for the edit", async () => {
  const { call } = await benchOf({ "a.ts": "const total = 1\nexport default total\n", "b.ts": "x(1)\ny(2)\n" })
  const edit = (path: string, old_string: string, new_string: string) => call(replace, { path, old_string, new_string })
  expect([
    await edit("a.ts", "const total = 9", "to"),
    await edit("a.ts", "let zzz", "}"),
    await edit("b.ts", "y(3)", "x(1)"),
  ]).toEqual([
    "old_string is not in a.ts. Line 1 is the nearest:\nconst total = 1",
    "old_string is not in a.ts, nor anything like it. Read the file and copy the text as it is.",
    "old_string is not in b.ts. new_string is there already, on line 1. Line 2 is the nearest:\ny(2)",
  ])
})

test("ED-05 what is there all too often, or on a line without an end, is refused all the same", async () => {
  const { call } = await benchOf({ "a.txt": `${"a b ".repeat(400_000)}\n`, "b.txt": "x".repeat(2_000) })
  expect([
    await call(replace, { path: "b.txt", old_string: "x", new_string: "y" }),
    await call(replace, { path: "a.txt", old_string: "a b c", new_string: "d" }),
  ]).toEqual([
    `old_string occurs 1000 times or more in b.txt, on lines ${"1, ".repeat(19)}1 and 980 more. ` +
      "Add the lines around the one that is meant, or set replace_all.",
    "old_string is not in a.txt, nor anything like it. Read the file and copy the text as it is.",
  ])
})

test("ED-05 what looks the same and is not is said to be so", async () => {
  const tree = {
    "a.md": "It’s a “test” — of\u00a0naïve\n".normalize("NFD"),
    "b.txt": bytesOf("ok caf\xc3\xa9 \xff\xfe end caf\xc3\xa9\n"),
  }
  const { call } = await benchOf(tree)
  const edit = (path: string, old_string: string) => call(replace, { path, old_string, new_string: "zz" })
  expect([await edit("a.md", `It's a "test" - of naïve`), await edit("b.txt", "\uFFFD\uFFFD end")]).toEqual([
    "old_string is not in a.md. Line 1 is the nearest, different only in signs that look alike (quotes, dashes, " +
      `composed accents, unusual spaces):\n${"It’s a “test” — of\u00a0naïve".normalize("NFD")}`,
    "old_string is not in b.txt: \uFFFD stands there for bytes that are not in its encoding, and can't be quoted. " +
      "Quote only what is beside them.",
  ])
})

test("of a line that is too long the model sees the part that has changed", async () => {
  const { call } = await benchOf({ "min.js": `${"a;".repeat(5_000)}old${"b;".repeat(5_000)}` })
  const said = await call(replace, { path: "min.js", old_string: "old", new_string: "new" })
  const lines = said.split("\n").filter((line) => /^[-+]/.test(line))
  expect(lines.map((line) => [line.slice(0, 2), /old|new/.exec(line)?.[0], line.length])).toEqual([
    ["-…", "old", 303],
    ["+…", "new", 303],
  ])
})

test("the model is told what was done, where, and sees the lines around it", async () => {
  const { outcome, path } = await benchOf({ "src/a.ts": "one\ntwo\nthree\nfour\nfive\n" })
  expect(await outcome(replace, { path: "src/a.ts", old_string: "three", new_string: "drei" })).toEqual({
    content: [
      {
        type: "text",
        text: "Replaced 1 occurrence in src/a.ts (line 3).\n@@ line 1 @@\n one\n two\n-three\n+drei\n four\n five",
      },
    ],
    display: [
      {
        type: "diff",
        path: path("src/a.ts"),
        oldText: "one\ntwo\nthree\nfour\nfive\n",
        newText: "one\ntwo\ndrei\nfour\nfive\n",
      },
    ],
    locations: [{ path: path("src/a.ts"), line: 3 }],
  })
})

test("R-121 ED-13 before it runs, the call shows a diff with an absolute path, and says that it writes there", async () => {
  const { workspace, path, text } = await benchOf({ "a.ts": "one\n" })
  const edit = await replace(workspace).prepare({ file_path: "a.ts", old_str: "one", newString: "two" }, NEVER)
  const create = await replace(workspace).prepare({ path: "n.ts", old_string: "", new_string: "new\n" }, NEVER)
  expect([edit, create].map(({ run: _, ...shown }) => shown)).toEqual([
    {
      title: "Edit a.ts",
      reach: { type: "files", reads: [], writes: [path("a.ts")] },
      locations: [{ path: path("a.ts"), line: 1 }],
      display: [{ type: "diff", path: path("a.ts"), oldText: "one\n", newText: "two\n" }],
    },
    {
      title: "Create n.ts",
      reach: { type: "files", reads: [], writes: [path("n.ts")] },
      locations: [{ path: path("n.ts"), line: 1 }],
      display: [{ type: "diff", path: path("n.ts"), oldText: null, newText: "new\n" }],
    },
  ])
  expect(await text("a.ts")).toBe("one\n")
})

test("ED-13 the diff's new text is what is on disk afterwards, decoded", async () => {
  const { outcome, path, bytes } = await benchOf({ "a.txt": bytesOf("\xef\xbb\xbfa\r\nb\r\n") })
  const { display } = await outcome(replace, { path: "a.txt", old_string: "b", new_string: "b\nc" })
  expect(display).toEqual([{ type: "diff", path: path("a.txt"), oldText: "a\r\nb\r\n", newText: "a\r\nb\r\nc\r\n" }])
  expect(await bytes("a.txt")).toBe("\xef\xbb\xbfa\r\nb\r\nc\r\n")
})

test("JR-04 of a very big file the part that changes is shown, and that it is a part", async () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1} of many`)
  const { outcome, path } = await benchOf({ "big.txt": lines.join("\n") })
  const { display = [], locations } = await outcome(replace, {
    path: "big.txt",
    old_string: "line 50000 of many",
    new_string: "changed",
  })
  const [diff, said] = display
  expect(said).toEqual({
    type: "text",
    text: `${path("big.txt")} is too big to be shown whole; this is a part of it, from line 48685.`,
  })
  expect(locations).toEqual([{ path: path("big.txt"), line: 50_000 }])
  if (diff?.type !== "diff") throw new Error("no diff")
  expect(diff.newText).toContain("line 49999 of many\nchanged\nline 50001 of many")
  expect(diff.oldText).toContain("line 49999 of many\nline 50000 of many\nline 50001 of many")
  expect(JSON.stringify(display).length).toBeLessThan(250_000)
})

test("JR-04 a change in a line of many megabytes is shown in bounds", async () => {
  const { outcome } = await benchOf({ "one.json": `${"x".repeat(4_000_000)}here${"y".repeat(4_000_000)}` })
  const done = await outcome(replace, { path: "one.json", old_string: "here", new_string: "there" })
  expect(JSON.stringify(done).length).toBeLessThan(250_000)
  const [diff] = done.display ?? []
  expect(diff?.type === "diff" && diff.newText.includes("xthere")).toBe(true)
})

test("a file of more than 10 MB is refused with another way to do it", async () => {
  const { call } = await benchOf({ "big.txt": `${"x".repeat(10_000_000)}\nend\n` })
  expect(await call(replace, { path: "big.txt", old_string: "end", new_string: "x" })).toBe(
    "big.txt has 11 MB; the most is 10 MB. Use a command for it (grep, sed, a script).",
  )
})

test("ED-07 an edit is made to what is there when it runs, and says so when that is not what was shown", async () => {
  const { workspace, path, text } = await benchOf({ "a.txt": "one\ntwo\n" })
  const action = await replace(workspace).prepare({ path: "a.txt", old_string: "two", new_string: "three" }, NEVER)
  await writeFile(path("a.txt"), "zero\none\ntwo\n")
  const { content, display } = await action.run(contextOf({}))
  expect(content).toEqual([
    {
      type: "text",
      text:
        "Replaced 1 occurrence in a.txt (line 3).\n" +
        "a.txt had changed since this edit was shown; it was made to what is there now.\n" +
        "@@ line 1 @@\n zero\n one\n-two\n+three",
    },
  ])
  expect(display).toEqual([
    { type: "diff", path: path("a.txt"), oldText: "zero\none\ntwo\n", newText: "zero\none\nthree\n" },
  ])
  expect(await text("a.txt")).toBe("zero\none\nthree\n")
})

test("ED-07 an edit whose text is no longer unique when it runs changes nothing", async () => {
  const { workspace, path, text } = await benchOf({ "a.txt": "two\n" })
  const action = await replace(workspace).prepare({ path: "a.txt", old_string: "two", new_string: "three" }, NEVER)
  await writeFile(path("a.txt"), "two\ntwo\n")
  await expect(action.run(contextOf({}))).rejects.toThrow("old_string occurs 2 times in a.txt, on lines 1 and 2.")
  expect(await text("a.txt")).toBe("two\ntwo\n")
})

test("MS-15 edits of one file that run side by side are all applied", async () => {
  const words = ["one", "two", "three", "four", "five", "six"]
  const { workspace, text } = await benchOf({ "a.txt": words.join("\n") })
  const prepare = (word: string) =>
    replace(workspace).prepare({ path: "a.txt", old_string: word, new_string: word.toUpperCase() }, NEVER)
  const actions = await Promise.all(words.map(prepare))
  await Promise.all(actions.map((action) => action.run(contextOf({}))))
  expect(await text("a.txt")).toBe("ONE\nTWO\nTHREE\nFOUR\nFIVE\nSIX")
})

test("MS-15 calls that edit do not run beside others of their reply", async () => {
  const { workspace } = await benchOf({})
  expect([replace, editFiles].map((tool) => tool(workspace).alone)).toEqual([true, true])
})

test("a file keeps its mode and its hard links, and a link is written through", async () => {
  const { call, path, text, mode } = await benchOf({ "run.sh": "echo one\n" })
  await chmod(path("run.sh"), 0o754)
  await link(path("run.sh"), path("hard.sh"))
  await symlink("run.sh", path("soft.sh"))
  await call(replace, { path: "soft.sh", old_string: "one", new_string: "two" })
  expect(await Promise.all(["run.sh", "hard.sh", "soft.sh"].map(text))).toEqual(Array(3).fill("echo two\n"))
  expect(await mode("run.sh")).toBe(0o754)
})

test("a read-only file is not changed", async () => {
  const { call, path, text } = await benchOf({ "a.txt": "one\n" })
  await chmod(path("a.txt"), 0o444)
  expect(await call(replace, { path: "a.txt", old_string: "one", new_string: "two" })).toBe(
    "a.txt was not changed: it is read-only. Ask the user before making it writable.",
  )
  expect(await text("a.txt")).toBe("one\n")
})

test("PE-07 an edit does not follow a link that was put there after it was judged", async () => {
  const { workspace, path } = await benchOf({
    "in/a.txt": "one\n",
    "out/a.txt": "one\n",
    "b.txt": { link: "in/a.txt" },
  })
  const action = await replace(workspace).prepare({ path: "b.txt", old_string: "one", new_string: "two" }, NEVER)
  await rm(path("b.txt"))
  await symlink("out/a.txt", path("b.txt"))
  await expect(action.run(contextOf({}))).rejects.toThrow("when the edit was allowed")
  expect(await readFile(path("out/a.txt"), "utf8")).toBe("one\n")
})

test("PE-07 why an edit outside the workspace fails is not told before it is allowed: it quotes the file", async () => {
  const { workspace, path } = await benchOf({ "secret.txt": "key = 12345\n", "in/link.txt": { link: "../secret.txt" } })
  const inner = { ...workspace, cwd: path("in"), roots: [path("in")] }
  for (const said of ["../secret.txt", "link.txt"]) {
    const action = await replace(inner).prepare({ path: said, old_string: "key = 1", new_string: "key = 1" }, NEVER)
    expect([action.title.startsWith("Edit"), action.display]).toEqual([true, []])
    await expect(action.run(contextOf({}))).rejects.toThrow("the same")
  }
})

test("PE-07 nor is it of what is hidden in the user's home, where that is the workspace", async () => {
  const { workspace, path } = await benchOf({ ".ssh/id": "key = 12345\n", "a.txt": "key = 12345\n" })
  const atHome = { ...workspace, home: path(".") }
  const edit = { old_string: "key = 1 2", new_string: "x" }
  const action = await replace(atHome).prepare({ path: ".ssh/id", ...edit }, NEVER)
  expect(action.display).toEqual([])
  const open = await replace(atHome).prepare({ path: "a.txt", ...edit }, NEVER)
  expect([action.cannot, open.cannot?.message]).toEqual([
    undefined,
    expect.stringContaining("old_string is not in a.txt"),
  ])
})

test("a missing file is said to be missing, and an empty old_string creates it with its folders", async () => {
  const { call, bytes } = await benchOf({})
  expect([
    await call(replace, { path: "src/n.ts", old_string: "a", new_string: "b" }),
    await call(replace, { path: "src/n.ts", old_string: "", new_string: "a\nb\n" }),
  ]).toEqual(["There is no file src/n.ts. To create it, use write_file.", "Created src/n.ts (2 lines)."])
  expect(await bytes("src/n.ts")).toBe("a\nb\n")
})

test("half a character is never written", async () => {
  const { call, text } = await benchOf({ "a.txt": "one\n" })
  expect(await call(replace, { path: "a.txt", old_string: "one", new_string: "\ud83d" })).toBe(
    "new_string holds half a character (a lone surrogate); write the whole one.",
  )
  expect(await text("a.txt")).toBe("one\n")
})
