import { canonicalName } from "../agent/tool-names.ts"
import { type Field, readFields, splitFrontMatter, yamlText } from "../text/front-matter.ts"
import { COMMON_EFFORTS, RESEARCH_TOOLS } from "./settings.ts"

/** A kind of subagent, as its file says it. Plain data: a task keeps a copy. */
export interface Role {
  readonly name: string
  readonly description: string
  /** Null: the parent's. */
  readonly model: string | null
  /** Null: as the settings say. */
  readonly reasoningEffort: string | null
  /** Research tools by their one name; null: all of them. */
  readonly tools: readonly string[] | null
  readonly prompt: string
}

/** What is wrong with a file, and on which of its lines. */
export interface Fault {
  line: number
  problem: string
}

/** Bytes in a role's file. */
export const ROLE_BYTES = 64 * 1024

const MOST_OF_DESCRIPTION = 500
const FIELDS = ["name", "description", "model", "reasoningEffort", "tools"]

export function isRoleName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)
}

/** Reads the file `<name>.md` strictly: what is not as it must be is a fault, and the role is not there. */
export async function parseRole(
  name: string,
  text: string,
  efforts: readonly string[] = COMMON_EFFORTS,
): Promise<Role | Fault> {
  const parts = splitFrontMatter(text)
  if (parts === "none")
    return { line: 1, problem: 'must begin with a header: "---", "name: …", "description: …", "---"' }
  if (parts === "open") return { line: 1, problem: 'the header does not end; put a line "---" after it' }
  const read = await readFields(parts.header)
  if ("fault" in read)
    return { line: read.fault.line, problem: `${read.fault.message}${hint(parts.header, read.fault.line)}` }
  try {
    const { fields } = read
    checkKeys(fields)
    return {
      name: nameOf(fields.get("name"), name),
      description: descriptionOf(fields.get("description")),
      model: modelOf(fields.get("model")),
      reasoningEffort: effortOf(fields.get("reasoningEffort"), efforts),
      tools: toolsOf(fields.get("tools")),
      prompt: promptOf(parts.body, parts.bodyLine),
    }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return thrown
  }
}

export function isFault(value: unknown): value is Fault {
  return typeof value === "object" && value !== null && "problem" in value
}

/** The file of a role. It reads as the role, or not at all. */
export function renderRole({ name, description, model, reasoningEffort, tools, prompt }: Role): string {
  const lines = [
    "---",
    `name: ${yamlText(name)}`,
    `description: ${yamlText(description)}`,
    `model: ${yamlText(model ?? "inherit")}`,
    ...(reasoningEffort === null ? [] : [`reasoningEffort: ${yamlText(reasoningEffort)}`]),
    ...(tools === null ? [] : toolLines(tools)),
    "---",
    "",
  ]
  return `${lines.join("\n")}\n${prompt.trim()}\n`
}

function toolLines(tools: readonly string[]): readonly string[] {
  return tools.length === 0 ? ["tools: []"] : ["tools:", ...tools.map((tool) => `  - ${yamlText(tool)}`)]
}

function checkKeys(fields: ReadonlyMap<string, Field>): void {
  for (const [key, { line }] of fields) {
    if (!FIELDS.includes(key)) throw fault(line, `there is no field "${key}"; a role has ${FIELDS.join(", ")}`)
  }
}

function nameOf(field: Field | undefined, name: string): string {
  const said = requiredText("name", field)
  if (!isRoleName(name)) {
    throw fault(
      1,
      `"${name}" can't be a role's name: lowercase letters, digits and hyphens, 64 at most; rename the file`,
    )
  }
  if (said !== name) throw fault(lineOf(field), `name must be "${name}", as the file is called, not "${said}"`)
  return name
}

function descriptionOf(field: Field | undefined): string {
  const text = requiredText("description", field)
  const { length } = [...text]
  if (length <= MOST_OF_DESCRIPTION) return text
  throw fault(lineOf(field), `description has ${length} characters, and may have ${MOST_OF_DESCRIPTION}`)
}

function modelOf(field: Field | undefined): string | null {
  const text = optionalText("model", field)
  return text === "inherit" ? null : text
}

function effortOf(field: Field | undefined, efforts: readonly string[]): string | null {
  const text = optionalText("reasoningEffort", field)
  if (text === null || efforts.includes(text)) return text
  throw fault(lineOf(field), `reasoningEffort must be one of ${efforts.join(", ")}, not "${text}"`)
}

/** A list that names no tool is refused: nobody who writes one means all of them. */
function toolsOf(field: Field | undefined): readonly string[] | null {
  if (!field) return null
  const { value, line } = field
  if (!Array.isArray(value)) throw fault(line, "tools must be a list, such as [read_file, glob]; without the key, all")
  const tools: readonly string[] = value
  if (tools.length === 0) throw fault(line, "tools is empty; name a tool, or take the key out for all of them")
  const wrong = tools.find((tool) => !RESEARCH_TOOLS.includes(canonicalName(tool)))
  if (wrong === undefined) return [...new Set(tools.map(canonicalName))]
  throw fault(line, `tools: "${wrong}" is no research tool; there are ${RESEARCH_TOOLS.join(", ")}`)
}

function promptOf(body: string, line: number): string {
  const prompt = body.replaceAll("\r\n", "\n").trim()
  if (prompt === "") throw fault(line, "there are no instructions; write them after the header")
  return prompt
}

function requiredText(key: string, field: Field | undefined): string {
  const text = optionalText(key, field)
  if (text === null) throw fault(lineOf(field), `${key} is missing`)
  return text
}

/** A key with nothing after it says nothing. */
function optionalText(key: string, field: Field | undefined): string | null {
  if (!field || field.value === null) return null
  if (typeof field.value !== "string") throw fault(field.line, `${key} must be a text; put it in "quotes"`)
  return field.value.trim() || null
}

function lineOf(field: Field | undefined): number {
  return field?.line ?? 1
}

/** The commonest mistake by far. */
function hint(header: string, line: number): string {
  const text = header.split("\n")[line - 2] ?? ""
  return /^\w+:\s+[^"'\s].*:(\s|$)/.test(text) ? '; a text with a colon in it must be in "quotes"' : ""
}

function fault(line: number, problem: string): Fault {
  return { line, problem }
}
