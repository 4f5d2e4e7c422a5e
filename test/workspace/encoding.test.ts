import fc from "fast-check"
import { expect, test } from "vitest"
import { decode, encode } from "../../src/workspace/encoding.ts"
import { bytesOf } from "../support/editing.ts"

test("ED-03 whatever bytes are taken for text are written back as the very same bytes", () => {
  const pieces = fc.oneof(
    fc.uint8Array({ min: 1, maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => new TextEncoder().encode(text.replaceAll("\0", ""))),
    fc.constantFrom("\xef\xbb\xbf", "\xff\xfe", "\xfe\xff", "\r\n", "caf\xe9 ", "\x81\x5c\x8f").map(bytesOf),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
      const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
      const decoded = decode(bytes)
      if (decoded) expect(encode(decoded.text, decoded)).toEqual(bytes)
    }),
    { numRuns: 2_000 },
  )
})

test("ED-03 the encoding of a text is told by its bytes", () => {
  const kinds = [
    "plain",
    "\xef\xbb\xbfmark",
    "\xff\xfea\0",
    "caf\xe9",
    "\xcf\xf0\xe8\xe2\xe5\xf2",
    "\xd6\xd0\xce\xc4",
    "\xc3\xa9 \xff",
  ]
  expect(kinds.map((text) => decode(bytesOf(text))?.encoding)).toEqual([
    "utf-8",
    "utf-8",
    "utf-16le",
    "windows-1252",
    "windows-1251",
    "unknown",
    "broken utf-8",
  ])
})

test("bytes with zeros among them are no text, unless a mark says that they are UTF-16", () => {
  expect([decode(bytesOf("a\0b\0")), decode(bytesOf("\xff\xfe\0\0a\0\0\0")), decode(bytesOf("\xff\xfea"))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(decode(bytesOf("\xfe\xff\x04\x1f"))).toEqual({ text: "П", encoding: "utf-16be", mark: true })
})

test("ED-03 the second byte of a character that can't be read is never taken for a letter", () => {
  const shiftJis = bytesOf("\x95\x5c\x8e\xa6 \\n") // the first character ends in the byte of a backslash
  const decoded = decode(shiftJis)
  expect(decoded?.encoding).toBe("unknown")
  expect(decoded?.text.indexOf("\\")).toBe(5)
})
