import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { mustRun, ROOT } from "./run.ts"

/** Where the schema of settings files is published. */
const SCHEMA_FILE = "docs/settings.schema.json"

if (import.meta.main) {
  await writeFile(join(ROOT, SCHEMA_FILE), await mustRun(["node", "runtime/node/main.ts", "settings", "schema"]))
  await mustRun(["biome", "check", "--write", SCHEMA_FILE])
}
