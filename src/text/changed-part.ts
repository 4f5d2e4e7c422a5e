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

/** The lines from the first to the last that change, and some around them. Both texts with `\n`. */
export function changedLines(before: string, after: string, around: number): ChangedPart {
  const same = sharedStart(before, after)
  let start = lineBegin(before, same)
  for (let count = 0; count < around && start > 0; count++) start = lineBegin(before, start - 1)
  let end = before.length - sharedEnd(before.slice(same), after.slice(same))
  for (let count = 0; count <= around; count++) {
    const line = before.indexOf("\n", end) + 1
    end = line > 0 ? line : before.length
  }
  const text = after.slice(start, after.length - (before.length - end))
  return { before: before.slice(start, end), after: text, line: lineAt(before, start) }
}

function lineBegin(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1
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
