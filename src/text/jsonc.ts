/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** A value, and where it stands in the text. */
export interface JsonNode {
  readonly value: Json
  readonly start: number
  readonly end: number
  /** Of an object, in the order of the text. */
  readonly properties?: readonly JsonProperty[]
}

export interface JsonProperty {
  readonly key: string
  readonly start: number
  readonly node: JsonNode
}

export interface JsonFault {
  readonly message: string
  readonly offset: number
}

export interface ParsedJson {
  /** Undefined for an empty text. With a fault in an object, what stands before it. */
  readonly node: JsonNode | undefined
  readonly fault?: JsonFault
}

/** Deeper than this nobody writes by hand. */
const DEEPEST = 100

/** White space and comments; a byte order mark is white space. */
const BLANK = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y

/** Reads JSON with comments and trailing commas. What stands before a fault is not lost. */
export function parseJsonc(text: string): ParsedJson {
  const scan: Scan = { text, at: 0, outermost: undefined }
  try {
    blank(scan)
    if (scan.at === text.length) return { node: undefined }
    const node = readValue(scan, 0)
    blank(scan)
    return scan.at === text.length ? { node } : { node, fault: faultAt(scan, "something stands after the end") }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    const read = scan.outermost
    return { node: read && objectOf(read.start, text.length, read.properties), fault: thrown }
  }
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}

/** Where blanks and comments end that begin here. */
export function afterBlank(text: string, at: number): number {
  BLANK.lastIndex = at
  BLANK.test(text)
  return BLANK.lastIndex
}

interface Scan {
  readonly text: string
  at: number
  outermost: { start: number; properties: JsonProperty[] } | undefined
}

function readValue(scan: Scan, depth: number): JsonNode {
  if (depth > DEEPEST) throw faultAt(scan, "this is nested too deeply")
  const start = scan.at
  switch (scan.text[start]) {
    case "{":
      return readObject(scan, depth)
    case "[":
      return readArray(scan, depth)
    case '"':
      return { value: readString(scan), start, end: scan.at }
  }
  const token = match(scan, SCALAR)
  if (token === undefined) throw faultAt(scan, "a value is expected here")
  return { value: JSON.parse(token), start, end: scan.at }
}

function readObject(scan: Scan, depth: number): JsonNode {
  const start = scan.at
  const properties: JsonProperty[] = []
  if (depth === 0) scan.outermost = { start, properties }
  readList(scan, "}", () => {
    const keyStart = scan.at
    if (scan.text[keyStart] !== '"') throw faultAt(scan, 'a key in "quotes" is expected here')
    const key = readString(scan)
    blank(scan)
    if (!take(scan, ":")) throw faultAt(scan, `a colon is expected after "${key}"`)
    blank(scan)
    properties.push({ key, start: keyStart, node: readValue(scan, depth + 1) })
  })
  return objectOf(start, scan.at, properties)
}

function readArray(scan: Scan, depth: number): JsonNode {
  const start = scan.at
  const items: Json[] = []
  readList(scan, "]", () => void items.push(readValue(scan, depth + 1).value))
  return { value: items, start, end: scan.at }
}

/** Reads what stands between brackets, with commas between and perhaps one at the end. */
function readList(scan: Scan, close: string, readOne: () => void): void {
  scan.at++
  blank(scan)
  while (!take(scan, close)) {
    readOne()
    blank(scan)
    const goesOn = take(scan, ",")
    blank(scan)
    if (!goesOn && scan.text[scan.at] !== close) throw faultAt(scan, `a comma or "${close}" is expected here`)
  }
}

function readString(scan: Scan): string {
  const start = scan.at
  const token = match(scan, STRING)
  try {
    if (token !== undefined) return JSON.parse(token)
  } catch {}
  throw faultAt({ ...scan, at: start }, "this text is not closed, or has a character in it that must be escaped")
}

function objectOf(start: number, end: number, properties: readonly JsonProperty[]): JsonNode {
  const value = Object.fromEntries(properties.map(({ key, node }) => [key, node.value]))
  return { value, start, end, properties }
}

function blank(scan: Scan): void {
  scan.at = afterBlank(scan.text, scan.at)
}

function take(scan: Scan, token: string): boolean {
  if (scan.text[scan.at] !== token) return false
  scan.at++
  return true
}

function match(scan: Scan, token: RegExp): string | undefined {
  token.lastIndex = scan.at
  const found = token.exec(scan.text)?.[0]
  if (found !== undefined) scan.at += found.length
  return found
}

function faultAt({ at }: Scan, message: string): JsonFault {
  return { message, offset: at }
}

function isFault(thrown: unknown): thrown is JsonFault {
  return typeof thrown === "object" && thrown !== null && "offset" in thrown
}
