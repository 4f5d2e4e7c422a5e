import * as v from "valibot"
import { expectedInWords } from "../text/expected.ts"
import { type Json, type JsonNode, lineAt, parseJsonc } from "../text/jsonc.ts"
import { isObject } from "../text/jsonc-edit.ts"
import { didYouMean } from "../text/similar.ts"
import type { Said, Settings } from "./keys.ts"
import { SettingsError } from "./settings-error.ts"
import { SHAPES } from "./shape.ts"

/** What a settings file says, and what in it can't be used. */
export interface Checked {
  said: Said
  problems: readonly SettingsError[]
  /** False if it was not read to its end: it has a mistake, or is being written. */
  isWhole: boolean
}

/** For keys where a wrong value must not mean the freer one. */
const CAUTIOUS: Said = { sandbox: { enabled: true, network: false } }

/** Reads the text of a settings file. A wrong value, or a wrong entry of one, is left out; the rest holds. */
export function checkSettings(path: string, text: string): Checked {
  const { node, fault } = parseJsonc(text)
  const problems: SettingsError[] = []
  const report = (offset: number, what: string) => problems.push(new SettingsError(path, lineAt(text, offset), what))
  if (node && !node.properties) report(node.start, 'settings must be an object: { "key": value }')
  const said: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(withPaths(node?.properties ? node.value : {}))) {
    if (!isKey(key)) continue // another version's, or another program's
    const { output, issues } = salvage(key, value)
    if (output !== undefined) said[key] = output
    for (const issue of issues) report(placeOf(node, key, issue), wordsOf(key, issue))
  }
  if (fault) report(fault.offset, `${fault.message}; what follows is not read`)
  // an editor that writes in place empties the file first
  return { said: said as Said, problems, isWhole: fault === undefined && text.trim() !== "" }
}

/** Keys that are none of ours and look like one of ours. Others are another program's. */
export function misspeltKeys(path: string, text: string): SettingsError[] {
  const { properties = [] } = parseJsonc(text).node ?? {}
  return properties.flatMap(({ key, start }) => {
    if (isKey(key.split(".", 1)[0] as string)) return []
    const likely = didYouMean(key, Object.keys(SHAPES))
    return likely === "" ? [] : [new SettingsError(path, lineAt(text, start), `there is no setting "${key}"${likely}`)]
  })
}

export function isKey(key: string): key is keyof Settings {
  return Object.hasOwn(SHAPES, key)
}

type Issue = v.BaseIssue<unknown>

/** The value as it is used. If it is wrong somewhere within, the entries that are wrong are taken out first. */
function salvage(key: keyof Settings, value: Json): { output?: unknown; issues: readonly Issue[] } {
  const first = v.safeParse(SHAPES[key], value)
  if (first.success) return { output: first.output, issues: [] }
  const wrong = new Set(first.issues.map((issue) => issue.path?.[0]?.key))
  const second = v.safeParse(SHAPES[key], without(value, wrong))
  const output = second.success && !wrong.has(undefined) ? second.output : CAUTIOUS[key]
  return { output, issues: first.issues }
}

function without(value: Json, wrong: ReadonlySet<unknown>): Json {
  if (Array.isArray(value)) return value.filter((_, index) => !wrong.has(index))
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key))) : value
}

/** `"sandbox.network": true` means the same as `"sandbox": {"network": true}`. */
function withPaths(value: Json): { [key: string]: Json } {
  const whole: { [key: string]: Json } = {}
  for (const [key, one] of Object.entries(value as object) as [string, Json][]) {
    const [outer = "", ...inner] = key.split(".")
    const within = whole[outer]
    if (inner.length === 1 && isKey(outer)) {
      whole[outer] = { ...(isObject(within) ? within : {}), [inner[0] as string]: one }
    } else whole[key] = isObject(one) && isObject(within) ? { ...within, ...one } : one
  }
  return whole
}

function wordsOf(key: string, issue: Issue): string {
  const names = namesOf(key, issue)
  const isSecret = names.some((name) => /^(env|headers|apiKey)$/.test(name))
  return `"${names.join(".")}" ${faultOf(issue)}${isSecret || issue.kind !== "schema" ? "" : butWas(issue)}`
}

function faultOf({ kind, expected, input, message }: Issue): string {
  if (!message.startsWith("Invalid ")) return message
  if (expected === "never") return "is not known here"
  if (kind !== "schema" || expected === null || input === undefined) return "is missing"
  return `must be ${expectedInWords(expected)}`
}

function butWas({ message, received }: Issue): string {
  return message.startsWith("Invalid type") ? `, not ${received}` : ""
}

/** Where the innermost part of the text stands that the issue names. */
function placeOf(node: JsonNode | undefined, key: string, issue: Issue): number {
  let at = node?.start ?? 0
  let within = node
  for (const name of namesOf(key, issue)) {
    const property = within?.properties?.findLast((one) => one.key === name || one.key.startsWith(`${name}.`))
    if (!property) return at
    at = property.start
    within = property.node
  }
  return at
}

function namesOf(key: string, { path }: Issue): readonly string[] {
  return [key, ...(path?.map((part) => String(part.key)) ?? [])]
}
