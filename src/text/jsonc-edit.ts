import { afterBlank, type Json, type JsonNode, type JsonObject, type JsonProperty, parseJsonc } from "./jsonc.ts"

interface Edit {
  start: number
  end: number
  text: string
}

/**
 * The text with another object in it: only what differs is written anew, so that comments, order and layout stay. The
 * text must be one that can be read, or empty.
 */
export function changeJsonc(text: string, value: JsonObject): string {
  const { node } = parseJsonc(text)
  if (!node?.properties) return `${JSON.stringify(value, null, 2)}\n`
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  "
  const changed = applied(text, editsOf(text, node, value, indent, 0))
  const read = parseJsonc(changed)
  const isRight = !read.fault && same(read.node?.value ?? null, value)
  return isRight ? changed : `${JSON.stringify(value, null, 2)}\n` // never a wrong value for the sake of a comment
}

/** Whether two values say the same. */
export function same(one: Json, other: Json): boolean {
  if (one === other) return true
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => same(item, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && same(one[key] as Json, other[key] as Json))
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function editsOf(text: string, node: JsonNode, value: Json, indent: string, depth: number): Edit[] {
  if (same(node.value, value)) return []
  if (!node.properties || !isObject(value)) return [{ ...node, text: written(value, indent, depth) }]
  const last = new Map(node.properties.map((property) => [property.key, property])) // of a key written twice, the last counts
  const kept = node.properties.filter(({ key }) => Object.hasOwn(value, key))
  const edits = node.properties.flatMap((property) => {
    if (!Object.hasOwn(value, property.key)) return [removal(text, property)]
    return last.get(property.key) === property
      ? editsOf(text, property.node, value[property.key] as Json, indent, depth + 1)
      : []
  })
  const added = Object.keys(value).filter((key) => !last.has(key))
  const comma = commaOf(text, node, kept.at(-1), added.length > 0)
  return [...edits, ...comma, ...insertions(text, node, value, added, indent, depth)]
}

/** Takes a property away with the comma after it, and with its line if nothing else is on it. */
function removal(text: string, { start, node }: JsonProperty): Edit {
  const next = afterBlank(text, node.end)
  const end = text[next] === "," ? next + 1 : node.end
  const lineStart = text.lastIndexOf("\n", start - 1)
  const isAlone = lineStart >= 0 && text.slice(lineStart, start).trim() === "" && /[\r\n}]/.test(text[end] ?? "")
  return { start: isAlone ? lineStart : start, end, text: "" }
}

/** Sets or takes away the comma after the last property that stays, where none or one more is to follow. */
function commaOf(text: string, node: JsonNode, last: JsonProperty | undefined, isWanted: boolean): Edit[] {
  if (!last) return []
  const { end } = last.node
  const comma = afterBlank(text, end)
  const hasComma = text[comma] === ","
  if (isWanted && !hasComma) return [{ start: end, end, text: "," }]
  const wasLast = node.properties?.at(-1) === last
  return !isWanted && hasComma && !wasLast ? [{ start: comma, end: comma + 1, text: "" }] : []
}

function insertions(
  text: string,
  node: JsonNode,
  value: JsonObject,
  added: readonly string[],
  indent: string,
  depth: number,
): Edit[] {
  if (added.length === 0) return []
  const close = node.end - 1
  const inside = text.slice(node.start + 1, close)
  const at = close - (inside.length - inside.trimEnd().length)
  const line = `\n${indent.repeat(depth + 1)}`
  const lines = added.map((key) => `${line}${JSON.stringify(key)}: ${written(value[key] as Json, indent, depth + 1)}`)
  const ending = inside.slice(inside.trimEnd().length).includes("\n") ? "" : `\n${indent.repeat(depth)}`
  return [{ start: at, end: at, text: lines.join(",") + ending }]
}

function written(value: Json, indent: string, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", `\n${indent.repeat(depth)}`)
}

function applied(text: string, edits: readonly Edit[]): string {
  let out = ""
  let at = 0
  for (const edit of [...edits].sort((one, other) => one.start - other.start || one.end - other.end)) {
    out += text.slice(at, edit.start) + edit.text
    at = Math.max(at, edit.end)
  }
  return out + text.slice(at)
}
