import type { Launch } from "../acp/launch.ts"
import { serve } from "../acp/server.ts"
import type { Runtime } from "../runtime.ts"
import type { Arguments } from "./args.ts"
import { logFor } from "./log.ts"

const WAITING =
  'this waits for an editor\'s messages on standard input; for a prompt of yours, `koda -p "…"`. Ctrl-D ends it'

/** `koda --acp`: serves one editor until it goes away. */
export async function serveEditor(runtime: Runtime, launch: Launch, values: Arguments["values"]): Promise<number> {
  if (runtime.stdio.isTerminal) runtime.stdio.log(`koda: ${WAITING}`)
  const path = values["--traffic-log"]
  const traffic = path === undefined ? undefined : (await import("./traffic-log.ts")).trafficLog(runtime, path)
  await serve(runtime, { ...launch, log: logFor(runtime, values["--log-level"]), ...(traffic && { tap: traffic.tap }) })
  await traffic?.written()
  return 0
}
