import { resolvePath } from "../workspace/paths.ts"

/**
 * The files that a text imports by `@path`: a word that begins so and looks like a path, outside of code. Absolute, in
 * their order.
 */
export function importsIn(text: string, folder: string, home: string): string[] {
  const found: string[] = []
  let fence: string | undefined
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const plain = line.replaceAll(/`[^`]*`/g, " ")
    for (const [, path = ""] of plain.matchAll(/(?:^|\s)@([^\s@`"'<>|]+)/g)) {
      const named = path.replace(/[.,;:!?)\]]+$/, "")
      if (/^(\.{1,2}|~)?\//.test(named) || /\.\w+$/.test(named)) found.push(resolvePath(folder, named, home))
    }
  }
  return [...new Set(found)]
}
