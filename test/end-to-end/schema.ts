import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { ROOT } from "../../build/run.ts"
import type { Frame, Loose } from "./koda.ts"

interface Schema {
  $schema: string
  $defs: Record<string, Loose>
}

/** The protocol as its authors publish it for machines. */
const PROTOCOL = published("schema.json")
/** With what it is about to have; some of it (`usage`) clients look for already. */
const COMING = published("schema.unstable.json")

function published(name: string): Schema {
  return JSON.parse(readFileSync(join(ROOT, "node_modules/@agentclientprotocol/sdk/schema/v1", name), "utf8"))
}

const checks = new Map<string, z.ZodType>()

/**
 * What is wrong with a frame of an agent's by the letter of the protocol: what must not be, and fields at the top of its params,
 * update or result that the protocol neither has nor is about to have. `method` is what a response answers.
 */
export function flawsOf(frame: Frame, method: string | undefined): string[] {
  if (frame.error) return flaws("Error", frame.error)
  if (frame.method !== undefined) {
    const name = nameOf(frame.method, "client", frame.id === undefined ? "Notification" : "Request")
    if (!name) return frame.method.startsWith("$/") ? [] : [`${frame.method} is no method of a client`]
    const update =
      frame.method === "session/update" ? unknownIn(variantOf(frame.params.update), frame.params.update) : []
    return [...flaws(name, frame.params), ...update]
  }
  const name = method && nameOf(method, "agent", "Response")
  return name ? flaws(name, frame.result) : []
}

function flaws(name: string, value: Loose): string[] {
  if (!checks.has(name)) {
    const { $schema, $defs } = PROTOCOL
    checks.set(name, z.fromJSONSchema({ $schema, $defs, $ref: `#/$defs/${name}` } as Loose))
  }
  const { error } = checks.get(name)!.safeParse(value)
  const wrong = error ? [`${name}: ${z.prettifyError(error)} in ${JSON.stringify(value)}`] : []
  return [...wrong, ...unknownIn(COMING.$defs[name], value)]
}

/** The kinds of updates are told apart by a word. */
function variantOf({ sessionUpdate }: Loose): Loose {
  return COMING.$defs.SessionUpdate.oneOf.find(
    ({ properties }: Loose) => properties.sessionUpdate?.const === sessionUpdate,
  )
}

function unknownIn(schema: Loose, value: Loose): string[] {
  const known = propertiesOf(schema)
  return Object.keys(value ?? {}).flatMap((key) =>
    known.has(key) ? [] : [`"${key}" is no field of ${JSON.stringify(value)}`],
  )
}

function propertiesOf(schema: Loose): Set<string> {
  if (!schema) return new Set()
  const { $ref, properties = {}, allOf = [], oneOf = [], anyOf = [] } = schema
  const parts = [...allOf, ...oneOf, ...anyOf, ...($ref ? [COMING.$defs[$ref.split("/").at(-1)]] : [])]
  return new Set([...Object.keys(properties), ...parts.flatMap((part: Loose) => [...propertiesOf(part)])])
}

function nameOf(method: string, side: "client" | "agent", kind: string): string | undefined {
  return Object.entries(PROTOCOL.$defs).find(
    ([name, schema]) => schema["x-method"] === method && schema["x-side"] === side && name.endsWith(kind),
  )?.[0]
}
