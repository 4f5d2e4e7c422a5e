import { access, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The parts of package.json that say what we publish. */
interface PackageJson {
  name: string
  version: string
  license: string
  bin: Record<string, string>
  exports: Record<string, ExportTarget>
  devDependencies: Record<string, string>
  [other: string]: unknown
}

type ExportTarget = string | { [condition: string]: ExportTarget }

interface DenoJson {
  version: string
  license: string
  exports: Record<string, string>
  imports: Record<string, string>
}

/** The fields by which a package makes others be installed. Ours is bundled and has none. */
const DEPENDING = [
  "dependencies",
  "peerDependencies",
  "optionalDependencies",
  "bundleDependencies",
  "bundledDependencies",
]

/** Where package.json, deno.json, src/version.ts, CHANGELOG.md and the files on disk disagree, one line each. */
export async function exportErrors(root: string): Promise<string[]> {
  const text = (name: string) => readFile(join(root, name), "utf8")
  const npm = JSON.parse(await text("package.json")) as PackageJson
  const deno = JSON.parse(await text("deno.json")) as DenoJson
  const exists = (path: string) =>
    access(join(root, path)).then(
      () => true,
      () => false,
    )

  const missing = [...filesOf(npm.exports), ...Object.values(npm.bin), ...Object.values(deno.exports)].map(
    async (path) => ((await exists(path)) ? [] : [`${path} is exported and not there`]),
  )
  const programs = [...new Set(Object.values(npm.bin))].map(async (path) => {
    const start = await text(path).catch(() => "#!/usr/bin/env node")
    return start.startsWith("#!/usr/bin/env node\n") ? [] : [`${path} must begin with "#!/usr/bin/env node"`]
  })
  return [
    ...versionErrors(npm.version, deno.version, await text("src/version.ts"), await text("CHANGELOG.md")),
    ...(npm.license === deno.license ? [] : [`deno.json says "${deno.license}", package.json "${npm.license}"`]),
    ...DEPENDING.filter((field) => npm[field]).map(
      (field) => `package.json has ${field}; everything is bundled, so it may not`,
    ),
    ...subpathErrors(npm, deno),
    ...importErrors(npm, deno),
    ...(await Promise.all([...missing, ...programs])).flat(),
  ]
}

function versionErrors(version: string, deno: string, source: string, changes: string): string[] {
  const stamped = /VERSION: string = "([^"]*)"/.exec(source)?.[1]
  const heading = /^## (\S+)/m.exec(changes)?.[1]
  return [
    ...(deno === version ? [] : [`deno.json has version ${deno}, package.json ${version}`]),
    ...(stamped === version ? [] : [`src/version.ts says ${stamped}, package.json ${version}`]),
    ...(heading === version ? [] : [`the first heading of CHANGELOG.md is ${heading}, and the version ${version}`]),
  ]
}

/** The same subpaths on npm and JSR, each leading to the same module. */
function subpathErrors(npm: PackageJson, deno: DenoJson): string[] {
  const subpaths = new Set([...Object.keys(npm.exports), ...Object.keys(deno.exports)])
  subpaths.delete("./package.json")
  return [...subpaths].flatMap((subpath) => {
    const source = deno.exports[subpath]
    const target = npm.exports[subpath]
    if (!source) return [`deno.json does not export "${subpath}"`]
    if (!target) return [`package.json does not export "${subpath}"`]
    const stem = source.replace(/^\.\/runtime\//, "").replace(/\.ts$/, "")
    const files = filesOf({ [subpath]: target })
    const wanted = [`./dist/${stem}.js`, `./dist/types/runtime/${stem}.d.ts`]
    return wanted
      .filter((path) => !files.includes(path))
      .map((path) => `package.json does not lead "${subpath}" to ${path}`)
  })
}

/** A package that JSR fetches must be the one that we test with. */
function importErrors(npm: PackageJson, deno: DenoJson): string[] {
  return Object.entries(deno.imports).flatMap(([name, target]) => {
    const wanted = `npm:${name}@${npm.devDependencies[name]}`
    return target === wanted ? [] : [`deno.json maps ${name} to ${target}, not to ${wanted}`]
  })
}

function filesOf(target: ExportTarget | undefined): string[] {
  if (typeof target === "string") return [target]
  return Object.values(target ?? {}).flatMap(filesOf)
}
