import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { exportErrors } from "./check-exports.ts"
import { importErrors } from "./check-imports.ts"
import { lengthErrors } from "./check-length.ts"
import { packageErrors } from "./check-package.ts"
import { requirementErrors } from "./check-requirements.ts"
import { buildPackage } from "./npm.ts"
import { ROOT, run, secondsSince } from "./run.ts"
import { readSources } from "./sources.ts"

/** One thing that must hold. Answers with what is wrong, and a word on what it saw. */
interface Step {
  name: string
  check(): Promise<{ errors: readonly string[]; note?: string }>
}

const STEPS: readonly Step[] = [
  { name: "build", check: () => asErrors(buildPackage()) },
  {
    name: "format and lint",
    check: () => says(["biome", "ci", "--colors=off", "--error-on-warnings", "--max-diagnostics=100"]),
  },
  { name: "types", check: bothProjects },
  { name: "imports", check: async () => ({ errors: importErrors(await readSources(ROOT, ["src", "runtime"])) }) },
  { name: "file length", check: fileLength },
  { name: "exports", check: async () => ({ errors: await exportErrors(ROOT) }) },
  { name: "requirements", check: requirements },
  { name: "unused code", check: () => says(["knip", "--no-progress", "--no-config-hints"]) },
  { name: "unshipped code", check: () => says(["knip", "--no-progress", "--production", "--include=files"]) },
  { name: "publint", check: () => says(["publint", "--strict", "--pack=npm"]) },
  { name: "jsr", check: () => says(["deno", "publish", "--dry-run", "--allow-dirty", "--quiet"]) },
  { name: "package", check: async () => ({ errors: await packageErrors() }) },
]

if (import.meta.main) {
  const { passed, failed } = await check(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

/** Takes all steps, or those named, one after another, and says how each went. */
export async function check(names: readonly string[] = []): Promise<{ passed: number; failed: number }> {
  const steps = STEPS.filter(({ name }) => names.length === 0 || names.includes(name))
  let failed = 0
  for (const { name, check } of steps) {
    const begin = performance.now()
    const { errors, note } = await check().catch((error: Error) => ({ errors: [error.message], note: undefined }))
    for (const error of errors) console.log(error)
    if (errors.length > 0) failed++
    console.log(`${errors.length > 0 ? "✗" : "✓"} ${name}${note ? ` (${note})` : ""}, ${secondsSince(begin)}`)
  }
  return { passed: steps.length - failed, failed }
}

/** A program that is content says nothing. */
async function says(command: readonly [string, ...string[]]): Promise<{ errors: string[] }> {
  const { code, output } = await run(command)
  return { errors: code === 0 ? [] : [output.trimEnd() || `${command.join(" ")} ended with ${code}`] }
}

async function asErrors(work: Promise<void>): Promise<{ errors: string[] }> {
  await work
  return { errors: [] }
}

async function bothProjects(): Promise<{ errors: string[] }> {
  const projects = ["src/tsconfig.json", "tsconfig.json"].map((project) => says(["tsc", "-p", project]))
  const [product, rest] = await Promise.all(projects)
  return { errors: [...product!.errors, ...rest!.errors] }
}

async function fileLength(): Promise<{ errors: string[]; note: string }> {
  const { errors, median } = lengthErrors(await readSources(ROOT, ["src", "runtime"]))
  return { errors, note: `median ${median} lines` }
}

async function requirements(): Promise<{ errors: string[]; note: string }> {
  const list = await readFile(join(ROOT, "test/requirements.txt"), "utf8")
  const { errors, claimed, tested } = requirementErrors(list, await readSources(ROOT, ["test"]))
  return { errors, note: `${tested} of ${claimed} claimed have a test` }
}
