/** What a file that is no text is. */
export interface Media {
  kind: "image" | "audio" | "other"
  /** In words, with its article: "a PNG image". */
  name: string
  /** Of an image or a sound that models can be shown. */
  mimeType?: string
}

/** Tells by the first bytes, whatever the file is called. */
export function mediaOf(bytes: Uint8Array): Media {
  const head = Array.from(bytes.subarray(0, 16), (byte) => String.fromCharCode(byte)).join("")
  return SIGNATURES.find(({ at = 0, begins, and = "" }) => head.startsWith(begins, at) && head.includes(and)) ?? UNKNOWN
}

/** Whether a file is most likely no text, by its name. */
export function looksLikeMedia(path: string): boolean {
  return /\.(png|jpe?g|gif|webp|mp3|wav|ogg|flac|m4a|pdf)$/i.test(path)
}

const UNKNOWN: Media = { kind: "other", name: "a binary file" }

const SIGNATURES: readonly (Media & { begins: string; at?: number; and?: string })[] = [
  { kind: "image", name: "a PNG image", mimeType: "image/png", begins: "\x89PNG" },
  { kind: "image", name: "a JPEG image", mimeType: "image/jpeg", begins: "\xff\xd8\xff" },
  { kind: "image", name: "a GIF image", mimeType: "image/gif", begins: "GIF8" },
  { kind: "image", name: "a WebP image", mimeType: "image/webp", begins: "RIFF", and: "WEBP" },
  { kind: "audio", name: "a WAV sound", mimeType: "audio/wav", begins: "RIFF", and: "WAVE" },
  { kind: "audio", name: "an MP3 sound", mimeType: "audio/mpeg", begins: "ID3" },
  { kind: "audio", name: "an MP3 sound", mimeType: "audio/mpeg", begins: "\xff\xfb" },
  { kind: "audio", name: "an MP3 sound", mimeType: "audio/mpeg", begins: "\xff\xf3" },
  { kind: "audio", name: "an Ogg sound", mimeType: "audio/ogg", begins: "OggS" },
  { kind: "audio", name: "a FLAC sound", mimeType: "audio/flac", begins: "fLaC" },
  { kind: "audio", name: "an M4A sound", mimeType: "audio/mp4", begins: "ftypM4A", at: 4 },
  { kind: "other", name: "an AVIF image", begins: "ftypavif", at: 4 },
  { kind: "other", name: "a HEIC image", begins: "ftyphei", at: 4 },
  { kind: "other", name: "a video", begins: "ftyp", at: 4 },
  { kind: "other", name: "a BMP image", begins: "BM" },
  { kind: "other", name: "a TIFF image", begins: "II*\0" },
  { kind: "other", name: "a TIFF image", begins: "MM\0*" },
  { kind: "other", name: "an icon", begins: "\0\0\x01\0" },
  { kind: "other", name: "a PDF document", begins: "%PDF" },
  { kind: "other", name: "a ZIP archive (or a document that is one, such as docx, xlsx or jar)", begins: "PK\x03\x04" },
  { kind: "other", name: "a gzip archive", begins: "\x1f\x8b" },
  { kind: "other", name: "an xz archive", begins: "\xfd7zXZ" },
  { kind: "other", name: "a zstd archive", begins: "\x28\xb5\x2f\xfd" },
  { kind: "other", name: "a 7z archive", begins: "7z\xbc\xaf" },
  { kind: "other", name: "an SQLite database", begins: "SQLite format 3" },
  { kind: "other", name: "a WebAssembly module", begins: "\0asm" },
  { kind: "other", name: "a compiled program (ELF)", begins: "\x7fELF" },
  { kind: "other", name: "a compiled program (Windows)", begins: "MZ" },
  { kind: "other", name: "a compiled program (Mach-O)", begins: "\xcf\xfa\xed\xfe" },
  { kind: "other", name: "a Java class", begins: "\xca\xfe\xba\xbe" },
  { kind: "other", name: "a font", begins: "wOF" },
]
