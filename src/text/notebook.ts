import { elementSpans, type Span } from "./json-array.ts"

/** A change to one cell of a Jupyter notebook. */
export type CellEdit =
  | { mode: "replace"; cell: string; source: string; type: CellType | undefined }
  /** Behind a cell; before all of them if none is named. */
  | { mode: "insert"; cell: string | undefined; source: string; type: CellType; id: string }
  | { mode: "delete"; cell: string }

export type CellType = "code" | "markdown" | "raw"

/** The notebook's text with one cell changed, and all else as it was written. Throws an Error that says what is wrong. */
export function editNotebook(json: string, edit: CellEdit, name: string): string {
  const notebook = parse(json, name)
  const found = elementSpans(json, "cells")
  if (!found) throw new Error(`${name} is no notebook: it has no list of cells.`)
  const { array, elements } = found
  const cells = notebook.cells as readonly Cell[]
  const at = edit.cell === undefined ? -1 : indexOf(cells, edit.cell, name)
  switch (edit.mode) {
    case "replace": {
      const span = elements[at]!
      const cell = withSource(cells[at]!, edit.source, edit.type ?? cells[at]!.cell_type)
      return put(json, span, render(cell, json, span.start))
    }
    case "insert": {
      const wantsId = notebook.nbformat > 4 || (notebook.nbformat === 4 && notebook.nbformat_minor >= 5)
      const cell = newCell(edit, wantsId || cells.some(({ id }) => id !== undefined))
      return insert(json, array, elements, at, cell)
    }
    case "delete":
      return remove(json, array, elements, at)
  }
}

interface Cell {
  cell_type: string
  id?: unknown
  source?: unknown
  [key: string]: unknown
}

function parse(json: string, name: string): { cells?: unknown; nbformat: number; nbformat_minor: number } {
  try {
    return { nbformat: 0, nbformat_minor: 0, ...JSON.parse(json) }
  } catch (error) {
    throw new Error(`${name} is no notebook: ${(error as Error).message}`)
  }
}

/** By its id, else by its number from 1. */
function indexOf(cells: readonly Cell[], said: string, name: string): number {
  const byId = cells.findIndex(({ id }) => id === said)
  if (byId >= 0) return byId
  const number = /^\d+$/.test(said) ? Number(said) : 0
  if (number >= 1 && number <= cells.length) return number - 1
  const ids = cells.flatMap(({ id }) => (typeof id === "string" ? [id] : [])).slice(0, 30)
  const which = ids.length > 0 ? `; their ids are ${ids.join(", ")}` : ""
  throw new Error(`${name} has no cell "${said}". It has ${cells.length} cells, numbered from 1${which}.`)
}

/** What it printed before is not what it would print now. */
function withSource(cell: Cell, source: string, type: string): Cell {
  const { outputs: _, execution_count: __, ...rest } = cell
  const lines = typeof cell.source === "string" ? source : linesOf(source)
  if (type !== "code") return { ...rest, cell_type: type, source: lines }
  const kept = cell.cell_type === "code" ? cell : rest // keeps the order of the keys
  return { ...kept, cell_type: type, source: lines, outputs: [], execution_count: null }
}

function newCell({ id, type, source }: Extract<CellEdit, { mode: "insert" }>, wantsId: boolean): Cell {
  const ran = type === "code" ? { execution_count: null, outputs: [] } : {}
  const { execution_count, outputs } = ran as { execution_count?: null; outputs?: [] }
  return {
    cell_type: type,
    ...(execution_count !== undefined && { execution_count }),
    ...(wantsId && { id }),
    metadata: {},
    ...(outputs && { outputs }),
    source: linesOf(source),
  }
}

/** As notebooks keep them: each line with its end. */
function linesOf(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+/g) ?? []
}

function insert(json: string, array: Span, elements: readonly Span[], after: number, cell: Cell): string {
  const neighbour = elements[Math.max(0, after)]
  if (!neighbour) {
    const unit = unitOf(json)
    const text = unit === "" ? JSON.stringify([cell]) : JSON.stringify([cell], null, unit).replaceAll("\n", `\n${unit}`)
    return put(json, array, text)
  }
  const text = render(cell, json, neighbour.start)
  const gap = separatorBefore(json, neighbour.start)
  if (after < 0) return put(json, { start: neighbour.start, end: neighbour.start }, `${text},${gap || " "}`)
  return put(json, { start: neighbour.end, end: neighbour.end }, `,${gap || " "}${text}`)
}

function remove(json: string, array: Span, elements: readonly Span[], at: number): string {
  const [span, next, before] = [elements[at]!, elements[at + 1], elements[at - 1]]
  if (next) return put(json, { start: span.start, end: next.start }, "")
  if (before) return put(json, { start: before.end, end: span.end }, "")
  return put(json, array, "[]")
}

/** Indented like the cell that begins there. */
function render(cell: Cell, json: string, start: number): string {
  const unit = unitOf(json)
  if (unit === "") return JSON.stringify(cell)
  return JSON.stringify(cell, null, unit).replaceAll("\n", separatorBefore(json, start) || "\n")
}

/** The line break and the indentation before a place; "" if something else is on its line. */
function separatorBefore(json: string, start: number): string {
  return /\n[ \t]*$/.exec(json.slice(Math.max(0, start - 100), start))?.[0] ?? ""
}

function unitOf(json: string): string {
  return /^\s*\{\s*?\n([ \t]+)/.exec(json)?.[1] ?? ""
}

function put(json: string, { start, end }: Span, text: string): string {
  return json.slice(0, start) + text + json.slice(end)
}
