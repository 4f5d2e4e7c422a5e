import { expect, test } from "vitest"
import { editNotebook } from "../../src/tools/edit-notebook.ts"
import { benchOf } from "../support/editing.ts"

const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Caf\\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "sum",
   "metadata": {"x": 1.0},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["3\\n"]}
   ],
   "source": [
    "a = 1\\n",
    "a + 2"
   ]
  }
 ],
 "metadata": {
  "threshold": 1.50
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

test("a code cell gets its new source, loses its outputs, and all else stays as it was written", async () => {
  const { call, text } = await benchOf({ "n.ipynb": NOTEBOOK })
  const said = await call(editNotebook, { notebook_path: "n.ipynb", cell_id: "sum", new_source: "a = 2\na + 3\n" })
  expect(said.split("\n")[0]).toBe("Replaced cell sum of n.ipynb.")
  const [head, tail] = [NOTEBOOK.indexOf('  {\n   "cell_type": "code"'), NOTEBOOK.indexOf('\n ],\n "metadata"')]
  expect(await text("n.ipynb")).toBe(
    `${NOTEBOOK.slice(0, head)}  {
   "cell_type": "code",
   "execution_count": null,
   "id": "sum",
   "metadata": {
    "x": 1
   },
   "outputs": [],
   "source": [
    "a = 2\\n",
    "a + 3\\n"
   ]
  }${NOTEBOOK.slice(tail)}`,
  )
})

test("a cell can be told by its number, and become one of another kind", async () => {
  const { call, text } = await benchOf({ "n.ipynb": NOTEBOOK })
  await call(editNotebook, { path: "n.ipynb", cell: 2, source: "Done.", cell_type: "markdown" })
  const { cells } = JSON.parse(await text("n.ipynb"))
  expect(cells[1]).toEqual({ cell_type: "markdown", id: "sum", metadata: { x: 1 }, source: ["Done."] })
})

test("a cell is inserted behind another, or before all, with an id of its own", async () => {
  const { call, text } = await benchOf({ "n.ipynb": NOTEBOOK })
  await call(editNotebook, { path: "n.ipynb", cell: "intro", source: "import os", mode: "insert" })
  await call(editNotebook, { path: "n.ipynb", source: "# First", cell_type: "markdown", mode: "insert" })
  const after = await text("n.ipynb")
  const { cells } = JSON.parse(after)
  const id = expect.stringMatching(/^[0-9a-f]{8}$/)
  expect([cells.length, cells[0], cells[2]]).toEqual([
    4,
    { cell_type: "markdown", id, metadata: {}, source: ["# First"] },
    { cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source: ["import os"] },
  ])
  const added = after.split("\n").filter((line) => !NOTEBOOK.split("\n").includes(line))
  expect(added.map((line) => line.replace(/[0-9a-f]{8}/, "…"))).toEqual([
    '   "id": "…",',
    '    "# First"',
    '   "execution_count": null,',
    '   "id": "…",',
    '   "outputs": [],',
    '    "import os"',
  ])
})

test("a cell is deleted and nothing else moves", async () => {
  const { call, text } = await benchOf({
    "n.ipynb": NOTEBOOK,
    "one.ipynb": '{"cells": [{"cell_type": "raw", "source": ""}]}',
  })
  await call(editNotebook, { path: "n.ipynb", cell: "sum", mode: "delete" })
  await call(editNotebook, { path: "one.ipynb", cell: "1", mode: "delete" })
  const [begin, end] = [NOTEBOOK.indexOf(',\n  {\n   "cell_type": "code"'), NOTEBOOK.indexOf('\n ],\n "metadata"')]
  expect(await text("n.ipynb")).toBe(NOTEBOOK.slice(0, begin) + NOTEBOOK.slice(end))
  expect(await text("one.ipynb")).toBe('{"cells": []}')
})

test("a notebook on one line stays on one line, and an empty one gets its first cell", async () => {
  const { call, text } = await benchOf({
    "line.ipynb": '{"cells":[{"cell_type":"raw","metadata":{},"source":"a"}],"nbformat":4,"nbformat_minor":4}',
    "empty.ipynb": '{\n  "cells": [],\n  "nbformat": 4,\n  "nbformat_minor": 4\n}\n',
  })
  await call(editNotebook, { path: "line.ipynb", cell: 1, source: "b\nc" })
  await call(editNotebook, { path: "empty.ipynb", source: "b", cell_type: "raw", mode: "insert" })
  expect([await text("line.ipynb"), await text("empty.ipynb")]).toEqual([
    '{"cells":[{"cell_type":"raw","metadata":{},"source":"b\\nc"}],"nbformat":4,"nbformat_minor":4}',
    `{
  "cells": [
    {
      "cell_type": "raw",
      "metadata": {},
      "source": [
        "b"
      ]
    }
  ],
  "nbformat": 4,
  "nbformat_minor": 4
}
`,
  ])
})

test("what can't be done to a notebook is refused with what there is instead", async () => {
  const { call, text } = await benchOf({ "n.ipynb": NOTEBOOK, "bad.ipynb": "{", "list.ipynb": "[]", "a.py": "" })
  expect([
    await call(editNotebook, { path: "n.ipynb", cell: "sums", source: "x" }),
    await call(editNotebook, { path: "n.ipynb", cell: 3, mode: "delete" }),
    await call(editNotebook, { path: "n.ipynb", cell: "sum" }),
    await call(editNotebook, { path: "list.ipynb", cell: 1, source: "x" }),
    await call(editNotebook, { path: "a.py", cell: 1, source: "x" }),
    await call(editNotebook, { path: "no.ipynb", cell: 1, source: "x" }),
  ]).toEqual([
    'n.ipynb has no cell "sums". It has 2 cells, numbered from 1; their ids are intro, sum.',
    'n.ipynb has no cell "3". It has 2 cells, numbered from 1; their ids are intro, sum.',
    "source: is needed to replace a cell",
    "list.ipynb is no notebook: it has no list of cells.",
    "a.py is no notebook (.ipynb). Use replace for other files.",
    "There is no file no.ipynb. To create it, use write_file. Did you mean n.ipynb?",
  ])
  expect(await call(editNotebook, { path: "bad.ipynb", cell: 1, source: "x" })).toMatch(/^bad\.ipynb is no notebook: /)
  expect(await text("n.ipynb")).toBe(NOTEBOOK)
})

test("a notebook keeps its CRLF", async () => {
  const { call, text } = await benchOf({ "n.ipynb": NOTEBOOK.replaceAll("\n", "\r\n") })
  await call(editNotebook, { path: "n.ipynb", cell: "intro", source: "# New" })
  expect((await text("n.ipynb")).replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
})
