import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Editor } from "../../src/workspace/editor.ts"

/** An editor that can do both. */
export type WholeEditor = { [Key in keyof Editor]-?: NonNullable<Editor[Key]> }

/** An editor that notes what it is asked. */
export interface FakeEditor extends WholeEditor {
  readonly asked: string[]
  /** Opens a buffer with this text, as if the user had typed it. */
  type(name: string, text: string): void
  buffer(name: string): string | undefined
}

/**
 * Keeps buffers with `\n` and saves what it is told to write with the line ends of the file, like Zed. It does not notice
 * what others write: each buffer stays as it was until it is typed in or written.
 */
export function zed(cwd: string, saves: "saves" | "does not save" = "saves"): FakeEditor {
  const buffers = new Map<string, string>()
  const asked: string[] = []
  return {
    asked,
    type: (name, text) => void buffers.set(join(cwd, name), text),
    buffer: (name) => buffers.get(join(cwd, name)),
    async readText(path) {
      asked.push(`read ${path.slice(cwd.length + 1)}`)
      const open = buffers.get(path) ?? (await readFile(path, "utf8")).replaceAll("\r\n", "\n")
      buffers.set(path, open)
      return open
    },
    async writeText(path, text) {
      asked.push(`write ${path.slice(cwd.length + 1)}`)
      buffers.set(path, text)
      if (saves === "does not save") return
      const crlf = (await readFile(path, "utf8").catch(() => "")).includes("\r\n")
      await writeFile(path, crlf ? text.replaceAll("\n", "\r\n") : text)
    },
  }
}

/** Nothing for what is not there; lines with `\n` only, and a last line end whether there was one or not. */
export function codeCompanion(cwd: string, unsaved: Record<string, string> = {}): Editor {
  const buffers = new Map(Object.entries(unsaved).map(([name, text]) => [join(cwd, name), text]))
  return {
    readText: async (path) =>
      buffers.get(path) ?? (await readFile(path, "utf8").catch(() => "")).replaceAll("\r\n", "\n"),
    async writeText(path, text) {
      const lines = text.replace(/\n$/, "").split("\n")
      buffers.set(path, `${lines.join("\n")}\n`)
      await writeFile(path, `${lines.join("\n")}\n`)
    },
  }
}

/** Leaves out what is not UTF-8, and answers "" when it can't read. */
export function toad(): Editor {
  return {
    readText: async (path) => (await readFile(path, "utf8").catch(() => "")).replaceAll("\uFFFD", ""),
    writeText: (path, text) => writeFile(path, text),
  }
}

/** Refuses, as it does for what it does not know. */
export const refusing: Editor = {
  readText: () => Promise.reject(new Error("no such buffer")),
  writeText: () => Promise.reject(new Error("not now")),
}

/** Never answers. */
export function silent(asked: string[] = []): WholeEditor {
  const never = (path: string) => {
    asked.push(path)
    return new Promise<never>(() => {})
  }
  return { readText: never, writeText: never }
}
