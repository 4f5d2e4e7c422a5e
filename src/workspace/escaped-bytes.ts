/** What can be told of bytes that are no valid text. */
export type Readable = "utf-8" | "ascii"

/**
 * A text of any bytes, and back by `encodeEscaped`: one that can't be read is a lone surrogate, U+DC00 and the byte,
 * which no valid text holds. In "ascii" a byte above it may be the first of two, so that the next is not read either.
 */
export function decodeEscaped(bytes: Uint8Array, readable: Readable): string {
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte < 0x80) {
      units[length++] = byte
      continue
    }
    const size = readable === "utf-8" ? sequenceAt(bytes, at) : 0
    if (size > 0) {
      for (const unit of unitsOf(bytes, at, size)) units[length++] = unit
      at += size - 1
      continue
    }
    units[length++] = ESCAPE + byte
    if (readable === "ascii" && (bytes[at + 1] ?? 0) >= LOWEST_SECOND)
      units[length++] = ESCAPE + (bytes[++at] as number)
  }
  const pieces: string[] = []
  for (let from = 0; from < length; from += CHUNK) {
    pieces.push(String.fromCharCode(...units.subarray(from, Math.min(from + CHUNK, length))))
  }
  return pieces.join("")
}

/** Throws an Error that says why the text can't be put among such bytes. */
export function encodeEscaped(text: string, readable: Readable): Uint8Array {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number
    if (code < 0x80) bytes[length++] = code
    else if (code >= ESCAPE && code < ESCAPE + 0x100) bytes[length++] = code - ESCAPE
    else {
      if (readable === "ascii") {
        throw new Error("the file is not UTF-8 and its encoding is unknown, so that only ASCII can be put into it")
      }
      if (code === 0xfffd || (code >= 0xd800 && code <= 0xdfff)) {
        throw new Error("the file has bytes that are not UTF-8; where they show as U+FFFD the text can't be replaced")
      }
      length += ENCODER.encodeInto(String.fromCodePoint(code), bytes.subarray(length)).written
      if (code > 0xffff) at++
    }
  }
  return bytes.slice(0, length)
}

/** How long the sequence of UTF-8 is that begins here with a byte above ASCII; 0 if none does. */
export function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  const second = bytes[at + 1] ?? 0
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let next = at + 2; next < at + length; next++) {
    const byte = bytes[next] ?? 0
    if (byte < 0x80 || byte > 0xbf) return 0
  }
  return length
}

/** What a byte is added to, to become a lone surrogate. */
const ESCAPE = 0xdc00
/** The second of two bytes is this or more, in the encodings that have two. */
const LOWEST_SECOND = 0x30
/** Characters made at a time. */
const CHUNK = 8_192
const ENCODER = new TextEncoder()

/** The one or two units in UTF-16 of a sequence that is known to be valid. */
function unitsOf(bytes: Uint8Array, at: number, size: number): number[] {
  let code = (bytes[at] as number) & (0xff >> (size + 1))
  for (let next = at + 1; next < at + size; next++) code = (code << 6) | ((bytes[next] as number) & 0x3f)
  return code > 0xffff ? [0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff)] : [code]
}
