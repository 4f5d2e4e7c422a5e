import { type Clock, systemClock } from "../clock.ts"
import { FileError, type Files } from "../runtime.ts"
import { keepEnds } from "../text/line-ends.ts"
import { afterWrite, compare, type Memory } from "./disk-and-buffer.ts"
import type { Change, Current, Document, Documents, Edit } from "./documents.ts"
import { type Editor, patient } from "./editor.ts"
import { textFingerprint } from "./fingerprint.ts"
import { type Locks, PROCESS_LOCKS } from "./locks.ts"
import { readDisk } from "./on-disk.ts"
import { placeOf } from "./places.ts"
import { type Loaded, type Planned, planWrites } from "./planned-writes.ts"
import { putBack } from "./put-back.ts"
import { type Delivery, deliver } from "./write-through.ts"

/** Documents on a disk, and in the editor if there is one. */
export function createDocuments(
  files: Files,
  editor?: Editor,
  { clock = systemClock, locks = PROCESS_LOCKS }: { clock?: Clock; locks?: Locks } = {},
): Documents {
  const buffers = patient(editor, clock)
  const memories = new Map<string, Memory>()
  /** Of each place, the text that the agent knows. */
  const seen = new Map<string, string | Promise<string>>()
  /** When commands ran: what was changed then may be their work. */
  const commands: { from: number; to: number }[] = []
  let touched = Date.now()

  async function load(path: string, most: number, signal: AbortSignal): Promise<Loaded> {
    const place = await placeOf(files, path)
    const disk = await readDisk(files, path, place, most, signal)
    const loaded = { path, place, disk, text: disk?.text }
    const buffer = await askFor(loaded, signal)
    if (buffer === undefined) return { ...loaded, buffer, counts: "disk" }

    const changed = disk?.changed
    const ours = commands.some(({ from, to }) => changed === undefined || (changed >= from && changed <= to))
    const now = { disk: await textFingerprint(disk?.text), buffer: await textFingerprint(buffer) }
    const { counts, memory } = compare(now, memories.get(place), ours)
    memories.set(place, memory)
    const text = counts === "buffer" ? keepEnds(disk?.text ?? "", buffer) : disk?.text
    return { ...loaded, buffer, counts, text }
  }

  /** What the editor says of a file. Of one that is not UTF-8 it can't be trusted, and "" may mean that it can't say. */
  async function askFor(
    { path, disk }: Pick<Loaded, "path" | "disk">,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (disk && (disk.format.encoding !== "utf-8" || disk.bytes.length > MOST_EDITED)) return undefined
    const buffer = await buffers.read(path, signal)
    return buffer === "" && disk?.text !== "" ? undefined : buffer
  }

  async function current({ path, place, text, counts }: Loaded): Promise<Current | undefined> {
    if (counts === "neither") {
      const advice = "Ask the user to save the file or to discard what is not saved."
      throw new Error(
        `${path} was not changed: it has unsaved changes in the editor and has changed on disk. ${advice}`,
      )
    }
    if (text === undefined) return undefined
    const known = await seen.get(place)
    const unchanged = known === (await textFingerprint(text))
    return { text, source: counts, seen: known === undefined ? "never" : unchanged ? "current" : "changed" }
  }

  async function write(file: Planned, signal: AbortSignal): Promise<Change> {
    const { path, text } = file
    const delivery = file.counts === "disk" ? await toDisk(file) : await deliver(files, buffers, file, signal)
    await remember(file, delivery, signal)
    const { after, note } = delivery
    return { path, before: text?.toWellFormed() ?? null, after: after.toWellFormed(), ...(note && { note }) }
  }

  /** What is where now, and whether the editor has noticed. */
  async function remember(file: Planned, { wrote, after }: Delivery, signal: AbortSignal): Promise<void> {
    const { path, place, disk, buffer } = file
    const [old, now] = [await textFingerprint(disk?.text), await textFingerprint(after)]
    if (file.knew && after === file.after) seen.set(place, now)
    switch (wrote) {
      case "buffer":
        memories.set(place, { disk: old, buffer: now, past: [old] })
        break
      case "both":
        memories.set(place, { disk: now, buffer: now, past: [old, now] })
        break
      case "disk": {
        const late = afterWrite(memories.get(place), old, now)
        const open = buffer === undefined ? undefined : await buffers.read(path, signal).catch(() => undefined)
        const seenIn = open && { disk: now, buffer: await textFingerprint(open) }
        memories.set(place, seenIn ? compare(seenIn, late, true).memory : late)
      }
    }
  }

  async function toDisk({ place, bytes, after }: Planned): Promise<Delivery> {
    await files.write(place, bytes)
    return { wrote: "disk", after }
  }

  async function writeAll(planned: readonly Planned[], signal: AbortSignal): Promise<Change[]> {
    const open = planned.find(({ counts }) => counts === "buffer")
    if (open && !buffers.canWrite) {
      throw new Error(`${open.path} was not changed: it has unsaved changes in the editor. Ask the user to save it.`)
    }
    const begun: Planned[] = []
    const changes: Change[] = []
    try {
      for (const file of planned) {
        signal.throwIfAborted()
        begun.push(file)
        changes.push(await write(file, signal))
      }
      return changes
    } catch (error) {
      const lost = await putBack(files, buffers, begun, AbortSignal.timeout(UNDOING))
      for (const { place } of begun) memories.delete(place)
      const reason = error instanceof Error ? error.message : String(error)
      if (lost.length === 0 && planned.length > 1 && !signal.aborted) {
        throw new Error(`${reason}. None of the ${planned.length} files was changed.`, { cause: error })
      }
      if (lost.length === 0) throw error
      throw new Error(`${reason}. These files were changed and could not be put back: ${lost.join(", ")}`)
    }
  }

  return {
    async read(path, signal): Promise<Document> {
      const { place, text, counts } = await load(path, MOST_READ, signal)
      if (text === undefined) throw new FileError("not_found", `There is no file ${path}`)
      seen.set(place, textFingerprint(text)) // nobody waits for it but the next edit
      return { text: text.toWellFormed(), source: counts === "neither" ? "conflict" : counts }
    },

    async peek(path, signal): Promise<Current | undefined> {
      return current(await load(path, MOST_EDITED, signal))
    },

    async change(paths: readonly string[], edit: Edit, signal: AbortSignal): Promise<readonly Change[]> {
      const wanted = [...new Set(paths)]
      const places = await Promise.all(wanted.map((path) => placeOf(files, path)))
      const release = await locks.hold(places, signal)
      try {
        const loads = await Promise.all(wanted.map((path) => load(path, MOST_EDITED, signal)))
        const texts = new Map<string, Current | undefined>()
        for (const loaded of loads) texts.set(loaded.path, await current(loaded))
        return await writeAll(planWrites(loads, texts, await edit(texts)), signal)
      } finally {
        release()
      }
    },

    touched(since = touched): void {
      touched = Date.now()
      commands.push({ from: since - COARSE, to: touched + 1 }) // files know fractions
      if (commands.length > MOST_COMMANDS) commands.shift()
    },

    newTurn(): void {
      touched = Date.now()
      buffers.newTurn()
    },
  }
}

/** Bytes. More than that is no file to be edited by words, or to be read into a conversation. */
const MOST_EDITED = 10_000_000
const MOST_READ = 50_000_000
/** How far the time of a file may be behind the clock, in milliseconds. */
const COARSE = 50
const MOST_COMMANDS = 200
/** How long an editor is waited for when changes are put back, in milliseconds. */
const UNDOING = 5_000
