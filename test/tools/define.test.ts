import * as v from "valibot"
import { expect, test } from "vitest"
import { textOutcome } from "../../src/agent/tool.ts"
import { defineTool } from "../../src/tools/define.ts"

const never = new AbortController().signal

const greet = defineTool({
  name: "greet",
  kind: "other",
  description: "Greets.",
  input: v.object({
    who: v.string(),
    times: v.optional(v.pipe(v.number(), v.integer("must be a whole number")), 1),
    tone: v.optional(v.picklist(["warm", "cold"])),
    others: v.optional(v.array(v.object({ who: v.string() }))),
  }),
  spellings: { name: "who" },
  prepare: ({ who, times }) => ({
    title: `Greet ${who}`,
    reach: { type: "nothing" },
    run: async () => textOutcome(`hello ${who} `.repeat(times)),
  }),
})

test("a tool says of itself what its definition says, as JSON Schema", () => {
  const { prepare: _, ...spec } = greet
  expect(spec).toEqual({
    name: "greet",
    kind: "other",
    description: "Greets.",
    schema: {
      type: "object",
      properties: {
        who: { type: "string" },
        times: { type: "integer", default: 1 },
        tone: { enum: ["warm", "cold"], type: "string" },
        others: {
          type: "array",
          items: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
        },
      },
      required: ["who"],
    },
  })
})

test("R-359 the input is put right before it is checked, and an action has all its parts", async () => {
  const { run, ...action } = await greet.prepare({ Name: "Ada", times: "2", tone: null }, never)
  expect(action).toEqual({ title: "Greet Ada", reach: { type: "nothing" }, locations: [], display: [] })
  const context = { call: { id: "1", name: "greet", input: {} }, signal: never, report: () => {} }
  expect(await run(context)).toEqual({ content: [{ type: "text", text: "hello Ada hello Ada " }] })
})

const TAKES = "It takes who (string), times? (integer), tone? (string), others? (array)."

test.each<[unknown, string]>([
  [{}, `greet: "who" is missing. ${TAKES}`],
  ["no JSON", `greet: the input must be Object, not "no JSON". ${TAKES}`],
  [{ who: "a", times: "many" }, `greet: "times" must be number, not "many". ${TAKES}`],
  [{ who: "a", times: 1.5 }, `greet: "times": must be a whole number. ${TAKES}`],
  [
    { who: ["a"], tone: "loud" },
    `greet: "who" must be string, not ["a"]; "tone" must be ("warm" | "cold"), not "loud". ${TAKES}`,
  ],
  [{ who: "a", others: [{}] }, `greet: "others.0.who" is missing. ${TAKES}`],
])("the input %j is refused with what to do instead", async (input, message) => {
  await expect(greet.prepare(input, never)).rejects.toThrow(new Error(message))
})

test("a title stays one line of a card, whatever the model calls a thing", async () => {
  const { title } = await greet.prepare({ who: "x".repeat(5_000) }, never)
  expect(title).toBe(`Greet ${"x".repeat(394)}… [4,606 more characters]`)
})
