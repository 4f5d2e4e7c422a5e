import { chmod, readdir } from "node:fs/promises"
import { expect, test } from "vitest"
import { editFiles } from "../../src/tools/edit-files.ts"
import { benchOf, NEVER } from "../support/editing.ts"

test("ED-14 edits of several files are all made, in order, and each file is shown once", async () => {
  const { outcome, path, text } = await benchOf({ "a.ts": "one\ntwo\n", "b.ts": "one\n" })
  const done = await outcome(editFiles, {
    edits: [
      { path: "a.ts", old_string: "one", new_string: "1" },
      { path: "b.ts", old_string: "one", new_string: "1" },
      { path: path("a.ts"), old_string: "1\ntwo", new_string: "1\n2" },
      { path: "new/c.ts", old_string: "", new_string: "3\n" },
    ],
  })
  expect(await Promise.all(["a.ts", "b.ts", "new/c.ts"].map(text))).toEqual(["1\n2\n", "1\n", "3\n"])
  expect(done).toEqual({
    content: [
      {
        type: "text",
        text: [
          "Replaced 1 occurrence in a.ts (line 1).",
          "Replaced 1 occurrence in b.ts (line 1).",
          "Replaced 1 occurrence in a.ts (line 1).",
          "Created new/c.ts (1 line).",
          "a.ts",
          "@@ line 1 @@",
          "-one",
          "-two",
          "+1",
          "+2",
          "b.ts",
          "@@ line 1 @@",
          "-one",
          "+1",
        ].join("\n"),
      },
    ],
    display: [
      { type: "diff", path: path("a.ts"), oldText: "one\ntwo\n", newText: "1\n2\n" },
      { type: "diff", path: path("b.ts"), oldText: "one\n", newText: "1\n" },
      { type: "diff", path: path("new/c.ts"), oldText: null, newText: "3\n" },
    ],
    locations: [
      { path: path("a.ts"), line: 1 },
      { path: path("b.ts"), line: 1 },
      { path: path("new/c.ts"), line: 1 },
    ],
  })
})

test("ED-14 an edit that fails leaves all files as they were, and the error names it", async () => {
  const { call, text } = await benchOf({ "a.ts": "one\n", "b.ts": "two\n" })
  const answer = await call(editFiles, {
    edits: [
      { path: "a.ts", old_string: "one", new_string: "1" },
      { path: "b.ts", old_string: "nothing like it", new_string: "2" },
    ],
  })
  expect(answer).toBe(
    "Edit 2 of 2 (b.ts), so that no file was changed: old_string is not in b.ts, nor anything like it. " +
      "Read the file and copy the text as it is.",
  )
  expect([await text("a.ts"), await text("b.ts")]).toEqual(["one\n", "two\n"])
})

test("ED-14 files already written are put back when a later one can't be", async () => {
  const { workspace, path, text } = await benchOf({ "a.ts": "one\n", "folder/keep.ts": "" })
  const { files } = workspace
  const full = {
    ...files,
    write: (to: string, data: string | Uint8Array) =>
      to === path("z.ts") ? Promise.reject(new Error("no space left")) : files.write(to, data),
  }
  const { createDocuments } = await import("../../src/workspace/open-documents.ts")
  const documents = createDocuments(full)
  const results = new Map(["a.ts", "new.ts", "z.ts"].map((name) => [path(name), "changed\n"]))
  await expect(documents.change([...results.keys()], () => results, NEVER)).rejects.toThrow("no space left")
  expect(await text("a.ts")).toBe("one\n")
  expect(await readdir(path("."))).toEqual(["a.ts", "folder"])
})

test("ED-14 the question before it covers every file", async () => {
  const { workspace, path } = await benchOf({ "a.ts": "one\n", "b.ts": "two\n" })
  const { title, reach } = await editFiles(workspace).prepare(
    {
      edits: [
        { file_path: "a.ts", old_string: "one", new_string: "1" },
        { file_path: "b.ts", old_string: "two", new_string: "2" },
      ],
    },
    NEVER,
  )
  expect({ title, reach }).toEqual({
    title: "Edit a.ts and 1 more",
    reach: { type: "files", reads: [], writes: [path("a.ts"), path("b.ts")] },
  })
})

test("one file by two names is not edited twice over itself", async () => {
  const { call, text } = await benchOf({ "a.ts": "one\ntwo\n", "b.ts": { link: "a.ts" } })
  const answer = await call(editFiles, {
    edits: [
      { path: "a.ts", old_string: "one", new_string: "1" },
      { path: "b.ts", old_string: "two", new_string: "2" },
    ],
  })
  expect(answer).toBe("a.ts and b.ts are one file, by a link; edit it by one name")
  expect(await text("a.ts")).toBe("one\ntwo\n")
})

test("a file that may not be written holds back the others", async () => {
  const { call, path, text } = await benchOf({ "a.ts": "one\n", "b.ts": "two\n" })
  await chmod(path("b.ts"), 0o444)
  const edits = [
    { path: "a.ts", old_string: "one", new_string: "1" },
    { path: "b.ts", old_string: "two", new_string: "2" },
  ]
  expect(await call(editFiles, { edits })).toContain("b.ts was not changed: it is read-only.")
  expect(await text("a.ts")).toBe("one\n")
})

test("while many edits of a large file are worked out, others have their turn", async () => {
  const { outcome } = await benchOf({ "a.ts": Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`).join("") })
  const edits = Array.from({ length: 100 }, (_, at) => ({
    path: "a.ts",
    old_string: `line ${199_000 + at}\n`,
    new_string: `row ${at}\n`,
  }))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await outcome(editFiles, { edits })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})

test("what is not quoted of many changes is counted", async () => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.ts`, `${"x\n".repeat(9)}old\n`]))
  const { call } = await benchOf(files)
  const edits = Object.keys(files).map((path) => ({ path, old_string: "old", new_string: "new" }))
  const lines = (await call(editFiles, { edits })).split("\n")
  const quoted = lines.filter((line) => /^f\d+\.ts$/.test(line)).length
  expect(lines.at(-1)).toBe(`… ${60 - quoted} more files`)
})
