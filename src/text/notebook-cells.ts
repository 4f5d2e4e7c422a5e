import { cutEnd, linesOf } from "./truncate.ts"

/** The cells of a Jupyter notebook as text: numbered, with their sources whole and their outputs shortened. */
export function notebookText(json: string): string | undefined {
  const cells = cellsOf(json)
  return cells?.map((cell, at) => cellText(cell, at + 1)).join("\n\n")
}

/** Lines shown of what a cell has printed. */
const MOST_OUTPUT = 30

interface Cell {
  cell_type?: unknown
  id?: unknown
  source?: unknown
  outputs?: unknown
}

function cellsOf(json: string): Cell[] | undefined {
  try {
    const { cells } = JSON.parse(json)
    return Array.isArray(cells) ? cells.filter((cell) => typeof cell === "object" && cell !== null) : undefined
  } catch {
    return undefined // then it is a text like any other
  }
}

function cellText({ cell_type, id, source, outputs }: Cell, number: number): string {
  const name = typeof id === "string" ? `, id ${id}` : ""
  const output = Array.isArray(outputs) ? outputs.map(outputText).filter((text) => text !== "") : []
  const shown = output.length > 0 ? [`[output of cell ${number}]`, shortened(output.join("\n"))] : []
  return [`[cell ${number}, ${cell_type ?? "code"}${name}]`, joined(source), ...shown].join("\n")
}

function outputText(output: unknown): string {
  const { text, data, ename, evalue } = (output ?? {}) as Record<string, unknown>
  if (text !== undefined) return joined(text)
  if (ename !== undefined) return `${ename}: ${evalue}`
  if (typeof data !== "object" || data === null) return ""
  const plain = (data as Record<string, unknown>)["text/plain"]
  const others = Object.keys(data).filter((type) => type !== "text/plain" && type !== "text/html")
  return [...(plain === undefined ? [] : [joined(plain)]), ...others.map((type) => `[${type}, not shown]`)].join("\n")
}

function shortened(text: string): string {
  const lines = linesOf(text.replaceAll(COLOURS, ""))
  const shown = lines.slice(0, MOST_OUTPUT).map((line) => cutEnd(line, 500))
  const rest = lines.length - shown.length
  return [...shown, ...(rest > 0 ? [`[${rest} more lines of output]`] : [])].join("\n")
}

const COLOURS = /\x1b\[[0-9;]*m/g

function joined(text: unknown): string {
  return (Array.isArray(text) ? text.join("") : String(text ?? "")).replace(/\n$/, "")
}
