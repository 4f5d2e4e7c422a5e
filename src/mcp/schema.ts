/** Values in a schema that we look at; a server that sends more gets an open one. */
const MOST_NODES = 5_000
const DEEPEST = 40

type Json = unknown
type JsonObject = Record<string, Json>

/** Said by the schema's author to other programs, and refused by some models' servers. */
const LEFT_OUT = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "definitions",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
  "contentEncoding",
  "contentMediaType",
])
/** Keys under which names of the author's own stand, and lists of schemas, and one schema. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas"])
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const SINGLE = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"])

/**
 * A tool's input as models take it: an object's schema without references, and without what some of their servers choke
 * on. What is no schema, or is too large, comes back as one that takes any object.
 */
export function cleanSchema(schema: Json): object {
  if (!isObject(schema)) return ANY
  const budget = { left: MOST_NODES }
  try {
    const clean = cleaned(schema, { root: schema, within: ["#"], depth: 0, budget }) as JsonObject
    const properties = isObject(clean["properties"]) ? clean["properties"] : {}
    return { ...clean, type: "object", properties }
  } catch (error) {
    if (error instanceof TooLarge) return ANY
    throw error
  }
}

const ANY: object = { type: "object", properties: {}, additionalProperties: true }

class TooLarge extends Error {}

interface At {
  root: JsonObject
  /** References that are being followed. */
  within: readonly string[]
  depth: number
  budget: { left: number }
}

function cleaned(value: Json, at: At): Json {
  if (--at.budget.left < 0 || at.depth > DEEPEST) throw new TooLarge()
  const deeper = { ...at, depth: at.depth + 1 }
  if (Array.isArray(value)) return value.map((item) => cleaned(item, deeper))
  if (!isObject(value)) return value
  const reference = value["$ref"]
  if (typeof reference === "string") return followed(reference, value, deeper)
  const clean: JsonObject = {}
  for (const [key, part] of Object.entries(value)) {
    const kept = LEFT_OUT.has(key) ? undefined : keptOf(key, part, deeper)
    if (kept !== undefined) clean[key === "const" ? "enum" : key] = kept
  }
  return clean
}

/** What stands under a key; undefined if that can't stand there. */
function keptOf(key: string, part: Json, at: At): Json {
  if (NAMED.has(key)) {
    if (!isObject(part)) return undefined
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, asSchema(one, at)]))
  }
  if (LISTS.has(key)) return filled(part)?.map((one) => asSchema(one, at))
  if (SINGLE.has(key)) {
    if (Array.isArray(part)) return part.map((one) => asSchema(one, at))
    return isObject(part) || typeof part === "boolean" ? cleaned(part, at) : undefined
  }
  switch (key) {
    case "format":
      return part === "date-time" ? part : undefined
    case "const":
      return [counted(part, at)]
    case "enum":
      return filled(part) && counted(part, at)
    case "required":
      return filled(part)?.filter((name) => typeof name === "string")
    case "type":
      return typeof part === "string" ? part : filled(filled(part)?.filter((name) => typeof name === "string"))
    case "default":
      return counted(part, at)
    default:
      return cleaned(part, at)
  }
}

function filled(value: Json): Json[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

/** Where a schema must stand. What is none allows anything. */
function asSchema(value: Json, at: At): Json {
  return isObject(value) ? cleaned(value, at) : {}
}

/** What a reference within the schema leads to; one that leads nowhere, or back into itself, allows anything. */
function followed(reference: string, { $ref: _, ...beside }: JsonObject, at: At): Json {
  const target = at.within.includes(reference) ? undefined : targetOf(reference, at.root)
  const about = cleaned(beside, at) as JsonObject
  if (!isObject(target)) return about
  return { ...(cleaned(target, { ...at, within: [...at.within, reference] }) as JsonObject), ...about }
}

function targetOf(reference: string, root: JsonObject): Json {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined
  let target: Json = root
  for (const part of reference.split("/").slice(1)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~")
    const found: Json = Array.isArray(target)
      ? target[Number(key)]
      : isObject(target) && Object.hasOwn(target, key)
        ? target[key]
        : undefined
    target = found
  }
  return target
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A value as it is, if it is not too large. */
function counted(value: Json, at: At): Json {
  at.budget.left -= Math.ceil((JSON.stringify(value) ?? "").length / 20)
  if (at.budget.left < 0) throw new TooLarge()
  return value
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
