import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/** What a declaration imports from: `from "…"`, `import("…")`, and `import "…"`. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(\s*|^import\s+)(["'])([^"']+)\2/gm

/**
 * Leaves of the declarations in a folder those that the entries reach, importing each other by `.js` as every resolver
 * understands. Throws if one of them needs a package: a user of ours has none of them.
 */
export async function pruneDeclarations(folder: string, entries: readonly string[]): Promise<void> {
  const reached = new Set<string>()
  const foreign: string[] = []
  const pending = [...entries]
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const text = await readFile(join(folder, file), "utf8")
    if (/^\/\/\/ <reference (?!lib)/m.test(text)) foreign.push(`${file} refers to the types of a package`)
    for (const [, , , specifier] of text.matchAll(SPECIFIER)) {
      if (specifier!.startsWith(".")) pending.push(join(dirname(file), specifier!.replace(/\.ts$/, ".d.ts")))
      else foreign.push(`${file} imports ${specifier}`)
    }
    await writeFile(
      join(folder, file),
      text.replace(SPECIFIER, (found) => found.replace(/(\.[^"']+)\.ts(["'])$/, "$1.js$2")),
    )
  }
  if (foreign.length > 0) throw new Error(`The public types must stand alone:\n${foreign.join("\n")}`)

  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  await Promise.all(files.filter((file) => !reached.has(file.slice(folder.length + 1))).map((file) => rm(file)))
}
