import { type Entry, hiddenText, type Result, textContent, type UserMessage, userText } from "../agent/message.ts"

/** An entry as it lies on disk. */
export interface EntryRow {
  seq: number
  json: string
}

/**
 * The entries of these rows, each in the place of its number. One that can't be read is a result that no call has if it
 * lies among results, so that they stay together, and else a line that the model reads.
 */
export function* entriesOf(rows: Iterable<EntryRow>): Generator<Entry> {
  let next = 0
  let owed = 0 // results of the last reply that are still to come
  const placed = (entry: Entry | undefined): Entry => {
    const here = entry ?? unreadable(next, owed > 0)
    if (here.role === "result") owed--
    else owed = here.role === "assistant" ? here.calls.length : 0
    next++
    return here
  }
  for (const { seq, json } of rows) {
    while (next < seq) yield placed(undefined)
    yield placed(entryOf(json))
  }
}

/** The places of the entries that could not be read. */
export function damagedIn(entries: readonly Entry[]): number[] {
  return entries.flatMap((entry, at) => ("id" in entry && entry.id === `${UNREADABLE}${at}` ? [at] : []))
}

/** A message that was received; one that can't be read any more says so. */
export function messageOf({ id, json }: { id: string; json: string }): UserMessage {
  const entry = entryOf(json)
  return entry?.role === "user" ? entry : { ...userText("(A message that was damaged and can't be read.)"), id }
}

/** Whether the user said it, as the user sees it. */
export function isSaid(entry: Entry): boolean {
  return entry.role === "user" && !entry.hidden
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Undefined, which no JSON is, if it is none. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const UNREADABLE = "unreadable-"

function unreadable(at: number, amongResults: boolean): Entry {
  const id = `${UNREADABLE}${at}`
  if (!amongResults)
    return { ...hiddenText("A part of the conversation stood here that was damaged and can't be read."), id }
  const content = textContent("What this call brought was damaged and can't be read.")
  const shown: Result["shown"] = { title: "(damaged)", kind: "other", locations: [], display: content }
  return { role: "result", id, name: "damaged", status: "failed", content, shown }
}

/** Undefined if what every reader of an entry counts on is not there. */
function entryOf(json: string): Entry | undefined {
  const value = parsed(json)
  if (!isRecord(value)) return undefined
  const kept = KEPT[value["role"] as Entry["role"]]
  return kept?.every(([field, is]) => is(value[field])) ? (value as unknown as Entry) : undefined
}

type Check = readonly [field: string, is: (value: unknown) => boolean]

const text = (value: unknown) => typeof value === "string"
const count = (value: unknown) => typeof value === "number"

/** By role. */
const KEPT: Readonly<Record<Entry["role"], readonly Check[]>> = {
  user: [
    ["id", text],
    ["content", Array.isArray],
  ],
  assistant: [
    ["id", text],
    ["content", Array.isArray],
    ["calls", Array.isArray],
  ],
  result: [
    ["id", text],
    ["content", Array.isArray],
    ["shown", isRecord],
  ],
  report: [
    ["delivery", text],
    ["text", text],
  ],
  returned: [["delivery", text]],
  summary: [
    ["text", text],
    ["from", count],
  ],
}
