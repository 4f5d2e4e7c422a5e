import * as v from "valibot"
import type { Tool } from "../agent/tool.ts"
import { joinPath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { defineTool } from "./define.ts"
import { planEdit } from "./edit-plan.ts"

/** The heading under which facts are kept. */
const HEADING = "## Remembered"

/** Keeps a fact in the project's instructions, for sessions to come. */
export const saveMemory = (workspace: Workspace): Tool =>
  defineTool({
    name: "save_memory",
    kind: "edit",
    alone: true,
    description:
      "Keeps a fact for sessions to come, in the project's KODA.md. Only when the user asks for it, or says how they always " +
      "want something done; one short sentence.",
    input: v.object({ fact: v.pipe(v.string(), v.nonEmpty("is empty")) }),
    spellings: { memory: "fact", content: "fact", text: "fact", note: "fact" },
    prepare({ fact }, signal) {
      const path = joinPath(workspace.cwd, "KODA.md")
      return planEdit(
        workspace,
        {
          paths: [path],
          edit(texts) {
            const text = withFact(texts.get(path)?.text ?? "", fact.replaceAll(/\s+/g, " ").trim())
            return { texts: new Map([[path, text]]), words: "It is kept in KODA.md, and read by every session." }
          },
        },
        signal,
      )
    },
  })

/** The text with one fact more, at the end of its section. A fact that is there is not kept twice. */
export function withFact(text: string, fact: string): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  const lines = text === "" ? [] : text.replace(/\s+$/, "").split(/\r?\n/)
  const line = `- ${fact}`
  if (lines.includes(line)) return text
  const begin = lines.indexOf(HEADING)
  if (begin < 0) return [...lines, ...(lines.length > 0 ? [""] : []), HEADING, "", line, ""].join(end)
  const next = lines.findIndex((one, at) => at > begin && /^#{1,2} /.test(one))
  let last = next < 0 ? lines.length : next
  while (lines[last - 1]?.trim() === "") last--
  return [...lines.slice(0, last), line, ...lines.slice(last), ""].join(end)
}
