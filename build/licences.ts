import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT } from "./run.ts"

interface Manifest {
  name: string
  version: string
  license: string
}

/** The file that goes with all we ship. */
export const LICENCES = "THIRD-PARTY-LICENSES.txt"

/** Writes down whose code a bundle holds, and under which terms; its source maps know. */
export async function writeLicences(dist: string): Promise<void> {
  const names = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".js.map"))
  const maps = await Promise.all(names.map((name) => readFile(join(dist, name), "utf8")))
  const packages = new Set(maps.flatMap((map) => packagesOf((JSON.parse(map) as { sources: string[] }).sources)))
  const texts = await Promise.all([...packages].sort().map(licenceOf))
  await writeFile(join(dist, LICENCES), texts.join(`\n${"-".repeat(80)}\n\n`))
}

/** The names of packages among paths, `@scope/name` too; the innermost where one holds another. */
export function packagesOf(sources: readonly string[]): string[] {
  return sources.flatMap((source) => {
    const [, path] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? []
    return path ? [path] : []
  })
}

async function licenceOf(name: string): Promise<string> {
  const folder = join(ROOT, "node_modules", name)
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest
  const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry))
  const text = file ? await readFile(join(folder, file), "utf8") : ""
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text.trim()}\n`
}
