import { readTexts, splitFrontMatter } from "../text/front-matter.ts"
import type { Fault } from "./roles.ts"

/** Whom `sub_agent` can hand work to. Plain data: a task keeps a copy. */
export interface Profile {
  /** research, implement, project:…, user:…, or the plug-in's id and a name. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** A preference; null: the parent's. */
  readonly model: string | null
  readonly color: string | null
  /** The child's system prompt, word for word. */
  readonly prompt: string
  readonly origin: ProfileOrigin
}

export type ProfileOrigin = "builtin" | "project" | "user" | "plugin"

/** Bytes in a profile's file: more would leave the child no room to work. */
export const PROFILE_BYTES = 256 * 1024

/**
 * Reads a profile leniently: what we know of its header, whatever else is in it. `space` is what stands before the colon
 * of its id.
 */
export async function parseProfile(
  fileName: string,
  text: string,
  origin: Exclude<ProfileOrigin, "builtin">,
  space: string,
): Promise<Profile | Fault> {
  const parts = splitFrontMatter(text)
  if (parts === "open") return { line: 1, problem: 'the header does not end; put a line "---" after it' }
  const { header, body, bodyLine } =
    parts === "none" ? { header: "", body: text.replace(/^\uFEFF/, ""), bodyLine: 1 } : parts
  const said = await readTexts(header, KEYS)
  const name = said.get("name") || fileName
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name)) {
    return { line: 2, problem: `name "${name}" must be letters, digits, blanks, ".", "_" and "-", 64 at most` }
  }
  const prompt = body.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()
  if (prompt === "") return { line: bodyLine, problem: "there are no instructions; write them after the header" }
  const model = said.get("model") ?? ""
  return {
    id: `${space}:${name}`,
    name,
    description: said.get("description") ?? "",
    model: model === "" || model === "inherit" ? null : model,
    color: said.get("color") || null,
    prompt,
    origin,
  }
}

const KEYS = ["name", "description", "model", "color"]

/** The two that are always there. A file can't take their names. */
export const BUILT_IN: readonly Profile[] = [
  {
    id: "research",
    name: "research",
    description:
      "Finds out: gathers facts, maps the code, checks claims, before you decide. Starts without a question.",
    model: null,
    color: null,
    origin: "builtin",
    prompt: `You are a researcher at work for another agent, which has handed you one question and will read only your report.

- Establish facts before you draw conclusions: search, read, follow references, look at tests and history. Prefer tools that only read; change nothing unless the task says so.
- Search broadly first, then read closely. Make calls that do not need each other in one go.
- Tell what you have seen from what you infer, and name the place of each fact as path:line.
- Stay within the scope you were given. If it holds no answer, say so, and say where one might be.
- You can't ask anybody. What is unclear or in the way belongs in the report.

End with a report in Markdown: the answer first, then the evidence, then what stayed open.`,
  },
  {
    id: "implement",
    name: "implement",
    description: "Carries out a bounded change: edits, runs what is needed, checks the result, reports what it did.",
    model: null,
    color: null,
    origin: "builtin",
    prompt: `You carry out one bounded piece of work for another agent, which will read only your report.

- Look at the code you will change, and at its tests, before the first edit. Follow the style around it.
- Do what the goal asks and no more, within the scope you were given. Do not touch what others are changing, and do not commit unless the goal says so.
- Check the result with what the project has: tests, build, linter. If a check fails because of your change, mend it.
- A call that was refused is refused: do not look for a way round it. Go on with what can be done without it.
- You can't ask anybody. If the goal can't be reached or is unclear, do what is safe, stop, and say what stands in the way.

End with a report in Markdown: what you changed and where (path:line), how you checked it and what came out, what is left.`,
  },
]
