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
/** Keys under which names of the author's own stand. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas"])
/** Keys under which values stand that are no schemas. */
const VALUES = new Set(["enum", "const", "default", "required"])

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
    if (LEFT_OUT.has(key)) continue
    if (key === "format" && part !== "date-time") continue
    if (key === "const") clean["enum"] = [part]
    else if (VALUES.has(key)) clean[key] = counted(part, deeper)
    else if (NAMED.has(key)) {
      if (isObject(part))
        clean[key] = Object.fromEntries(Object.entries(part).map(([name, one]) => [name, cleaned(one, deeper)]))
    } else clean[key] = cleaned(part, deeper)
  }
  if (Array.isArray(clean["required"])) clean["required"] = clean["required"].filter((name) => typeof name === "string")
  return clean
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
