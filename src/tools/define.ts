import { toJsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import type { Display, Location, ToolKind } from "../agent/message.ts"
import { normalise } from "../agent/normalise.ts"
import type { Action, CallContext, Outcome, Reach, Tool } from "../agent/tool.ts"
import { cutEnd } from "../text/truncate.ts"
import { visible } from "../text/visible.ts"

/** A tool as its file says it. */
export interface Definition<Input extends v.GenericSchema> {
  name: string
  kind: ToolKind
  alone?: true
  description: string
  input: Input
  /** What other agents' models call our parameters. */
  spellings?: Readonly<Record<string, string>>
  prepare(input: v.InferOutput<Input>, signal: AbortSignal): Plan | Promise<Plan>
}

/** An action, with what most actions leave out. */
export interface Plan {
  title: string
  reach: Reach
  locations?: readonly Location[]
  display?: readonly Display[]
  cannot?: Error
  run(context: CallContext): Promise<Outcome>
}

/** Makes a tool of a definition: the input is put right and checked once, here, for all of them. */
export function defineTool<Input extends v.GenericSchema>(definition: Definition<Input>): Tool {
  const { name, kind, alone, description, input: shape, spellings = {}, prepare } = definition
  const { $schema: _, ...schema } = toJsonSchema(shape, { typeMode: "input" })
  return {
    name,
    kind,
    ...(alone && { alone }),
    description,
    schema,
    async prepare(value, signal): Promise<Action> {
      const { success, output, issues } = v.safeParse(shape, normalise(value, schema, spellings))
      if (!success) throw new Error(`${name}: ${issues.map(fault).join("; ")}. It takes ${parameters(schema)}.`)
      const plan = await prepare(output, signal)
      return { locations: [], display: [], ...plan, title: cutEnd(visible(plan.title), LONGEST_TITLE) }
    },
  }
}

/** Characters. A title is one line of a card. */
const LONGEST_TITLE = 400

/** What is wrong with a part of the input, as the model needs to hear it. */
function fault(issue: v.BaseIssue<unknown>): string {
  const part = v.getDotPath(issue) ? `"${v.getDotPath(issue)}"` : "the input"
  if (issue.input === undefined) return `${part} is missing`
  const given = (JSON.stringify(issue.input) ?? String(issue.input)).slice(0, 80)
  return issue.kind === "schema" && issue.expected
    ? `${part} must be ${issue.expected}, not ${given}`
    : `${part}: ${issue.message}`
}

/** The parameters in one line: `path (string), offset? (integer)`. */
function parameters({ properties = {}, required = [] }: ReturnType<typeof toJsonSchema>): string {
  const each = Object.entries(properties).map(([name, property]) => {
    const type = typeof property === "object" && property.type ? ` (${property.type})` : ""
    return `${name}${required.includes(name) ? "" : "?"}${type}`
  })
  return each.length > 0 ? each.join(", ") : "no parameters"
}
