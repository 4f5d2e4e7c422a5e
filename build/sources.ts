import { readdir, readFile } from "node:fs/promises"
import { join, relative } from "node:path"

/** The text of each TypeScript file, by its path from the root. */
export type Sources = ReadonlyMap<string, string>

/** Reads what these folders hold; one that is not there holds nothing. */
export async function readSources(root: string, folders: readonly string[]): Promise<Sources> {
  const lists = await Promise.all(folders.map((folder) => typescriptFiles(join(root, folder))))
  const files = lists.flat().sort()
  return new Map(
    await Promise.all(files.map(async (file) => [relative(root, file), await readFile(file, "utf8")] as const)),
  )
}

async function typescriptFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name))
}
