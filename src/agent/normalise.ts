/** What others call a name, and what it is here. */
type Spellings = Readonly<Record<string, string>>

/** The part of JSON Schema that says what a value should be. */
interface Schema {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  patternProperties?: object
  items?: Schema
  prefixItems?: object
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

/**
 * Puts right what models write for what they mean, where the schema leaves no doubt: numbers and booleans as strings, JSON
 * in a string, `null` for what is absent, one item for a list, other spellings of a name. All else stays as it is.
 */
export function normalise(value: unknown, schema: object, spellings: Spellings = {}): unknown {
  return asMeant(value ?? {}, schema as Schema, spellings)
}

function asMeant(value: unknown, schema: Schema, spellings: Spellings): unknown {
  const parts = [...(schema.allOf ?? []), ...variantFor(value, schema.anyOf ?? schema.oneOf ?? [], spellings)]
  return parts.reduce(
    (meant, part) => asMeant(meant, part, spellings),
    within(ofItsType(value, schema), schema, spellings),
  )
}

/** What is meant where a value of another type is asked for. */
function ofItsType(value: unknown, schema: Schema): unknown {
  if (schema.type === undefined || hasType(value, schema)) return value
  const object = accepts(schema, "object") ? parsed(value, isObject) : value
  if (isObject(object) && accepts(schema, "object")) return object
  if (accepts(schema, "array") && value !== null) {
    const list = parsed(value, Array.isArray)
    return Array.isArray(list) ? list : [list]
  }
  if (typeof value !== "string") return accepts(schema, "string") && isPlain(value) ? String(value) : value
  const word = value.trim()
  const number = NUMBER.test(word) ? Number(word) : undefined
  if (number !== undefined && hasType(number, schema) && !losesDigits(number)) return number
  return accepts(schema, "boolean") && /^(true|false)$/i.test(word) ? word.toLowerCase() === "true" : value
}

/** A value with its parts as they are meant. */
function within(value: unknown, schema: Schema, spellings: Spellings): unknown {
  const { properties, additionalProperties, items, prefixItems, enum: options } = schema
  if (isObject(value)) return properties || additionalProperties ? fieldsOf(value, schema, spellings) : value
  if (Array.isArray(value)) return items && !prefixItems ? value.map((item) => asMeant(item, items, spellings)) : value
  if (typeof value !== "string" || !options || options.includes(value)) return value
  return options.find((option) => option !== null && folded(String(option)) === folded(value)) ?? value
}

function fieldsOf(
  object: Readonly<Record<string, unknown>>,
  { properties = {}, additionalProperties: others, patternProperties }: Schema,
  spellings: Spellings,
): Record<string, unknown> {
  const other = typeof others === "object" && !patternProperties ? others : {}
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const named = nameFor(key, properties, spellings)
    const isTaken = named !== key && Object.hasOwn(object, named) && object[named] !== null // said properly as well
    const name = isTaken ? key : named
    const schema = Object.hasOwn(properties, name) ? properties[name]! : other
    if (value === null && !fits(null, schema)) continue
    fields.set(name, asMeant(value, schema, spellings))
  }
  return Object.fromEntries(fields)
}

/** The schema's own name for a key: as it is, by another spelling, or with other capitals and dashes. */
function nameFor(key: string, properties: Readonly<Record<string, Schema>>, spellings: Spellings): string {
  if (Object.hasOwn(properties, key)) return key
  const names = Object.keys(properties)
  const same = names.find((name) => folded(name) === folded(key))
  if (same) return same
  const spelling = Object.keys(spellings).find(
    (name) => folded(name) === folded(key) && names.includes(spellings[name]!),
  )
  return spelling ? spellings[spelling]! : key
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/

/** An identifier of that length is no number that we can hold. */
function losesDigits(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number)
}

/** Of several shapes the one that the value has, or has once it is put right; or else the only one that there is. */
function variantFor(value: unknown, variants: readonly Schema[], spellings: Spellings): readonly Schema[] {
  const real = variants.filter(({ type }) => type !== "null")
  const found =
    variants.find((variant) => fits(value, variant)) ??
    variants.find((variant) => fits(asMeant(value, variant, spellings), variant)) ??
    (real.length === 1 ? real[0] : undefined)
  return found ? [found] : []
}

/** Whether a value is what a schema asks for, as far as we read it. */
function fits(value: unknown, schema: Schema): boolean {
  const { enum: options, properties = {}, required = [], items, prefixItems, allOf = [] } = schema
  const variants = schema.anyOf ?? schema.oneOf
  if (!hasType(value, schema)) return false
  if (options && !options.some((option) => JSON.stringify(option) === JSON.stringify(value))) return false
  if (variants && !variants.some((variant) => fits(value, variant))) return false
  if (!allOf.every((part) => fits(value, part))) return false
  if (Array.isArray(value)) return !items || prefixItems !== undefined || value.every((item) => fits(item, items))
  if (!isObject(value)) return true
  const isThere = (name: string) => Object.hasOwn(value, name)
  return (
    required.every(isThere) &&
    Object.entries(properties).every(([name, property]) => !isThere(name) || fits(value[name], property))
  )
}

function hasType(value: unknown, schema: Schema): boolean {
  return (
    schema.type === undefined ||
    accepts(schema, jsonType(value)) ||
    (Number.isInteger(value) && accepts(schema, "integer"))
  )
}

function accepts({ type = [] }: Schema, name: string): boolean {
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

function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean"
}

function jsonType(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function folded(name: string): string {
  return name.replaceAll(/[_\s-]/g, "").toLowerCase()
}
