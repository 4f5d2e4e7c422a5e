import { FileError, type Files } from "../runtime.ts"
import { decode, type Format } from "./encoding.ts"

/** A text file as it lies on the disk. */
export interface OnDisk {
  bytes: Uint8Array
  text: string
  format: Format
  /** Permission bits. */
  mode: number
  /** Milliseconds since 1970. */
  changed: number
}

/** Undefined if there is nothing at that place. Fails with an Error that says why it is no text, or too much of it. */
export async function readDisk(
  files: Files,
  path: string,
  place: string,
  most: number,
  signal: AbortSignal,
): Promise<OnDisk | undefined> {
  const info = await files.stat(place)
  if (!info) return undefined
  if (info.kind === "folder") throw new FileError("is_folder", `${path} is a folder, not a file`)
  if (info.kind === "other") throw new Error(`${path} is a device, a pipe or a socket, not a file`)
  if (info.size > most) {
    const [size, limit] = [Math.ceil(info.size / 1e6), most / 1e6]
    throw new Error(`${path} has ${size} MB; the most is ${limit} MB. Use a command for it (grep, sed, a script).`)
  }
  const bytes = await files.read(place, signal)
  const decoded = decode(bytes)
  if (!decoded) throw new Error(`${path} is a binary file, which can't be read or edited as text`)
  const { text, encoding, mark } = decoded
  return { bytes, text, format: { encoding, mark }, mode: info.mode, changed: info.changed }
}
