import { decodePage, encodePage } from "./code-pages.ts"
import { decodeEscaped, encodeEscaped, sequenceAt } from "./escaped-bytes.ts"

/** How a text is kept in bytes. */
export interface Format {
  encoding: Encoding
  /** It begins with a byte order mark, which is no part of the text. */
  mark: boolean
}

/** "broken utf-8" has some bytes that are none; of what is "unknown", only the ASCII can be told. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1251" | "windows-1252" | "broken utf-8" | "unknown"

export interface Decoded extends Format {
  /** Bytes that can't be read are in it as `decodeEscaped` says. */
  text: string
}

/** What new files get. */
export const NEW_FILE: Format = { encoding: "utf-8", mark: false }

/** Undefined if it is no text. `encode` makes the very same bytes of what it answers. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf-16le")
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf-16be")
  if (bytes.subarray(0, SNIFFED).includes(0)) return undefined
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const body = mark ? bytes.subarray(3) : bytes
  try {
    return { text: STRICT.decode(body), encoding: "utf-8", mark }
  } catch {
    const encoding = mark ? "broken utf-8" : guess(body)
    switch (encoding) {
      case "broken utf-8":
        return { text: decodeEscaped(body, "utf-8"), encoding, mark }
      case "unknown":
        return { text: decodeEscaped(body, "ascii"), encoding, mark }
      default:
        return { text: decodePage(body, encoding), encoding, mark }
    }
  }
}

/** Throws an Error that says what can't be written that way. */
export function encode(text: string, { encoding, mark }: Format): Uint8Array {
  switch (encoding) {
    case "utf-8":
      if (!text.isWellFormed()) throw new Error("the new text holds half a character (a lone surrogate)")
      return new TextEncoder().encode(mark ? `\uFEFF${text}` : text)
    case "utf-16le":
    case "utf-16be":
      return encodeUtf16(text, encoding)
    case "windows-1251":
    case "windows-1252":
      return encodePage(text, encoding)
    case "broken utf-8":
      return encodeEscaped(mark ? `\uFEFF${text}` : text, "utf-8")
    case "unknown":
      return encodeEscaped(text, "ascii")
  }
}

/** What looks like text for so many bytes is taken for text. */
const SNIFFED = 8_000
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * What bytes that are not UTF-8 most likely are. Accented letters stand alone among plain ones; Cyrillic words are runs
 * of mostly small letters; what runs otherwise is left unknown, as a wrong guess would spoil the file.
 */
function guess(bytes: Uint8Array): Exclude<Encoding, "utf-8" | "utf-16le" | "utf-16be"> {
  let [high, alone, small, valid] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte < 0x80) continue
    high++
    if ((bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80) alone++
    if (byte >= 0xe0 || byte === 0xb8) small++
    if (sequenceAt(bytes, at) > 0) valid++
  }
  if (valid * 4 > high) return "broken utf-8" // a sequence has two bytes or more
  if (alone * 2 > high) return "windows-1252"
  return small * 10 > high * 6 ? "windows-1251" : "unknown"
}

function decodeUtf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): Decoded | undefined {
  if (bytes.length % 2 !== 0) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: string[] = []
  for (let from = 2; from < bytes.length; from += SNIFFED) {
    const units = Array.from({ length: Math.min(SNIFFED, bytes.length - from) / 2 }, (_, at) =>
      view.getUint16(from + at * 2, encoding === "utf-16le"),
    )
    pieces.push(String.fromCharCode(...units))
  }
  const text = pieces.join("")
  return text.slice(0, SNIFFED).includes("\0") ? undefined : { text, encoding, mark: true }
}

function encodeUtf16(text: string, encoding: "utf-16le" | "utf-16be"): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, 0xfeff, encoding === "utf-16le")
  for (let at = 0; at < text.length; at++) view.setUint16(2 + at * 2, text.charCodeAt(at), encoding === "utf-16le")
  return bytes
}
