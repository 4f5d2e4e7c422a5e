export type CodePage = "windows-1251" | "windows-1252"

/** One character for each byte, and back by `encodePage`. */
export function decodePage(bytes: Uint8Array, page: CodePage): string {
  const codes = Array.from(UPPER[page], (char) => char.charCodeAt(0))
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += CHUNK) {
    const units = Uint16Array.from(bytes.subarray(from, from + CHUNK), (byte) =>
      byte < 0x80 ? byte : codes[byte - 0x80]!,
    )
    pieces.push(String.fromCharCode(...units))
  }
  return pieces.join("")
}

/** Throws an Error that names the character the page does not have. */
export function encodePage(text: string, page: CodePage): Uint8Array {
  const codes = new Map(Array.from(UPPER[page], (char, at) => [char.charCodeAt(0), at + 0x80]))
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const byte = code < 0x80 ? code : codes.get(code)
    if (byte === undefined) {
      const char = String.fromCodePoint(text.codePointAt(at) as number).toWellFormed()
      throw new Error(`the file is not UTF-8 but ${page}, which has no "${char}"`)
    }
    bytes[at] = byte
  }
  return bytes
}

/** Bytes made into characters at a time. */
const CHUNK = 8_192

/** The characters of the bytes from 0x80 on; those that the pages leave open are the control characters of that number. */
const UPPER: Readonly<Record<CodePage, string>> = {
  "windows-1251":
    "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u0098™љ›њќћџ\u00A0ЎўЈ¤Ґ¦§Ё©Є«¬\u00AD®Ї°±Ііґµ¶·ё№є»јЅѕї" +
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя",
  "windows-1252":
    "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ" +
    Array.from({ length: 96 }, (_, at) => String.fromCharCode(0xa0 + at)).join(""),
}
