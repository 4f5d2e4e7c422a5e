import fc from "fast-check"
import { expect, test } from "vitest"
import { lineAt, parseJsonc } from "../../src/text/jsonc.ts"

const read = (text: string) => parseJsonc(text).node?.value

test("comments, trailing commas and a byte order mark are read", () => {
  const text = '\uFEFF// top\n{\n  "a": 1, /* one\n two */ "b": ["x", "http://y",],\n  "c": {"d": null,}, // end\n}\n'
  expect(parseJsonc(text)).toMatchObject({ node: { value: { a: 1, b: ["x", "http://y"], c: { d: null } } } })
})

test("whatever JSON can say is read as JSON reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space)
      expect(parseJsonc(text)).not.toHaveProperty("fault")
      expect(read(text)).toEqual(JSON.parse(text))
    }),
  )
})

test("a text that is empty but for comments has no value", () => {
  expect(parseJsonc("  // nothing here\n")).toEqual({ node: undefined })
})

test("a fault is told with its place, and what stands before it is kept", () => {
  const faults = [
    '{\n  "a": 1,\n  "b": tru\n}',
    '{"a": 1 "b": 2}',
    '{"a": 1, b: 2}',
    '{"a": 1, "b" 2}',
    '{"a": 1, "b": "x\n"}',
    '{"a": 1, "b": [1 2]}',
    '{"a": 1',
    '{"a": 1} {}',
    '{"a": 1, /* open',
    '{"a": 1, "b": 01}',
  ].map((text) => {
    const { node, fault } = parseJsonc(text)
    return [node?.value, lineAt(text, fault?.offset ?? -1), fault?.message]
  })
  expect(faults).toEqual([
    [{ a: 1 }, 3, "a value is expected here"],
    [{ a: 1 }, 1, 'a comma or "}" is expected here'],
    [{ a: 1 }, 1, 'a key in "quotes" is expected here'],
    [{ a: 1 }, 1, 'a colon is expected after "b"'],
    [{ a: 1 }, 1, "this text is not closed, or has a character in it that must be escaped"],
    [{ a: 1 }, 1, 'a comma or "]" is expected here'],
    [{ a: 1 }, 1, 'a comma or "}" is expected here'],
    [{ a: 1 }, 1, "something stands after the end"],
    [{ a: 1 }, 1, 'a key in "quotes" is expected here'],
    [{ a: 1 }, 1, "a value is expected here"],
  ])
})

test("a key named __proto__ is a key like any other", () => {
  expect(Object.keys(read('{"__proto__": {"x": 1}}') as object)).toEqual(["__proto__"])
})

test("a text that is nested without end is refused", () => {
  expect(parseJsonc("[".repeat(100_000)).fault?.message).toBe("this is nested too deeply")
})
