import type { Runtime } from "../../src/runtime.ts"
import { nodeRuntime } from "../node/runtime.ts"
import type { ProcessStdio } from "../node/stdio.ts"
import { bunFetch } from "./fetch.ts"
import { bunStdio } from "./stdio.ts"

export function bunRuntime(stdio: ProcessStdio = bunStdio()): Runtime {
  return { ...nodeRuntime("bun", stdio), fetch: bunFetch }
}
