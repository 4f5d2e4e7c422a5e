import * as koda from "../../src/mod.ts"
import { denoRuntime } from "./runtime.ts"

export type * from "../../src/mod.ts"

/** Speaks ACP on stdin and stdout until the client ends it. */
export function serve(options?: Parameters<typeof koda.serve>[1]): ReturnType<typeof koda.serve> {
  return koda.serve(denoRuntime(), options)
}

/** A server whose connections the caller brings. */
export function createServer(options?: Parameters<typeof koda.createServer>[1]): ReturnType<typeof koda.createServer> {
  return koda.createServer(denoRuntime(), options)
}
