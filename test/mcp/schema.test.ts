import { expect, test } from "vitest"
import { cleanSchema } from "../../src/mcp/schema.ts"

test("references are put in place, and what models' servers choke on is left out", () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "x",
    type: "object",
    properties: {
      address: { $ref: "#/$defs/Address", description: "where" },
      site: { type: "string", format: "uri" },
      when: { type: "string", format: "date-time" },
      kind: { const: "a" },
      $ref: { type: "string", description: "a parameter that is called so" },
      format: { type: "string" },
    },
    required: ["address", 5],
    additionalProperties: false,
    $defs: {
      Address: { type: "object", properties: { street: { $ref: "#/$defs/Street" } } },
      Street: { type: "string" },
    },
  }
  expect(cleanSchema(schema)).toEqual({
    type: "object",
    properties: {
      address: { type: "object", properties: { street: { type: "string" } }, description: "where" },
      site: { type: "string" },
      when: { type: "string", format: "date-time" },
      kind: { enum: ["a"] },
      $ref: { type: "string", description: "a parameter that is called so" },
      format: { type: "string" },
    },
    required: ["address"],
    additionalProperties: false,
  })
})

test("a reference that leads into itself, or nowhere, allows anything", () => {
  const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#/definitions/Node" } } } }
  expect(cleanSchema({ ...tree, definitions: { Node: tree } })).toEqual({
    type: "object",
    properties: {
      children: { type: "array", items: { type: "object", properties: { children: { type: "array", items: {} } } } },
    },
  })
  expect(cleanSchema({ properties: { a: { $ref: "https://evil.example/schema" } } })).toEqual({
    type: "object",
    properties: { a: {} },
  })
})

test("a schema that grows without end is given up, in no time", () => {
  const defs: Record<string, object> = { d0: { type: "string" } }
  for (let at = 1; at < 40; at++) {
    const ref = { $ref: `#/$defs/d${at - 1}` }
    defs[`d${at}`] = { type: "object", properties: { a: ref, b: ref } }
  }
  const open = { type: "object", properties: {}, additionalProperties: true }
  expect(cleanSchema({ type: "object", properties: { all: { $ref: "#/$defs/d39" } }, $defs: defs })).toEqual(open)
  expect(cleanSchema({ type: "object", properties: { a: { enum: ["x".repeat(1_000_000)] } } })).toEqual(open)
  expect(cleanSchema(undefined)).toEqual(open)
})

test("what is no schema where one must stand allows anything", () => {
  const odd = {
    type: [5],
    required: true,
    anyOf: {},
    enum: [],
    additionalProperties: null,
    items: 5,
    properties: { a: null, b: true, c: { type: ["string", 7], required: true, enum: "x", oneOf: [null] } },
  }
  expect(cleanSchema(odd)).toEqual({
    type: "object",
    properties: { a: {}, b: {}, c: { type: ["string"], oneOf: [{}] } },
  })
})
