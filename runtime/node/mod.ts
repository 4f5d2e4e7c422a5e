import { createServer as create, type Options, type Server, serve as speak } from "../../src/mod.ts"
import { nodeRuntime } from "./runtime.ts"

export type * from "../../src/mod.ts"
export { ModelFailure } from "../../src/mod.ts"

/** Speaks ACP on standard input and output. Resolves when the client has gone and what was started has ended. */
export function serve(options: Options = {}): Promise<void> {
  const { runtime, ...launch } = options
  return speak({ ...nodeRuntime(), ...runtime }, launch)
}

/** An agent that clients can be connected to. Nothing is read or started before one asks for it. */
export function createServer(options: Options = {}): Server {
  const { runtime, ...launch } = options
  return create({ ...nodeRuntime(), ...runtime }, launch)
}
