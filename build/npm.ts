import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pruneDeclarations } from "./declarations.ts"
import { writeLicences } from "./licences.ts"
import { mustRun, ROOT, secondsSince } from "./run.ts"

/** Platforms with a program (`main.ts`) and a library (`mod.ts`) of their own. */
const PLATFORMS = ["node", "bun", "deno"]

if (import.meta.main) {
  const begin = performance.now()
  await buildPackage()
  console.log(`dist/ built in ${secondsSince(begin)}`)
}

/** Makes in `dist/` what the npm package holds: everything bundled, what is heavy in chunks of its own, and the types. */
export async function buildPackage(): Promise<void> {
  const dist = join(ROOT, "dist")
  const old = await readdir(dist).catch(() => [])
  await Promise.all(old.filter((name) => name !== "bin").map((name) => rm(join(dist, name), { recursive: true })))
  const entries = PLATFORMS.flatMap((platform) => [`runtime/${platform}/main.ts`, `runtime/${platform}/mod.ts`])
  await Promise.all([
    mustRun([
      "bun",
      "build",
      "--target=node",
      "--minify-syntax",
      "--minify-whitespace",
      "--splitting",
      "--sourcemap=linked",
      "--root=runtime",
      "--outdir=dist",
      "--chunk-naming=chunks/[name]-[hash].[ext]",
      ...entries,
    ]),
    mustRun(["tsc", "-p", "tsconfig.types.json"]),
  ])
  await writeLicences(dist)
  await pruneDeclarations(
    join(dist, "types"),
    PLATFORMS.map((platform) => `runtime/${platform}/mod.d.ts`),
  )
}
