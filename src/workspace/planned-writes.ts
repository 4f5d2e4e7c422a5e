import type { Counts } from "./disk-and-buffer.ts"
import type { Current } from "./documents.ts"
import { encode, type Format, NEW_FILE } from "./encoding.ts"
import type { OnDisk } from "./on-disk.ts"

/** A file as it is now, and as it counts. */
export interface Loaded {
  path: string
  /** With its links resolved. */
  place: string
  disk: OnDisk | undefined
  /** As the editor says it. */
  buffer: string | undefined
  counts: Counts
  /** What counts, with the line ends of the disk. Undefined if there is no file. */
  text: string | undefined
}

/** A file and what shall be in it. */
export interface Planned extends Loaded {
  counts: "disk" | "buffer"
  after: string
  bytes: Uint8Array
  /** The agent knows all that will be in it. */
  knew: boolean
}

/** What is to be written, each text made into bytes before the first of them is. */
export function planWrites(
  loads: readonly Loaded[],
  texts: ReadonlyMap<string, Current | undefined>,
  results: ReadonlyMap<string, string>,
): Planned[] {
  const names = new Map<string, string>()
  return loads.flatMap((loaded) => {
    const { path, place, disk, text, counts } = loaded
    const after = results.get(path)
    if (after === undefined || after === text || counts === "neither") return []
    const twin = names.get(place)
    if (twin) throw new Error(`${twin} and ${path} are one file, by a link; edit it by one name`)
    names.set(place, path)
    if (disk && (disk.mode & WRITABLE) === 0) {
      throw new Error(`${path} was not changed: it is read-only. Ask the user before making it writable.`)
    }
    const knew = !text || texts.get(path)?.seen === "current"
    return [{ ...loaded, counts, after, bytes: bytesOf(path, after, disk?.format ?? NEW_FILE), knew }]
  })
}

/** A file that nobody may write is meant to stay as it is, though it could be replaced. */
const WRITABLE = 0o222

function bytesOf(path: string, text: string, format: Format): Uint8Array {
  try {
    return encode(text, format)
  } catch (error) {
    throw new Error(`${path} was not changed: ${(error as Error).message}`)
  }
}
