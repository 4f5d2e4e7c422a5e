import type { Runtime } from "../../src/runtime.ts"
import { openDatabase } from "./database.ts"
import { nodeFetch } from "./fetch.ts"
import { nodeFiles } from "./files.ts"
import { nodeProcesses } from "./processes.ts"
import { type ProcessStdio, processStdio } from "./stdio.ts"
import { processSystem } from "./system.ts"

/** The runtime of Node, written with what Bun and Deno have too: theirs differ where they must. */
export function nodeRuntime(
  name: Runtime["name"] = "node",
  stdio: ProcessStdio = processStdio(),
): Runtime & { readonly stdio: ProcessStdio } {
  return {
    name,
    stdio,
    files: nodeFiles(),
    processes: nodeProcesses(),
    system: processSystem(stdio),
    fetch: nodeFetch,
    openDatabase,
  }
}
