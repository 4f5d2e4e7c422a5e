import type { Files } from "../runtime.ts"
import type { Patient } from "./editor.ts"
import { sameBytes, sameText } from "./fingerprint.ts"
import type { Planned } from "./planned-writes.ts"

/** Makes files what they were before we began with them, the last first. Answers with the paths of which that failed. */
export async function putBack(
  files: Files,
  editor: Patient,
  begun: readonly Planned[],
  signal: AbortSignal,
): Promise<string[]> {
  const lost: string[] = []
  for (const file of begun.toReversed()) {
    try {
      if (file.counts === "buffer") await putBuffer(editor, file, signal)
      await putDisk(files, file)
    } catch {
      lost.push(file.path)
    }
  }
  return lost
}

async function putBuffer(editor: Patient, { path, buffer = "" }: Planned, signal: AbortSignal): Promise<void> {
  const open = await editor.read(path, signal)
  if (open === undefined || !sameText(open, buffer)) await editor.write(path, buffer, signal)
}

async function putDisk(files: Files, { place, disk }: Planned): Promise<void> {
  const there = (await files.stat(place)) ? await files.read(place) : undefined
  if (sameBytes(there, disk?.bytes)) return
  if (disk) await files.write(place, disk.bytes)
  else await files.remove(place)
}
