import type { Runtime } from "../../src/runtime.ts"
import { nodeRuntime } from "../node/runtime.ts"
import type { ProcessStdio } from "../node/stdio.ts"
import { denoStdio } from "./stdio.ts"

export function denoRuntime(stdio: ProcessStdio = denoStdio()): Runtime {
  return nodeRuntime("deno", stdio)
}
