import fc from "fast-check"
import { expect, test } from "vitest"
import { type JsonObject, parseJsonc } from "../../src/text/jsonc.ts"
import { changeJsonc } from "../../src/text/jsonc-edit.ts"

const FILE = `// my settings
{
  // the best one
  "model": "a", // for now
  "subagents": {
    "enabled": true, // yes
    "tools": ["x"]
  },
  "theirs": [1,   2] // not ours
}
`

test("a changed value is changed where it stands", () => {
  const old = parseJsonc(FILE).node?.value as JsonObject
  const value = { ...old, model: "b", subagents: { enabled: false, tools: ["x"] } }
  expect(changeJsonc(FILE, value)).toBe(FILE.replace('"a"', '"b"').replace("true", "false"))
})

test("a new key is written at the end of its object", () => {
  const old = parseJsonc(FILE).node?.value as JsonObject
  const value = { ...old, subagents: { ...(old["subagents"] as JsonObject), model: "m" }, mode: { deep: [1] } }
  expect(changeJsonc(FILE, value)).toBe(
    FILE.replace('["x"]\n', '["x"],\n    "model": "m"\n').replace(
      "2] // not ours\n",
      '2], // not ours\n  "mode": {\n    "deep": [\n      1\n    ]\n  }\n',
    ),
  )
})

test("a key is taken away with its line, the first, a middle one and the last", () => {
  const file = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
  expect([
    changeJsonc(file, { b: 2, c: 3 }),
    changeJsonc(file, { a: 1, c: 3 }),
    changeJsonc(file, { a: 1, b: 2 }),
  ]).toEqual(['{\n  "b": 2,\n  "c": 3\n}\n', '{\n  "a": 1,\n  "c": 3\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n'])
})

test("an empty text becomes a file", () => {
  expect(changeJsonc("", { a: 1 })).toBe('{\n  "a": 1\n}\n')
  expect(changeJsonc("{}", { a: 1 })).toBe('{\n  "a": 1\n}')
})

test("whatever is changed, the text says the new value afterwards", () => {
  const object = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "__proto__"), fc.jsonValue({ maxDepth: 2 }))
  const layout = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.replaceAll("\n", " // note }\n"),
    (text: string) => text.replaceAll(/\n( *[}\]])/g, ",\n$1").replaceAll(/([{[]),/g, "$1"),
    (text: string) => text.replaceAll("\n", "\r\n"),
  )
  fc.assert(
    fc.property(object, object, fc.constantFrom(0, 2), layout, (before, after, space, lay) => {
      const text = lay(JSON.stringify(before, null, space))
      const changed = changeJsonc(text, JSON.parse(JSON.stringify(after)))
      expect(parseJsonc(changed).node?.value).toEqual(JSON.parse(JSON.stringify(after)))
    }),
  )
})
