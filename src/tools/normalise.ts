/** The part of JSON Schema that says what a value should be. */
interface Schema {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

/**
 * Puts right what models write for what they mean, where the schema leaves no doubt: numbers and booleans as strings, JSON
 * in a string, `null` for what is absent, one item for a list, other spellings of a name. All else stays as it is.
 */
export function normalise(value: unknown, schema: object, spellings: Readonly<Record<string, string>> = {}): unknown {
  return asMeant(value ?? {}, schema as Schema, spellings)
}

function asMeant(value: unknown, schema: Schema, spellings: Readonly<Record<string, string>>): unknown {
  const variant = variantFor(value, schema)
  if (accepts(variant, "object")) {
    const object = accepts(variant, "string") ? value : parsed(value, isObject)
    return isObject(object) && variant.properties ? fieldsOf(object, variant.properties, spellings) : object
  }
  if (accepts(variant, "array")) {
    const list = parsed(value, Array.isArray)
    const items = Array.isArray(list) ? list : [list]
    return variant.items ? items.map((item) => asMeant(item, variant.items!, spellings)) : items
  }
  return scalar(value, variant)
}

function fieldsOf(
  object: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, Schema>>,
  spellings: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const name = nameFor(key, properties, spellings)
    const schema = Object.hasOwn(properties, name) ? properties[name]! : {}
    if (value === null && !accepts(variantFor(null, schema), "null")) continue
    if (name !== key && Object.hasOwn(object, name) && object[name] !== null) continue // said properly as well
    fields.set(name, asMeant(value, schema, spellings))
  }
  return Object.fromEntries(fields)
}

/** The schema's own name for a key: as it is, by another spelling, or with other capitals and dashes. */
function nameFor(
  key: string,
  properties: Readonly<Record<string, Schema>>,
  spellings: Readonly<Record<string, string>>,
): string {
  if (Object.hasOwn(properties, key)) return key
  const names = Object.keys(properties)
  const same = names.find((name) => folded(name) === folded(key))
  if (same) return same
  const spelling = Object.keys(spellings).find(
    (name) => folded(name) === folded(key) && names.includes(spellings[name]!),
  )
  return spelling ? spellings[spelling]! : key
}

function scalar(value: unknown, schema: Schema): unknown {
  if (schema.enum && typeof value === "string" && !schema.enum.includes(value)) {
    return schema.enum.find((option) => typeof option === "string" && folded(option) === folded(value)) ?? value
  }
  if (typeof value === "string" && !accepts(schema, "string")) {
    const word = value.trim()
    if ((accepts(schema, "number") || accepts(schema, "integer")) && NUMBER.test(word)) return Number(word)
    if (accepts(schema, "boolean") && /^(true|false)$/i.test(word)) return word.toLowerCase() === "true"
  }
  if (accepts(schema, "string") && !accepts(schema, jsonType(value))) {
    if (typeof value === "number" || typeof value === "boolean") return String(value)
  }
  return value
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/

/** Of several shapes the one the value has, else the first that is not null. */
function variantFor(value: unknown, schema: Schema): Schema {
  const variants = schema.anyOf ?? schema.oneOf
  if (!variants || variants.length === 0) return schema
  return (
    variants.find((variant) => accepts(variant, jsonType(value))) ??
    variants.find((variant) => variant.type !== "null") ??
    schema
  )
}

/** A schema without a type asks for nothing that could be put right. */
function accepts({ type }: Schema, name: string): boolean {
  if (type === undefined) return false
  if (name === "number" && type === "integer") return true
  return typeof type === "string" ? type === name : type.includes(name)
}

function parsed(value: unknown, is: (value: unknown) => boolean): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value
  try {
    const inner: unknown = JSON.parse(value)
    return is(inner) ? inner : value
  } catch {
    return value // no JSON, then it is what it says
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function jsonType(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function folded(name: string): string {
  return name.replaceAll(/[_\s-]/g, "").toLowerCase()
}
