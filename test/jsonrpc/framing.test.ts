import { deepEqual, equal } from "node:assert/strict"
import fc from "fast-check"
import { test } from "vitest"
import { Framing, type Line, TOO_LONG } from "../../src/jsonrpc/framing.ts"

const MIB = 1024 * 1024
const utf8 = new TextEncoder()

function linesIn(pieces: Iterable<Uint8Array>, limit = 32 * MIB): Line[] {
  const framing = new Framing(limit)
  const lines: Line[] = []
  for (const piece of pieces) lines.push(...framing.lines(piece))
  const last = framing.last()
  return last ? [...lines, last] : lines
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test("blank lines, CRLF and a byte order mark are no part of a message, and the last line needs no newline", () => {
  const bytes = utf8.encode("\ufeffпривет\r\n\n🙂 two\n  \r\n\n\ufeffthree\nlast")
  for (const size of [1, 2, 3, 7, 1000]) {
    deepEqual(linesIn(cut(bytes, size)), ["привет", "🙂 two", "three", "last"])
  }
})

test("R-005 any cut of the bytes, also inside a character, gives the same messages", () => {
  const text = fc.string({ unit: "binary" }).map((value) => JSON.stringify({ value }))
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat(40)), fc.boolean(), (messages, sizes, ended) => {
      const bytes = utf8.encode(messages.join("\n") + (ended ? "\n" : ""))
      const pieces: Uint8Array[] = []
      let at = 0
      for (const size of sizes) pieces.push(bytes.subarray(at, (at += size)))
      pieces.push(bytes.subarray(at))
      deepEqual(linesIn(pieces), messages)
    }),
  )
})

test("any cut of any bytes gives what one piece gives, also where lines are too long", () => {
  const byte = fc.oneof(fc.constant(10), fc.constant(13), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (bytes, size) => {
      const all = Uint8Array.from(bytes)
      deepEqual(linesIn(cut(all, size), 8), linesIn([all], 8))
    }),
  )
})

test("bytes that are no UTF-8 are replaced, and the message is read", () => {
  deepEqual(linesIn([Uint8Array.of(0x22, 0xff, 0xc3, 0x22, 10)]), ['"\ufffd\ufffd"'])
})

test("JR-04 a message of 8 MiB that comes in 1 KiB pieces is read whole", () => {
  const text = "ж🙂x".repeat(MIB)
  deepEqual(linesIn(cut(utf8.encode(`${text}\nnext\n`), 1000)), [text, "next"])
})

test("a line over the limit is skipped up to its newline, reported once and at once, and what follows is read", () => {
  const framing = new Framing(10)
  deepEqual([...framing.lines(utf8.encode("1234567890\n12345"))], ["1234567890"])
  deepEqual([...framing.lines(utf8.encode("678901"))], [TOO_LONG])
  deepEqual([...framing.lines(utf8.encode("still it"))], [])
  deepEqual([...framing.lines(utf8.encode("its end\nnext\n12345678901\nand "))], ["next", TOO_LONG])
  deepEqual([...framing.lines(utf8.encode("on"))], [])
  equal(framing.last(), "and on")
})

test("a line that never ends costs no more memory than the limit", () => {
  const framing = new Framing(MIB)
  const piece = new Uint8Array(MIB / 2).fill(65)
  const reports: Line[] = []
  for (let i = 0; i < 4096; i++) reports.push(...framing.lines(piece)) // 2 GiB
  deepEqual(reports, [TOO_LONG])
  equal(framing.last(), undefined)
})
