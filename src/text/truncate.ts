/** What one result may hold: more costs the model its context, and some clients their connection. */
export const RESULT_BYTES = 50_000

/** The lines of a text, without what ends them; a last empty one is none. A lone `\r` ends lines where nothing else does. */
export function linesOf(text: string): string[] {
  const lines = text.includes("\r\n") ? text.split(/\r?\n/) : text.split(text.includes("\n") ? "\n" : "\r")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** Bytes in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) bytes += unit >= 0x800 && !isSurrogate(unit) ? 2 : 1
  }
  return bytes
}

/** How many of these lines fit in so many bytes, each with its line end. */
export function linesWithin(lines: readonly string[], bytes: number): number {
  let left = bytes
  const over = lines.findIndex((line) => (left -= byteLength(line) + 1) < 0)
  return over < 0 ? lines.length : over
}

/** The beginning of a line that is too long, saying how much is left out. */
export function cutEnd(line: string, length: number): string {
  if (line.length <= length) return line
  const kept = line.slice(0, whole(line, length))
  return `${kept}… [${(line.length - kept.length).toLocaleString("en")} more characters]`
}

/** A text as one line, the beginning of it if it is too long. */
export function oneLine(text: string, length: number): string {
  return cutEnd(text.replaceAll(/\s+/g, " ").trim(), length)
}

/** The part of a long line that shows this span, with what is around it. */
export function cutAround(line: string, span: { start: number; end: number }, length: number): string {
  if (line.length <= length) return line
  const middle = (span.start + Math.min(span.end, span.start + length)) / 2
  const begin = Math.max(0, Math.min(Math.floor(middle - length / 2), line.length - length))
  const from = whole(line, begin)
  const to = whole(line, begin + length)
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`
}

/** 12345 bytes as `12.1 KB`. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"]
  return `${size < 100 ? Number(size.toFixed(1)) : Math.round(size)} ${unit}`
}

/** An index that does not cut a character in two. */
function whole(text: string, at: number): number {
  const inPair = at > 0 && isSurrogate(text.charCodeAt(at)) && text.charCodeAt(at) >= 0xdc00
  return inPair && isSurrogate(text.charCodeAt(at - 1)) && text.charCodeAt(at - 1) < 0xdc00 ? at - 1 : at
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
