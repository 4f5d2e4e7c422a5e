import type { Files } from "../runtime.ts"
import { toNewlines } from "../text/line-ends.ts"
import type { Patient } from "./editor.ts"
import { decode } from "./encoding.ts"
import { sameBytes, sameText } from "./fingerprint.ts"

/** A text for an unsaved buffer. */
export interface Outgoing {
  path: string
  place: string
  disk: { bytes: Uint8Array } | undefined
  buffer: string | undefined
  after: string
  /** What shall be on disk once it is saved. */
  bytes: Uint8Array
}

/** Where a text has arrived, and what arrived. */
export interface Delivery {
  wrote: "disk" | "buffer" | "both"
  after: string
  note?: string
}

/** Has the editor write a buffer that is not saved, and sees to it that what arrives is what was sent. */
export async function deliver(files: Files, editor: Patient, file: Outgoing, signal: AbortSignal): Promise<Delivery> {
  const { path, place, disk, buffer, after, bytes } = file
  const sent = buffer?.includes("\r") ? after : toNewlines(after)
  const answer = await editor.write(path, sent, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new Error(`${path} has unsaved changes in the editor, and the editor refused to write it: ${wordsOf(error)}`)
  })
  if (answer !== "written") {
    await files.write(place, bytes)
    return {
      wrote: "disk",
      after,
      note: "The editor did not answer, so the file was written on disk, with the changes that were unsaved.",
    }
  }

  const now = (await files.stat(place)) ? await files.read(place, signal) : undefined
  const there = now && decode(now)
  if (!sameBytes(now, disk?.bytes)) {
    if (sameBytes(now, bytes)) return { wrote: "both", after }
    const text = there?.encoding === "utf-8" ? there.text : undefined
    if (text === undefined || sameText(text, after) || spoilt(text, after)) {
      await files.write(place, bytes) // the same words in other bytes, or words lost: not what the user typed
      return { wrote: "both", after }
    }
    return { wrote: "both", after: text, note: "The editor changed the text when it saved it (a formatter, perhaps)." }
  }

  const open = await editor.read(path, signal)
  if (open !== undefined && sameText(open, after)) {
    return {
      wrote: "buffer",
      after,
      note: "The change is in the editor and not saved yet; the file on disk is as it was.",
    }
  }
  if (open === undefined || buffer === undefined || sameText(open, buffer)) {
    await files.write(place, bytes)
    return {
      wrote: "disk",
      after,
      note: "The editor did not take the change, so the file was written on disk, with the changes that were unsaved.",
    }
  }
  return {
    wrote: "buffer",
    after: open,
    note: "The editor changed the text, which is not saved yet; the file on disk is as it was.",
  }
}

function spoilt(text: string, sent: string): boolean {
  return text.includes("\uFFFD") && !sent.includes("\uFFFD")
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
