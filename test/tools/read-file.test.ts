import { writeFile } from "node:fs/promises"
import fc from "fast-check"
import { expect, test } from "vitest"
import { byteLength } from "../../src/text/truncate.ts"
import { readFile } from "../../src/tools/read-file.ts"
import { createDocuments } from "../../src/workspace/open-documents.ts"
import { answerOf, files, outcomeOf, partsOf, plannedFor, workspaceOf } from "../support/workspace.ts"

const bytes = (...values: number[]) => Uint8Array.from(values)
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("")

test("before it runs, the gate and the user see the path, whatever way it was written", async () => {
  const workspace = await workspaceOf({ "src/a.ts": "" })
  const path = `${workspace.cwd}/src/a.ts`
  const reach = { type: "files", reads: [path], writes: [] }
  const plan = (input: object) => plannedFor(readFile(workspace), input)

  expect(await plan({ path: "src/a.ts" })).toEqual({
    title: "Read src/a.ts",
    reach,
    locations: [{ path }],
    display: [],
  })
  expect(await plan({ absolute_path: path, offset: "10", limit: 31 })).toEqual({
    title: "Read src/a.ts (lines 10–40)",
    reach,
    locations: [{ path, line: 10 }],
    display: [],
  })
  expect(await plan({ file_path: "./src/../src/a.ts", offset: 5 })).toMatchObject({
    title: "Read src/a.ts (from line 5)",
    reach,
  })
  expect(await plan({ path: "~/notes.md" })).toMatchObject({ title: "Read home/notes.md" })
  expect(await plan({ path: "/etc/hosts" })).toMatchObject({ title: "Read /etc/hosts" })
})

test("a text is read as it is, without a byte order mark or carriage returns", async () => {
  const workspace = await workspaceOf({
    "a.txt": "one\n\ttwo\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "cr.txt": "one\rtwo\r",
    "bom.txt": bytes(0xef, 0xbb, 0xbf, 0x68, 0x69),
    "utf16.txt": bytes(0xff, 0xfe, 0x68, 0x00, 0x69, 0x00),
    "empty.txt": "",
  })
  const read = (path: string) => answerOf(readFile(workspace), { path })
  expect(await Promise.all(["a.txt", "crlf.txt", "cr.txt", "bom.txt", "utf16.txt", "empty.txt"].map(read))).toEqual([
    "one\n\ttwo",
    "one\ntwo",
    "one\ntwo",
    "hi",
    "hi",
    "[empty.txt is empty.]",
  ])
})

test("ED-03 a text that is not UTF-8 is read", async () => {
  const workspace = await workspaceOf({ "latin1.txt": bytes(0x63, 0x61, 0x66, 0xe9, 0x0a, 0x6f, 0x6b) })
  expect(await answerOf(readFile(workspace), { path: "latin1.txt" })).toBe("café\nok")
})

test("R-110 a part of a text is read, and how to read on is said", async () => {
  const tool = readFile(await workspaceOf({ "a.txt": numbered(10), "one.txt": "x" }))
  const read = (input: object) => answerOf(tool, { path: "a.txt", ...input })
  expect(await read({ offset: 4, limit: 2 })).toBe(
    "line 4\nline 5\n\n[These are lines 4–5 of 10. To read on: offset 6.]",
  )
  expect(await read({ limit: 1 })).toBe("line 1\n\n[These are lines 1–1 of 10. To read on: offset 2.]")
  expect(await read({ offset: 9, limit: 50 })).toBe("line 9\nline 10\n\n[These are lines 9–10 of 10.]")
  expect(await read({ offset: 0, limit: 2000 })).toBe(numbered(10).trimEnd())
  expect(await read({ offset: 11 })).toBe("error: a.txt has 10 lines; line 11 is past its end.")
  expect(await answerOf(tool, { path: "one.txt", offset: 2 })).toBe(
    "error: one.txt has 1 line; line 2 is past its end.",
  )
})

test("a long text is read in parts of 2,000 lines", async () => {
  const answer = await answerOf(readFile(await workspaceOf({ "a.txt": numbered(2_500) })), { path: "a.txt" })
  expect(answer.split("\n").slice(1_999)).toEqual([
    "line 2000",
    "",
    "[These are lines 1–2000 of 2500. To read on: offset 2001.]",
  ])
})

test("of lines that are too long the beginning is shown", async () => {
  const answer = await answerOf(readFile(await workspaceOf({ "a.js": `${"x".repeat(9_000)}\nend` })), { path: "a.js" })
  expect(answer).toBe(
    `${"x".repeat(2_000)}… [7,000 more characters]\nend\n\n` +
      "[Lines over 2,000 characters are cut; search_file_content shows what is around a match in them.]",
  )
})

test("JR-04 no answer is longer than 50 KB or so, and each says how to get the rest", async () => {
  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.constantFrom("я".repeat(900), "x".repeat(5_000), ""),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        line.map((text) => text.replaceAll(/[\0\r\n]/g, " ")),
        { maxLength: 60 },
      ),
      async (lines) => {
        const text = Array.from({ length: 10 }, () => lines.map((line) => `${line}\n`).join("")).join("")
        const documents = { read: async () => ({ text, source: "disk" }) } as unknown as ReturnType<
          typeof createDocuments
        >
        const workspace = await workspaceOf({ "a.txt": "" }, { documents })
        const answer = await answerOf(readFile(workspace), { path: "a.txt" })
        expect(byteLength(answer)).toBeLessThan(51_000)
        const next = Number(/To read on: offset (\d+)\.\]?/.exec(answer)?.[1] ?? lines.length * 10 + 1)
        if (answer.includes("To read on")) {
          const rest = await answerOf(readFile(workspace), { path: "a.txt", offset: next })
          expect(rest.startsWith("error")).toBe(false)
        } else expect(next).toBe(lines.length * 10 + 1)
      },
    ),
    { numRuns: 30 },
  )
})

test("what is not saved yet in the editor is what is read", async () => {
  const documents = createDocuments(files, { readText: async () => "unsaved\n" })
  const workspace = await workspaceOf({ "a.txt": "saved\n" }, { documents })
  expect(await answerOf(readFile(workspace), { path: "a.txt" })).toBe(
    "unsaved\n\n[This is the text in the editor, which is not saved yet.]",
  )
})

test("ED-07 that the disk and the editor hold different changes is said when the file is read", async () => {
  let buffer = "one\n"
  const documents = createDocuments(files, { readText: async () => buffer })
  const workspace = await workspaceOf({ "a.txt": "one\n" }, { documents })
  const read = () => answerOf(readFile(workspace), { path: "a.txt" })
  await read()
  buffer = "typed\n"
  await writeFile(`${workspace.cwd}/a.txt`, "changed\n")
  expect(await read()).toBe(
    "changed\n\n[This is on disk; the editor holds other changes that are not saved, and until they are nothing here can be " +
      "edited.]",
  )
})

test("ED-10 a missing file is missing, whatever the editor says, and names that are like it are told", async () => {
  const documents = createDocuments(files, { readText: async () => "" })
  const tree = { "src/config.ts": "", "src/Index.ts": "", "src/other.md": "" }
  const workspace = await workspaceOf(tree, { documents })
  const read = (path: string) => answerOf(readFile(workspace), { path })
  expect(await read("src/config.js")).toBe("error: There is no file src/config.js. Did you mean src/config.ts?")
  expect(await read("src/index.ts")).toBe("error: There is no file src/index.ts. Did you mean src/Index.ts?")
  expect(await read("src/zzz.ts")).toBe("error: There is no file src/zzz.ts. Look for it with glob.")
  expect(await read("lib/a.ts")).toBe(
    "error: There is no file lib/a.ts. Nor is there a folder lib. Look for it with glob.",
  )
})

test("ED-03 bytes that can't be read are said to be there", async () => {
  const workspace = await workspaceOf({ "a.txt": bytes(0x6f, 0x6b, 0xc3, 0xa9, 0x20, 0xff, 0x0a) })
  expect(await answerOf(readFile(workspace), { path: "a.txt" })).toBe(
    "oké \uFFFD\n\n[\uFFFD stands for bytes that are not in the text's encoding, or are not known to be; an edit beside them " +
      "keeps them, but old_string can't quote them.]",
  )
})

test("a folder is to be listed", async () => {
  const workspace = await workspaceOf({ "src/a.ts": "" })
  expect(await answerOf(readFile(workspace), { path: "src" })).toBe(
    "error: src is a folder. To see what is in it, use list_directory.",
  )
})

test("a device is not read", async () => {
  const workspace = await workspaceOf({})
  expect(await answerOf(readFile(workspace), { path: "/dev/zero" })).toBe(
    "error: /dev/zero is a device, a pipe or a socket, which can't be read.",
  )
})

const PNG = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x01)

test("an image is shown to the model, whatever it is called", async () => {
  const workspace = await workspaceOf({ "a.png": PNG, "b.dat": PNG, "c.png": "really a text" })
  const image = { type: "image", data: "iVBORw0KGgoAAQ==", mimeType: "image/png" }
  const read = (path: string) => partsOf(readFile(workspace), { path })
  expect(await read("a.png")).toEqual([{ type: "text", text: "a.png is a PNG image (10 B):" }, image])
  expect(await read("b.dat")).toEqual([{ type: "text", text: "b.dat is a PNG image (10 B):" }, image])
  expect(await read("c.png")).toEqual([{ type: "text", text: "really a text" }])
})

test("a sound is played to the model", async () => {
  const workspace = await workspaceOf({ "a.mp3": bytes(0x49, 0x44, 0x33, 0x00) })
  expect(await partsOf(readFile(workspace), { path: "a.mp3" })).toEqual([
    { type: "text", text: "a.mp3 is an MP3 sound (4 B):" },
    { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" },
  ])
})

test("what no model can read is refused by its name", async () => {
  const big = new Uint8Array(4_000_000)
  big.set(PNG)
  const workspace = await workspaceOf({
    "a.pdf": "%PDF-1.7\n",
    "b.zip": bytes(0x50, 0x4b, 3, 4, 0),
    "c.bin": bytes(1, 0, 2),
    "big.png": big,
    "a.out": bytes(0x7f, 0x45, 0x4c, 0x46, 0),
  })
  const read = (path: string) => answerOf(readFile(workspace), { path })
  expect(await Promise.all(["a.pdf", "b.zip", "c.bin", "big.png", "a.out"].map(read))).toEqual([
    "error: a.pdf is a PDF document (9 B), which can't be read as text.",
    "error: b.zip is a ZIP archive (or a document that is one, such as docx, xlsx or jar) (5 B), which can't be read as text.",
    "error: c.bin is a binary file (3 B), which can't be read as text.",
    "error: big.png has 3.8 MB; of what is no text, at most 3.6 MB can be shown.",
    "error: a.out is a compiled program (ELF) (5 B), which can't be read as text.",
  ])
})

test("a notebook is read cell by cell, with outputs shortened", async () => {
  const notebook = {
    cells: [
      { cell_type: "markdown", id: "intro", source: ["# Title\n", "words"] },
      {
        cell_type: "code",
        source: "print(1)",
        outputs: [
          { output_type: "stream", text: [...Array(32).keys()].map((at) => `\u001b[31mout ${at}\u001b[0m\n`) },
          { output_type: "display_data", data: { "image/png": "AAAA", "text/plain": ["<Figure>"] } },
          { output_type: "error", ename: "ValueError", evalue: "bad", traceback: [] },
        ],
      },
      { cell_type: "code", source: [], outputs: [] },
    ],
  }
  const workspace = await workspaceOf({ "a.ipynb": JSON.stringify(notebook), "broken.ipynb": "{" })
  const printed = [...Array(30).keys()].map((at) => `out ${at}`)
  expect((await answerOf(readFile(workspace), { path: "a.ipynb" })).split("\n")).toEqual([
    "[cell 1, markdown, id intro]",
    "# Title",
    "words",
    "",
    "[cell 2, code]",
    "print(1)",
    "[output of cell 2]",
    ...printed,
    "[5 more lines of output]",
    "",
    "[cell 3, code]",
  ])
  expect(await answerOf(readFile(workspace), { path: "broken.ipynb" })).toBe("{")
})

test("a call that is cancelled is not answered", async () => {
  const workspace = await workspaceOf({ "a.txt": "x" })
  await expect(outcomeOf(readFile(workspace), { path: "a.txt" }, AbortSignal.abort(new Error("stop")))).rejects.toThrow(
    "stop",
  )
})
