import * as v from "valibot"
import { FileError } from "../runtime.ts"
import { countLines, listed, replaceText } from "../text/replace-text.ts"

/** One edit, as the tools that take edits understand it. */
export interface TextEdit {
  path: string
  old_string: string
  new_string: string
  replace_all?: boolean | undefined
}

export const editSchema: v.GenericSchema<TextEdit> = v.object({
  path: v.pipe(v.string(), v.nonEmpty(), v.description("Absolute, or from the workspace's folder")),
  old_string: v.string(),
  new_string: v.string(),
  replace_all: v.optional(v.boolean()),
})

/** What other agents' models call those. */
export const EDIT_SPELLINGS: Readonly<Record<string, string>> = {
  file_path: "path",
  absolute_path: "path",
  file: "path",
  filename: "path",
  old_str: "old_string",
  old_text: "old_string",
  new_str: "new_string",
  new_text: "new_string",
}

export interface Applied {
  text: string
  /** Where it was replaced; undefined if the file is new. */
  lines: readonly number[] | undefined
}

/** The text after an edit. Without a text there is no file, and an empty `old_string` makes one. */
export function applyEdit(text: string | undefined, edit: Omit<TextEdit, "path">, name: string): Applied {
  const { old_string, new_string, replace_all = false } = edit
  if (text !== undefined) return replaceText(text, { old: old_string, new: new_string, all: replace_all }, name)
  if (old_string !== "") throw new FileError("not_found", `There is no file ${name}. To create it, use write_file.`)
  return { text: new_string.replace(/^\uFEFF/, ""), lines: undefined }
}

/** `Replaced 2 occurrences in src/a.ts (lines 3 and 9).` */
export function doneWords(name: string, text: string, lines: readonly number[] | undefined): string {
  if (!lines) return createdWords(name, text)
  const [places, where] = lines.length === 1 ? ["occurrence", "line"] : ["occurrences", "lines"]
  return `Replaced ${lines.length} ${places} in ${name} (${where} ${listed(lines)}).`
}

export function createdWords(name: string, text: string): string {
  const lines = countLines(text)
  return `Created ${name} (${lines} ${lines === 1 ? "line" : "lines"}).`
}
