/** A text with a YAML header between two lines of `---`. */
export interface FrontMatter {
  header: string
  body: string
  /** The line of the text on which the body begins, from 1. */
  bodyLine: number
}

/** A value of a header. */
export interface Field {
  /** Of the whole text, from 1. */
  line: number
  /** Null is nothing; undefined is something else than a text or a list of texts. */
  value: string | readonly string[] | null | undefined
}

/** What a header says, or where it can't be read. */
export type Fields = { fields: ReadonlyMap<string, Field> } | { fault: { line: number; message: string } }

/** Takes the header off. "none": there is none; "open": it does not end. */
export function splitFrontMatter(text: string): FrontMatter | "none" | "open" {
  const plain = text.replace(/^\uFEFF/, "")
  const begin = /^---[ \t]*(?:\r?\n|$)/.exec(plain)
  if (!begin) return "none"
  const rest = plain.slice(begin[0].length)
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(rest)
  if (!end) return "open"
  const header = rest.slice(0, end.index)
  return { header, body: rest.slice(end.index + end[0].length), bodyLine: 3 + lineEnds(header) }
}

/** Reads a header strictly: it is a map, each key once, each value a text or a list of texts. */
export async function readFields(header: string): Promise<Fields> {
  const { parseDocument, LineCounter, isAlias, isMap, isScalar, isSeq } = await import("yaml")
  const lines = new LineCounter()
  // every scalar is read as a text: a role may be called 7, or on
  const document = parseDocument(header.replaceAll("\r\n", "\n"), {
    lineCounter: lines,
    schema: "failsafe",
    prettyErrors: false,
    logLevel: "silent",
  })
  const lineOf = (offset: number) => lines.linePos(offset).line + 1 // the line of --- is before it
  const [wrong] = [...document.errors, ...document.warnings]
  if (wrong) return { fault: { line: lineOf(wrong.pos[0]), message: wrong.message } }
  const { contents } = document
  if (contents === null) return { fields: new Map() }
  if (!isMap(contents)) return { fault: { line: 2, message: 'the header must be lines of "key: value"' } }

  const textOf = (node: unknown) => (isScalar(node) && typeof node.value === "string" ? node.value : undefined)
  const readValue = (node: unknown): Field["value"] => {
    if (node === null || isAlias(node)) return node === null ? null : undefined
    if (isScalar(node)) return node.type === "PLAIN" && /^(~|null|)$/i.test(String(node.value)) ? null : textOf(node)
    if (!isSeq(node)) return undefined
    const items = node.items.map(textOf)
    return items.every((item) => item !== undefined && item !== "") ? (items as string[]) : undefined
  }
  const fields = new Map<string, Field>()
  for (const { key, value } of contents.items) {
    const line = lineOf(key.range[0])
    const name = textOf(key)
    if (name === undefined) return { fault: { line, message: "a key must be a word" } }
    fields.set(name, { line, value: readValue(value) })
  }
  return { fields }
}

/** What a header says of these keys: by YAML where it is that, else as people write who do not know it. */
export async function readTexts(header: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return (await strictly(header, keys)) ?? loosely(header, keys)
}

/** Undefined if it is no YAML, or says something else than texts. */
async function strictly(header: string, keys: readonly string[]): Promise<Map<string, string> | undefined> {
  if (header.trim() === "") return new Map()
  const read = await readFields(header)
  if ("fault" in read || keys.some((key) => read.fields.has(key) && read.fields.get(key)?.value === undefined)) {
    return undefined
  }
  const texts = keys.flatMap((key): [string, string][] => {
    const value = read.fields.get(key)?.value
    if (value == null) return []
    return [[key, (typeof value === "string" ? value : value.join(", ")).trim()]]
  })
  return new Map(texts)
}

/** Line by line: colons, tabs and quotes are where they are. */
function loosely(header: string, keys: readonly string[]): Map<string, string> {
  const said = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of header.split(/\r?\n/)) {
    const [, key, value = ""] = /^([a-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|)$/.exec(line.trimEnd()) ?? []
    if (key === undefined) {
      lines.push(line.trim())
      continue
    }
    lines = [value.trim()]
    if (keys.includes(key) && !said.has(key)) said.set(key, lines)
  }
  return new Map(Array.from(said, ([key, lines]) => [key, unquoted(textOf(lines))]))
}

/** The marks of YAML for a text of several lines say nothing to us. */
function textOf([first = "", ...more]: readonly string[]): string {
  return [...(/^[|>][+-]?$/.test(first) ? [] : [first]), ...more].join("\n").trim()
}

function unquoted(text: string): string {
  const [, , inner] = /^(["'])(.*)\1$/s.exec(text) ?? []
  if (inner === undefined) return text
  return text.startsWith("'") ? inner.replaceAll("''", "'") : inner.replaceAll('\\"', '"').replaceAll("\\n", "\n")
}

/** A text as it may stand after a key: as it is where YAML can't take it for something else, else in quotes. */
export function yamlText(text: string): string {
  const isPlain = /^\p{L}[^:#\p{Cc}\u2028\u2029\uFEFF]*$/u.test(text) && text === text.trim() && !WORDS.test(text)
  return isPlain ? text : JSON.stringify(text).replace(/[\u007F-\u009F\u2028\u2029\uFEFF]/g, escaped)
}

/** Words that some readers of YAML take for something else than a text. */
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
}

function lineEnds(text: string): number {
  return text.split("\n").length - 1
}
