import type { Runtime } from "../runtime.ts"
import { machineOf } from "../workspace/machine.ts"
import { findSandbox } from "../workspace/sandbox.ts"

/** Why commands can't be confined on this machine; undefined if they can be. */
export async function missingSandbox(runtime: Runtime): Promise<string | undefined> {
  const sandbox = await findSandbox(machineOf(runtime))
  return "missing" in sandbox ? sandbox.missing : undefined
}
