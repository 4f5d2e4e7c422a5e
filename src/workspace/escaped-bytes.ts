/** What can be told of bytes that are no valid text. */
export type Readable = "utf-8" | "ascii"

/**
 * A text of any bytes, and back by `encodeEscaped`: one that can't be read is a lone surrogate, U+DC00 and the byte,
 * which no valid text holds. In "ascii" a byte above it may be the first of two, so that the next is not read either.
 */
export function decodeEscaped(bytes: Uint8Array, readable: Readable): string {
  const pieces: string[] = []
  let from = 0
  const keep = (at: number) => {
    pieces.push(DECODER.decode(bytes.subarray(from, at)), String.fromCharCode(0xdc00 + (bytes[at] as number)))
    from = at + 1
  }
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] as number) < 0x80) continue
    const length = readable === "utf-8" ? sequenceAt(bytes, at) : 0
    if (length === 0) keep(at)
    else at += length - 1
    if (readable === "ascii" && (bytes[at + 1] ?? 0) >= 0x30) keep(++at)
  }
  pieces.push(DECODER.decode(bytes.subarray(from)))
  return pieces.join("")
}

/** Throws an Error that says why the text can't be put among such bytes. */
export function encodeEscaped(text: string, readable: Readable): Uint8Array {
  const encoder = new TextEncoder()
  const parts = text.split(/([\uDC00-\uDCFF])/u).map((part) => {
    if (/^[\uDC00-\uDCFF]$/u.test(part)) return Uint8Array.of(part.charCodeAt(0) - 0xdc00)
    if (readable === "ascii" && /[^\0-\x7f]/.test(part)) {
      throw new Error("the file is not UTF-8 and its encoding is unknown, so that only ASCII can be put into it")
    }
    if (!part.isWellFormed() || part.includes("\uFFFD")) {
      throw new Error("the file has bytes that are not UTF-8; where they show as U+FFFD the text can't be replaced")
    }
    return encoder.encode(part)
  })
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
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

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true })
