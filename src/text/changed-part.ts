import { toNewlines } from "./line-ends.ts"
import { sharedEnd, sharedStart } from "./shared-ends.ts"

/** The part of a text that changes, and what surrounds it. */
export interface ChangedPart {
  before: string
  after: string
  /** The line it begins on, from 1. */
  line: number
}

/** The line of the new text on which the first change is, from 1. */
export function firstChangedLine(before: string, after: string): number {
  const text = toNewlines(after)
  return lineAt(text, Math.min(sharedStart(toNewlines(before), text), text.length))
}

/** From the first to the last change, with the lines around them, each side cut at `most` characters. */
export function changedPart(before: string, after: string, most: number): ChangedPart {
  const around = Math.floor(most / 4)
  const same = sharedStart(before, after)
  const start = lineStart(after, same, around)
  const end = sharedEnd(before.slice(same), after.slice(same))
  const kept = Math.max(0, end - around)
  return {
    before: cut(before, start, Math.min(before.length - kept, start + most)),
    after: cut(after, start, Math.min(after.length - kept, start + most)),
    line: lineAt(after, start),
  }
}

/** Some lines up, or in the midst of a very long one. */
function lineStart(text: string, at: number, around: number): number {
  const lowest = Math.max(0, at - around)
  if (lowest === 0) return 0
  const line = text.indexOf("\n", lowest) + 1
  return line > 0 && line <= at ? line : lowest
}

function cut(text: string, start: number, end: number): string {
  return text.slice(start, end).toWellFormed()
}

function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++
  return line
}
