import * as v from "valibot"
import type { SystemParts } from "../instructions/system.ts"
import { invalidParams } from "./params.ts"

const BLOCKS = v.array(v.looseObject({ type: v.literal("text"), text: v.string() }))

/** A string, in Koda's wire; a mode and blocks of text, in the unstable standard's. */
export const SYSTEM = v.nullish(v.union([v.string(), v.looseObject({ mode: v.nullish(v.string()), content: BLOCKS })]))

/** The client's words for the system prompt: a string stands in for the persona. */
export function systemOf(asked: v.InferOutput<typeof SYSTEM>): SystemParts["client"] {
  if (asked == null || asked === "") return undefined
  if (typeof asked === "string") return { mode: "override", text: asked }
  const { mode, content } = asked
  const text = content.map((block) => block.text).join("\n\n")
  switch (mode ?? "append") {
    case "append":
      return { mode: "append", text }
    case "override":
      return { mode: "override", text }
    default:
      throw invalidParams(`systemPrompt.mode: "${mode}" is neither "append" nor "override"`)
  }
}
