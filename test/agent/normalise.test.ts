import { expect, test } from "vitest"
import { normalise } from "../../src/agent/normalise.ts"

const text = { type: "string" }
const schema = {
  type: "object",
  properties: {
    path: text,
    offset: { type: "integer" },
    ratio: { type: "number" },
    replace_all: { type: "boolean" },
    paths: { type: "array", items: text },
    edits: { type: "array", items: { type: "object", properties: { path: text, line: { type: "integer" } } } },
    status: { enum: ["pending", "in_progress"] },
    options: { type: "object", properties: { deep: { type: "boolean" } } },
    maybe: { anyOf: [{ type: "null" }, { type: "integer" }] },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    listOrText: { anyOf: [{ type: "array", items: text }, { type: "string" }] },
    typed: { type: ["integer", "null"] },
    anything: {},
    id: { type: ["string", "integer"] },
    words: { type: ["array", "string"], items: text },
    level: { enum: [1, 2] },
    shape: {
      anyOf: [
        { type: "object", properties: { kind: { enum: ["a"] }, value: text }, required: ["kind"] },
        { type: "object", properties: { kind: { enum: ["b"] }, value: { type: "integer" } }, required: ["kind"] },
      ],
    },
    rows: {
      anyOf: [
        { type: "array", items: text },
        { type: "array", items: { type: "integer" } },
      ],
    },
    both: { allOf: [{ type: "object", properties: { deep: { type: "boolean" } } }] },
    counts: { type: "object", additionalProperties: { type: "integer" } },
    open: { type: "object", properties: { id: text } },
    pair: { type: "array", prefixItems: [text, { type: "integer" }], items: text },
  },
}
const spellings = { file_path: "path", filename: "path", old_str: "old_string" }

test.each<[string, unknown, unknown]>([
  ["what is right stays", { path: "a", offset: 3, paths: ["x"] }, { path: "a", offset: 3, paths: ["x"] }],
  ["numbers as strings", { offset: "10", ratio: " 0.5 " }, { offset: 10, ratio: 0.5 }],
  ["what is no number stays, for the error to quote", { offset: "ten" }, { offset: "ten" }],
  ["a string of digits stays a string where one is asked for", { path: "10" }, { path: "10" }],
  ["a number where a string is asked for", { path: 404 }, { path: "404" }],
  ["booleans as strings", { replace_all: "True" }, { replace_all: true }],
  ["JSON in a string: a list", { paths: '["a", "b"]' }, { paths: ["a", "b"] }],
  ["JSON in a string: an object", { options: '{"deep": "true"}' }, { options: { deep: true } }],
  ["JSON in a string: all of it", '{"path": "a", "offset": "2"}', { path: "a", offset: 2 }],
  ["JSON in a string: inside a list", { edits: ['{"path": "a", "line": "1"}'] }, { edits: [{ path: "a", line: 1 }] }],
  ["JSON stays text where text is asked for", { path: '{"a": 1}' }, { path: '{"a": 1}' }],
  ["text that only looks like JSON is one item", { paths: "[id].tsx" }, { paths: ["[id].tsx"] }],
  ["null is absent", { path: "a", offset: null, paths: null }, { path: "a" }],
  ["null stays where it is allowed", { maybe: null, typed: null }, { maybe: null, typed: null }],
  ["nothing at all is no parameters", null, {}],
  ["a single item for a list", { paths: "a" }, { paths: ["a"] }],
  ["a single object for a list", { edits: { path: "a", line: "7" } }, { edits: [{ path: "a", line: 7 }] }],
  ["another spelling", { file_path: "a" }, { path: "a" }],
  ["another spelling in camel case", { filePath: "a", replaceAll: "false" }, { path: "a", replace_all: false }],
  ["another spelling inside a list", { edits: [{ filename: "a" }] }, { edits: [{ path: "a" }] }],
  ["the proper name wins over a spelling", { file_path: "b", path: "a" }, { file_path: "b", path: "a" }],
  ["a spelling wins over a proper null", { path: null, file_path: "b" }, { path: "b" }],
  ["a spelling of what this tool has not stays", { old_str: "a" }, { old_str: "a" }],
  ["an option by another writing", { status: "In-Progress" }, { status: "in_progress" }],
  ["an unknown option stays", { status: "done" }, { status: "done" }],
  ["of several shapes, one that fits", { either: "5", maybe: "5" }, { either: "5", maybe: 5 }],
  ["a string stays one where a list or a string may be", { listOrText: "a" }, { listOrText: "a" }],
  ["a type with null", { typed: "4" }, { typed: 4 }],
  ["what has no type is left alone", { anything: '["a"]' }, { anything: '["a"]' }],
  ["null stays where anything is allowed", { anything: null, colour: null }, { anything: null, colour: null }],
  ["unknown parameters are left alone", { colour: "5" }, { colour: "5" }],
  ["a value of one of several types stays", { id: 5, words: "a" }, { id: 5, words: "a" }],
  ["a number of a list of options", { level: "2" }, { level: 2 }],
  ["digits that no number holds stay", { offset: "12345678901234567890" }, { offset: "12345678901234567890" }],
  ["of several objects, the one that it is", { shape: { kind: "b", value: 5 } }, { shape: { kind: "b", value: 5 } }],
  ["… or is meant to be", { shape: '{"kind":"b","value":"5"}' }, { shape: { kind: "b", value: 5 } }],
  ["… and what is none of them is left alone", { shape: { kind: "c", value: 5 } }, { shape: { kind: "c", value: 5 } }],
  ["of several lists, the one that it is", { rows: [1, 2] }, { rows: [1, 2] }],
  ["what all parts of a schema ask for", { both: { deep: "true" } }, { both: { deep: true } }],
  ["values of names that are not listed", { counts: { a: "1", b: null } }, { counts: { a: 1 } }],
  ["what is beside what is listed", { open: { id: 1, ID: null, x: null } }, { open: { id: "1", ID: null, x: null } }],
  ["lists of given places are left alone", { pair: ["a", 5] }, { pair: ["a", 5] }],
])("R-359 %s", (_, written, meant) => {
  expect(normalise(written, schema, spellings)).toEqual(meant)
})

test("a parameter named like an object's own members is one like any other", () => {
  const written = JSON.parse('{"__proto__": {"path": "x"}, "constructor": "c", "path": "a"}')
  expect(Object.entries(normalise(written, schema, spellings) as object)).toEqual([
    ["__proto__", { path: "x" }],
    ["constructor", "c"],
    ["path", "a"],
  ])
})
